import * as vscode from 'vscode';
import type { RewindFile, WayBack } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import { emptyDocument } from '../snapshotDocuments.ts';
import type { SnapshotDocuments } from '../snapshotDocuments.ts';
import { closePreviews, showPreview } from './previewTabs.ts';

export interface Preview {
  readonly session: Session;
  readonly documents: SnapshotDocuments;
  readonly way: WayBack;
}

/** Documents are asked for once: each preview has its own. */
let previews = 0;

/**
 * Opens "now → then" for every file that going back would change, as one native diff. `how` says what then means where
 * others changed a file since. Changes nothing.
 */
export async function previewRewind(preview: Preview, files: readonly RewindFile[], how: (file: RewindFile) => 'overwrite' | 'merge' = suggested): Promise<void> {
  const { documents, way } = preview;
  if (files.length === 0) return closePreviews();
  const moment = String(++previews);
  const changes = await Promise.all(
    files.map(async (file) => {
      const { path, action } = file;
      const uri = vscode.Uri.file(path);
      const isMerged = how(file) === 'merge' && file.merge !== undefined;
      const now = action === 'recreate' ? emptyDocument(path) : uri;
      const then = action === 'delete' && !isMerged ? emptyDocument(path) : documents.put(path, moment, await textThen(preview, path, isMerged ? 'merge' : 'overwrite'));
      return [uri, now, then] as const;
    }),
  );
  await showPreview(way.kind === 'undo' ? 'Undo: now → then' : 'Rewind: now → then', changes);
}

/** Keeping what others did, wherever nothing is in the way. */
function suggested({ merge }: RewindFile): 'overwrite' | 'merge' {
  return merge?.conflicts.length === 0 ? 'merge' : 'overwrite';
}

async function textThen({ session, way }: Preview, path: string, how: 'overwrite' | 'merge'): Promise<string> {
  const bytes = await session.contentAfter(way, path, how);
  if (!bytes) return '';
  try {
    return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
  } catch {
    return `(not a text: ${bytes.byteLength.toLocaleString('en')} bytes, brought back as they were)`;
  }
}
