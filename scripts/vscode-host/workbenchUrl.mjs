import path from 'node:path';

/**
 * The address that opens the workbench.
 * @param {URL} serverUrl as `startServer` returns it
 * @param {{ workspace?: string, extension?: string, tests?: string }} options folders as absolute paths; `workspace`
 *   may be a .code-workspace file; `tests` is a bundled module with a `run` function, started by the extension host
 */
export function workbenchUrl(serverUrl, { workspace, extension, tests }) {
  const remote = (file) => `vscode-remote://${serverUrl.host}${encodeURI(path.resolve(file))}`;
  const payload = [['skipWelcome', 'true'], ['skipReleaseNotes', 'true']];
  if (extension) {
    payload.push(['extensionDevelopmentPath', remote(extension)], ['extensionDevelopmentKind', 'workspace']);
  }
  if (tests) {
    payload.push(['extensionTestsPath', remote(tests)]);
  }
  const url = new URL(serverUrl);
  if (workspace) {
    url.searchParams.set(workspace.endsWith('.code-workspace') ? 'workspace' : 'folder', path.resolve(workspace));
  } else {
    url.searchParams.set('ew', 'true'); // an empty window, not the last one
  }
  url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}
