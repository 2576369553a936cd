import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import * as vscode from 'vscode';
import { costTooltip } from '../../src/vscode/statusBar.ts';
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
      assert.equal(vscode.workspace.getConfiguration().inspect(name)?.defaultValue, setting['default'], name);
    }
  });

  it('explains the cost with a row per model', () => {
    const usage = { inputTokens: 1200, outputTokens: 34, cacheReadInputTokens: 5, cacheCreation5mInputTokens: 6, cacheCreation1hInputTokens: 1, webSearchRequests: 0, costUSD: 0.42, contextWindow: 200_000, maxOutputTokens: 32_000 };
    const cost = { totalCostUsd: null, knownCostUsd: 0.42, lines: [], turnDurationMs: 2000, apiDurationMs: 1500, apiDurationWithoutRetriesMs: 1500, toolDurationMs: 250, linesAdded: 3, linesRemoved: 1, modelUsage: { known: usage, odd: { ...usage, costUSD: null } } };
    const { value } = costTooltip(cost, { used: 76_000, window: 200_000 }, (usd) => (usd === null ? 'price unknown' : `$${usd}`));
    assert.match(value, /\| known \| 1,200 \| 34 \| 7 \| 5 \| \$0\.42 \|\n\| odd .* price unknown \|/);
    assert.match(value, /Context: 76,000 of 200,000 tokens · Model 1\.5 s, tools 0\.3 s · Lines: \+3 −1/);
  });
});

function manifest(): Manifest {
  const extension = vscode.extensions.getExtension('turnstone.turnstone');
  assert.ok(extension);
  return extension.packageJSON as Manifest;
}
