import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** What needs to be more than nothing. */
const prelude = `
function anything(known = {}) {
  const target = Object.assign(function () {}, known);
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(known, key)) return known[key];
      if (key === 'then') return undefined;
      if (key === Symbol.iterator) return function* () {};
      if (key === Symbol.asyncIterator) return async function* () {};
      if (key === Symbol.toPrimitive) return () => '';
      if (key === 'prototype') return target.prototype;
      if (key === 'dispose') return () => {};
      return anything();
    },
    set: () => true,
    apply: () => anything(),
    construct: (_target, _args, made) => (Object.hasOwn(made, 'prototype') && made.prototype !== target.prototype ? Object.create(made.prototype) : anything()),
  });
}
const folder = globalThis.turnstoneBenchWorkspace;
const uri = { scheme: 'file', fsPath: folder, path: folder, toString: () => 'file://' + folder };
export const workspace = anything({
  workspaceFolders: [{ uri, name: 'bench', index: 0 }],
  isTrusted: true,
  textDocuments: [],
  notebookDocuments: [],
  getConfiguration: () => ({ get: (_key, fallback) => fallback, has: () => false, inspect: () => undefined, update: async () => {} }),
});
export const env = anything({ appRoot: folder, language: 'en', machineId: 'bench', sessionId: 'bench', appName: 'bench', shell: '/bin/sh', uriScheme: 'vscode' });
export const version = '1.106.0';
export class Disposable {
  constructor(action) { this.action = action; }
  dispose() { this.action?.(); }
  static from(...all) { return new Disposable(() => all.forEach((each) => each.dispose())); }
}
`;

/**
 * Source of a `vscode` module whose every member can be called, constructed and read, and does nothing. The names come
 * from the published types, because an ES module has to name what it exports.
 */
export const fakeEditorSource = makeSource();

/** What the editor hands to activate(). */
export function extensionContext(folder) {
  const uri = { scheme: 'file', fsPath: folder, path: folder, toString: () => pathToFileURL(folder).href };
  const memento = { get: (_key, fallback) => fallback, update: async () => {}, keys: () => [], setKeysForSync: () => {} };
  return {
    subscriptions: [],
    extensionUri: uri,
    extensionPath: folder,
    globalStorageUri: uri,
    storageUri: uri,
    logUri: uri,
    globalState: memento,
    workspaceState: memento,
    secrets: { get: async () => undefined, store: async () => {}, delete: async () => {}, onDidChange: () => ({ dispose() {} }) },
    extension: { id: 'turnstone.turnstone', packageJSON: { version: '0.0.0' }, extensionUri: uri, extensionPath: folder },
    extensionMode: 1,
    asAbsolutePath: (path) => `${folder}/${path}`,
    environmentVariableCollection: {},
  };
}

function makeSource() {
  const types = readFileSync(new URL('../../node_modules/@types/vscode/index.d.ts', import.meta.url), 'utf8');
  const names = new Set([...types.matchAll(/^\texport (?:namespace|class|enum|const|function|let) (\w+)/gm)].map((match) => match[1]));
  const own = ['workspace', 'env', 'version', 'Disposable'];
  return `${prelude}\n${[...names].filter((name) => !own.includes(name)).map((name) => `export const ${name} = anything();`).join('\n')}`;
}
