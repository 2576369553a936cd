import type * as Sdk from '../sdk/index.ts';

let loading: Promise<typeof Sdk> | undefined;

/** The engine and all it needs, loaded on first use so that activation costs nothing. */
export function loadSdk(): Promise<typeof Sdk> {
  loading ??= import('../sdk/index.ts');
  return loading;
}
