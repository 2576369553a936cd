/**
 * Stands in for the globals `Headers` and `FormData` in what is bundled (esbuild's `inject`). To touch Node's own, as
 * the model SDK does for each request, loads all of Node's `fetch`: half the CPU time of a start.
 */
class LeanHeaders {
  readonly #values = new Map<string, string>();

  constructor(source: HeaderSource = {}) {
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) this.append(name, value);
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    const more = String(value).trim();
    this.#values.set(name.toLowerCase(), before === null ? more : `${before}, ${more}`);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value).trim());
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(callback: (value: string, name: string) => void): void {
    for (const [name, value] of this) callback(value, name);
  }

  entries(): IterableIterator<[string, string]> {
    return this[Symbol.iterator]();
  }

  keys(): IterableIterator<string> {
    return new Map(this).keys();
  }

  values(): IterableIterator<string> {
    return new Map(this).values();
  }

  /** By name, as the standard has it. */
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1)).values();
  }
}

type HeaderSource = Iterable<readonly [string, string]> | { readonly [name: string]: string };

/** Nothing that is sent is a form. */
class NoFormData {}

export { LeanHeaders as Headers, NoFormData as FormData };
