declare global {
  // Of ES2024; in every Node from 20 on.
  interface String {
    isWellFormed(): boolean;
    toWellFormed(): string;
  }
}

/**
 * The value with U+FFFD in place of each half of a surrogate pair that stands alone, in every string and field name of
 * it, however deep. JSON can carry such halves, the Messages API refuses them. What needs no change is the same object.
 */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return value.toWellFormed() as T;
  if (Array.isArray(value)) return wellFormedList(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let changed = false;
  const fields = Object.entries(value).map(([name, field]) => {
    const fixed = [name.toWellFormed(), wellFormed(field)] as const;
    changed ||= fixed[0] !== name || fixed[1] !== field;
    return fixed;
  });
  return changed ? (Object.fromEntries(fields) as T) : value;
}

/** Whether nothing of the value would be changed by {@link wellFormed}. */
export function isWellFormed(value: unknown): boolean {
  return wellFormed(value) === value;
}

function wellFormedList(list: readonly unknown[]): readonly unknown[] {
  const fixed = list.map(wellFormed);
  return fixed.some((item, index) => item !== list[index]) ? fixed : list;
}
