import { TurnstoneError } from '../base/errors.ts';
import { DEMO_MODEL, startDemoModel } from '../sdk/index.ts';
import type { Endpoint } from '../sdk/index.ts';

/** Where the model answers. `model` is set when the endpoint knows only one. Call `close` at the end. */
export interface ChosenEndpoint {
  readonly endpoint: Endpoint;
  readonly model: string | undefined;
  close(): Promise<void>;
}

/** The demo if asked for, else the API with the key of the environment. Throws a `configuration` error when there is no key. */
export async function chooseEndpoint(demo: boolean, env: NodeJS.ProcessEnv): Promise<ChosenEndpoint> {
  if (demo) {
    const model = await startDemoModel();
    const endpoint: Endpoint = { baseUrl: model.url, apiKey: async () => model.apiKey, apiKeySource: 'demo' };
    return { endpoint, model: DEMO_MODEL, close: async () => model.close() };
  }
  if (!env['ANTHROPIC_API_KEY']?.trim()) {
    throw new TurnstoneError('configuration', 'There is no API key, so nothing was sent. Put one into ANTHROPIC_API_KEY, or add --demo to try the built-in demo model.');
  }
  const endpoint: Endpoint = {
    baseUrl: env['ANTHROPIC_BASE_URL']?.trim() || undefined,
    apiKey: async () => env['ANTHROPIC_API_KEY'],
    apiKeySource: 'ANTHROPIC_API_KEY',
  };
  return { endpoint, model: undefined, close: async () => {} };
}
