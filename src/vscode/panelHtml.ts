export interface PanelPage {
  /** The webview's own source of resources, for the policy. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  readonly iconStyleUri: string;
  /** Fresh for every page: only scripts that carry it run. */
  readonly nonce: string;
}

/**
 * The page of the chat panel. Nothing remote is loaded, no inline script runs; styles come from files,
 * and single properties are set by script, which the policy does not concern.
 */
export function panelHtml(page: PanelPage): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy(page)}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" id="vscode-codicon-stylesheet" href="${page.iconStyleUri}">
  <link rel="stylesheet" href="${page.styleUri}">
  <title>Turnstone</title>
</head>
<body>
  <div id="root"><p class="page-waits">${waits}</p></div>
  <script type="module" nonce="${page.nonce}" src="${page.scriptUri}"></script>
</body>
</html>`;
}

/** Stays only where the script cannot be loaded: better than a grey panel. */
const waits = 'If the panel stays like this, run “Turnstone: Reload Panel” from the command palette. Your sessions are on disk, and nothing is lost.';

function policy({ cspSource, nonce }: PanelPage): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} data:`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** 128 bits, in characters that need no escaping. */
export function newNonce(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
