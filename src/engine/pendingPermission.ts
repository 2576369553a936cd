import type { AskedFile, OrphanedCalls } from './orphanedCalls.ts';
import type { PendingPermission, PendingFile } from './session.ts';
import { readCurrentContent } from './tools/currentContent.ts';
import type { ContentPorts } from './tools/currentContent.ts';

/** What a host can show of calls that were left open. */
export function pendingPermission({ asked, waiting, files }: OrphanedCalls, ports: ContentPorts): PendingPermission {
  return {
    toolName: asked.name,
    toolUseId: asked.id,
    input: asked.input,
    waiting: waiting.map(({ id, name, input }) => ({ toolName: name, toolUseId: id, input })),
    look: () => Promise.all(firstOfEach(files).map(async (file) => ({ path: file.path, state: await stateOf(file, ports).catch(() => 'changed' as const) }))),
  };
}

/** Of several proposals for one file, the first one was made from what the file held. */
function firstOfEach(files: readonly AskedFile[]): readonly AskedFile[] {
  return files.filter(({ path }, index) => files.findIndex((other) => other.path === path) === index);
}

async function stateOf({ path, hash }: AskedFile, ports: ContentPorts): Promise<PendingFile['state']> {
  const now = await readCurrentContent(path, ports);
  if (now.kind === 'absent') return hash === null ? 'new' : 'gone';
  if (hash === null) return 'changed';
  return now.kind === 'text' && now.hash === hash ? 'current' : 'changed';
}
