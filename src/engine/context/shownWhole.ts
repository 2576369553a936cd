import { textOf } from '../../protocol/contentBlocks.ts';
import type { SessionMessage } from '../../protocol/messages.ts';
import type { ReadFileState } from '../tools/readFileState.ts';
import type { MemoryFile } from './memoryFiles.ts';

/**
 * Tells whether the model has read all of a memory file as it is now. Both must hold: it was read with
 * this content, and the conversation still has that reading, which a rewind or a compaction may have taken away.
 */
export function shownWhole(state: ReadFileState, messages: readonly SessionMessage[]): (file: MemoryFile) => boolean {
  const paths = new Set<string>();
  for (const message of messages) {
    if (message.type !== 'user') continue;
    if (message.tool_use_result?.kind === 'read') paths.add(message.tool_use_result.path);
    else if (message.isMeta) for (const match of textOf(message.message.content).matchAll(/^<attached-file path="([^"]+)"/gm)) paths.add(match[1]!);
  }
  return (file) => {
    if (!paths.has(file.path) && !paths.has(file.realPath)) return false;
    const seen = state.get(file.realPath);
    return seen?.whole === true && seen.hash === file.hash;
  };
}
