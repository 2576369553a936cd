import type { SDKMessage } from '../protocol/messages.ts';
import { createEngine } from './createEngine.ts';
import type { EngineOptions } from './options.ts';

/** One turn on a session of its own, from prompt to result. */
export async function* ask(prompt: string, options: EngineOptions): AsyncGenerator<SDKMessage, void, void> {
  const engine = await createEngine(options);
  try {
    yield* engine.submitMessage(prompt);
  } finally {
    await engine.dispose();
  }
}
