export type JsonObject = { [key: string]: unknown };

/** Parses JSON; `undefined` when the text is not JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether objects and lists lie in one another more than `limit` times. Itself not recursive, so that it is safe to ask. */
export function isNestedDeeper(value: unknown, limit: number): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNesting));
  }
  return false;
}

function isNesting(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
