// What a host is made of. code-server carries the workbench and the extension host of VS Code; everything comes from npm.

/**
 * code-server's versions that are used, and the Node each of them needs: `project` is the project's own Node, anything
 * else a version of the npm package `node-<platform>-<arch>`. The newest is the default, the other one our floor.
 */
export const hostVersions = {
  '4.139.1': { vscode: '1.139.1', node: 'project' },
  '4.106.3': { vscode: '1.106.3', node: '22' },
};
export const defaultHostVersion = '4.139.1';

/** The dependencies that server, extension host, watcher, terminals and web client really load; the other half is left out. */
export const keptDependencies = new Set([
  '@microsoft/1ds-core-js', '@microsoft/1ds-post-js', '@parcel/watcher', '@vscode/deviceid', '@vscode/iconv-lite-umd',
  '@vscode/proxy-agent', '@vscode/ripgrep', '@vscode/ripgrep-universal', '@vscode/vscode-languagedetection',
  '@xterm/addon-clipboard', '@xterm/addon-image', '@xterm/addon-ligatures', '@xterm/addon-progress', '@xterm/addon-search',
  '@xterm/addon-serialize', '@xterm/addon-unicode11', '@xterm/addon-webgl', '@xterm/headless', '@xterm/xterm', 'cookie',
  'http-proxy-agent', 'https-proxy-agent', 'jschardet', 'katex', 'minimist', 'node-pty', 'tas-client', 'tas-client-umd', 'undici',
  'vscode-oniguruma', 'vscode-regexpp', 'vscode-textmate', 'ws', 'yauzl', 'yazl',
]);

/**
 * Built-in extensions that ask a network or only add weight. The web client has a list of its own of those that start by
 * themselves (emmet, npm, extension-editing, github-authentication): they stay, or it would report them as broken.
 */
export const droppedExtensions = [
  'copilot', 'github', 'microsoft-authentication', 'mermaid-markdown-features', 'tunnel-forwarding', 'ms-vscode.js-debug',
  'ms-vscode.js-debug-companion', 'ms-vscode.vscode-js-profile-table', 'terminal-suggest', 'debug-auto-launch',
  'debug-server-ready', 'grunt', 'gulp', 'jake', 'php-language-features', 'simple-browser', 'notebook-renderers', 'ipynb',
];

/** 1.106 takes the watcher from a git repository and lets ripgrep download itself; npm has both, prebuilt. */
export const publishedWatcher = '2.5.6';
export const publishedRipgrep = '@vscode/ripgrep-universal@1.18.0';
