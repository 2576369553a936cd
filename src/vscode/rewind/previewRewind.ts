import * as vscode from 'vscode';
import type { RewindPlan } from '../../protocol/rewind.ts';
import type { Session } from '../../sdk/index.ts';
import { emptyDocument } from '../snapshotDocuments.ts';
import type { SnapshotDocuments } from '../snapshotDocuments.ts';

/** Opens "now → then" for every file that going back would change, as one native diff. Changes nothing. */
export async function previewRewind(session: Session, plan: RewindPlan, documents: SnapshotDocuments): Promise<void> {
  const changes = await Promise.all(
    plan.files.map(async ({ path, action }) => {
      const file = vscode.Uri.file(path);
      const now = action === 'recreate' ? emptyDocument(path) : file;
      const then = action === 'delete' ? emptyDocument(path) : documents.put(path, plan.messageId, await textThen(session, plan.messageId, path));
      return [file, now, then] as const;
    }),
  );
  await vscode.commands.executeCommand('vscode.changes', 'Rewind: now → then', changes);
}

async function textThen(session: Session, messageId: string, path: string): Promise<string> {
  const bytes = await session.snapshotContent(messageId, path);
  if (!bytes) return '';
  try {
    return await vscode.workspace.decode(bytes, { uri: vscode.Uri.file(path) });
  } catch {
    return `(not a text: ${bytes.byteLength.toLocaleString('en')} bytes, brought back as they were)`;
  }
}
