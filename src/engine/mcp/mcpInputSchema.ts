import { isJsonObject, isNestedDeeper } from '../../base/json.ts';

export interface UsableSchema {
  readonly schema: { readonly [key: string]: unknown };
  /** What of the server's schema the API does not take, in words for the model. Empty: nothing. */
  readonly note: string;
}

const propertyName = /^[A-Za-z0-9_.-]{1,64}$/;
/** Levels; a schema that refers to itself is written flat, so nobody needs more. */
const deepest = 50;
/** UTF-16 units of what is told in words. */
const maxNote = 2_000;

/**
 * A server's input schema as the API takes it: an object at the top without alternatives, and fields with plain names.
 * The rest is told in words, and the server checks what it is sent itself. Pure; the same schema gives the same.
 */
export function usableSchema(given: unknown): UsableSchema {
  if (!isJsonObject(given) || isNestedDeeper(given, deepest)) return { schema: { type: 'object', properties: {} }, note: '' };
  const { type: _type, oneOf, anyOf, allOf, properties: fields, required, ...rest } = given;
  const properties = isJsonObject(fields) ? fields : {};
  const odd = Object.keys(properties).filter((name) => !propertyName.test(name));
  const known = Object.fromEntries(Object.entries(properties).filter(([name]) => propertyName.test(name)));
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string' && Object.hasOwn(known, name)) : [];
  const told = {
    ...(oneOf !== undefined && { oneOf }),
    ...(anyOf !== undefined && { anyOf }),
    ...(allOf !== undefined && { allOf }),
    ...(odd.length > 0 && { properties: Object.fromEntries(odd.map((name) => [name, properties[name]])) }),
  };
  return {
    schema: { ...rest, type: 'object', properties: known, ...(names.length > 0 && { required: names }) },
    note: Object.keys(told).length === 0 ? '' : `Its input also has to fit this JSON Schema: ${JSON.stringify(told).slice(0, maxNote)}`,
  };
}
