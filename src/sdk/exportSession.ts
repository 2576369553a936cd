import { sessionMarkdown } from '../engine/commands/exportSession.ts';
import { loadTranscript } from '../engine/transcript/loadTranscript.ts';
import { dataRootFrom } from '../platform/nodeEnvironment.ts';
import { nodeFileSystem as files } from '../platform/nodeFileSystem.ts';
import { copyFile } from '../platform/copyFile.ts';
import { knownSession } from './findSession.ts';
import type { SessionPlace } from './sessionActions.ts';

/**
 * Writes a session to `target`: its transcript byte for byte (`jsonl`), or the conversation for people, also what was
 * compacted (`markdown`). What is not yet written by a running turn is not in it.
 */
export async function exportSession({ session, dataRoot = dataRootFrom() }: SessionPlace, format: 'jsonl' | 'markdown', target: string): Promise<void> {
  const { path } = await knownSession(files, dataRoot, session);
  if (format === 'jsonl') return copyFile(path, target);
  const { sessionId, cwd = '', labels, messages, allUserMessages } = await loadTranscript(files, path, { whole: true });
  const title = labels.customTitle ?? labels.aiTitle ?? allUserMessages[0]?.text ?? 'Session';
  await files.writeFile(target, new TextEncoder().encode(sessionMarkdown({ sessionId, cwd, title: title.split('\n')[0]!, messages })));
}
