import type { ContentBlock } from '../protocol/contentBlocks.ts';
import type { SDKMessage } from '../protocol/messages.ts';
import { createEngine } from './createEngine.ts';
import type { EngineOptions } from './options.ts';

/**
 * One turn on a session of its own, from prompt to result. `options.readFileState` is what the caller knows of files:
 * the turn works on a copy, which is handed back in any case, also when the turn fails or the caller stops early.
 */
export async function* ask(prompt: string | readonly ContentBlock[], options: EngineOptions): AsyncGenerator<SDKMessage, void, void> {
  const readFileState = options.readFileState?.clone();
  const engine = await createEngine({ ...options, readFileState });
  try {
    yield* engine.submitMessage(prompt);
  } finally {
    if (readFileState) options.readFileState?.adopt(readFileState);
    await engine.dispose();
  }
}
