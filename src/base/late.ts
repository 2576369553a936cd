/** Makes a value when it is first asked for, and keeps it. For what takes its time to make and is often not needed. */
export function late<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
