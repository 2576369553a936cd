import * as vscode from 'vscode';

export interface ReviewPlace {
  /** A diff is opened by itself. */
  readonly opens: boolean;
  /** In a tab that does not come to the front. */
  readonly background: boolean;
  readonly column: vscode.ViewColumn | undefined;
}

/** Where the user wants proposals to be shown. */
export function reviewPlace(): ReviewPlace {
  const open = vscode.workspace.getConfiguration('turnstone').get<string>('review.open', 'editor');
  return { opens: open !== 'panel', background: open === 'background', column: open === 'beside' ? vscode.ViewColumn.Beside : undefined };
}
