import { readFileSync } from 'node:fs';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { errorText, systemErrorCode, TurnstoneError } from '../base/errors.ts';
import type { EngineOptions } from '../sdk/index.ts';

/**
 * Prices of the user's own, from a file of the same shape as the editor's setting: by model, in USD per million tokens.
 * Throws `invalid_input` where there are none: to go on with other prices would show figures that nobody asked for. A
 * single one that is not clear is left out and told when a session opens.
 */
export function readPrices(path: string): NonNullable<EngineOptions['prices']> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = systemErrorCode(error) === 'ENOENT' ? 'there is no such file' : errorText(error);
    throw new TurnstoneError('invalid_input', `The prices could not be read from ${path}: ${why}. Nothing was sent.`, { cause: error });
  }
  // Editors on Windows may begin it with a mark.
  const prices = tryParseJson(text.replace(/^\uFEFF/, ''));
  if (isJsonObject(prices)) return prices;
  throw new TurnstoneError('invalid_input', `${path} holds no prices. It looks like { "my-model": { "input": 3, "output": 15, "cacheRead": 0.3 } }, in US dollars per million tokens. Nothing was sent.`);
}
