import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import * as vscode from 'vscode';
import { readSettings } from '../../src/vscode/settings.ts';
import { extensionApi } from './extensionApi.ts';

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
  };
}

describe('What Turnstone adds to VS Code', () => {
  before(async function () {
    const extension = vscode.extensions.getExtension('turnstone.turnstone');
    const alreadyActive = extension?.isActive;
    const start = performance.now();
    await extensionApi();
    // For people to look at; a loaded machine decides how long it takes.
    console.log(alreadyActive ? 'activation: was active before' : `activation: ${(performance.now() - start).toFixed(0)} ms with loading`);
  });

  it('has every command of its manifest', async () => {
    const { contributes } = manifest();
    const known = new Set(await vscode.commands.getCommands(true));
    const missing = contributes.commands.map(({ command }) => command).filter((command) => !known.has(command));
    assert.deepEqual(missing, []);
    const titles = contributes.commands.map(({ title }) => title);
    assert.ok(titles.includes('Rewind to Message…') && titles.every((title) => !title.includes('%')), titles.join(', '));
  });

  it('describes every setting', () => {
    const { contributes } = manifest();
    for (const [name, setting] of Object.entries(contributes.configuration.properties)) {
      assert.match(String(setting['markdownDescription']), /^[A-Z].{20,}/, name);
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(name)?.defaultValue, setting['default'], name);
    }
  });

  it('hands the settings of the engine on', async () => {
    const none = { titles: true, webSearch: false, unattended: false, maxOutputTokensPerTurn: undefined, shellEnvironment: { keep: [] }, fileHistory: true, mcpServers: {} };
    const handedOn = (): object => {
      const { mcp, ...engine } = readSettings().engine;
      return { ...engine, mcpServers: mcp?.servers?.() };
    };
    assert.deepEqual(handedOn(), none);
    const { mcp: before } = readSettings().engine;
    const mcpServers = { db: { command: 'npx', args: ['db-mcp'] } };
    const chosen = { webSearch: true, unattended: true, maxOutputTokensPerTurn: 5_000, keepEnvironment: ['GH_TOKEN'], fileHistory: false, mcpServers };
    const set = async (values: object): Promise<void> => {
      for (const [name, value] of Object.entries(values)) await vscode.workspace.getConfiguration('turnstone').update(name, value, vscode.ConfigurationTarget.Global);
    };
    try {
      await set(chosen);
      assert.deepEqual(handedOn(), { titles: true, webSearch: true, unattended: true, maxOutputTokensPerTurn: 5_000, shellEnvironment: { keep: ['GH_TOKEN'] }, fileHistory: false, mcpServers });
      assert.deepEqual(before?.servers?.(), mcpServers, 'servers are read anew by a session that is open');
    } finally {
      await set(Object.fromEntries(Object.keys(chosen).map((name) => [name, undefined])));
    }
    assert.deepEqual(handedOn(), none);
  });
});

function manifest(): Manifest {
  const extension = vscode.extensions.getExtension('turnstone.turnstone');
  assert.ok(extension);
  return extension.packageJSON as Manifest;
}
