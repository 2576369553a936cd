/** Closes an exhaustive `switch`: a new member of the union becomes a compile error here. */
export function assertNever(value: never, what = 'value'): never {
  throw new Error(`Unexpected ${what}: ${JSON.stringify(value)}`);
}
