import { cutText } from '../../base/text.ts';

/** Colours and cursor movements: for terminals only. */
// oxlint-disable-next-line no-control-regex -- the control characters are what it is about
const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Keeps the start and the end of an output that may be endless, in bounded memory. Lengths in UTF-16 units. */
export class OutputCollector {
  readonly #half: number;
  #head = '';
  #tail = '';
  #left = 0;

  constructor(maxLength: number) {
    this.#half = Math.floor(maxLength / 2);
  }

  add(text: string): void {
    const head = cutText(text, Math.max(0, this.#half - this.#head.length));
    if (this.#tail === '' && this.#left === 0) this.#head += head;
    const rest = this.#tail === '' && this.#left === 0 ? text.slice(head.length) : text;
    this.#tail += rest;
    // Cut rarely: each cut copies the whole tail.
    if (this.#tail.length > this.#half * 4) this.#cutTail();
  }

  /** Everything, or start and end with a note between them that says how much is left out. */
  get text(): string {
    if (this.#tail.length > this.#half) this.#cutTail();
    if (this.#left === 0) return clean(this.#head + this.#tail);
    return `${clean(this.#head)}\n\n[… ${this.#left} characters of output left out here …]\n\n${clean(this.#tail)}`;
  }

  #cutTail(): void {
    let start = this.#tail.length - this.#half;
    const first = this.#tail.charCodeAt(start);
    if (first >= 0xdc00 && first <= 0xdfff) start++;
    this.#left += start;
    this.#tail = this.#tail.slice(start);
  }
}

function clean(text: string): string {
  return text.replace(escapeSequences, '');
}
