import * as vscode from 'vscode';
import type { PermissionMode } from '../protocol/permissions.ts';
import type { EngineOptions } from '../sdk/index.ts';

export interface Settings {
  /** '' = the default. */
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly allowBypass: boolean;
  /** USD; undefined = no limit. */
  readonly maxBudgetUsd: number | undefined;
  /** USD; undefined = no reminder. */
  readonly costReminderUsd: number | undefined;
  /** By model, as the user wrote them. */
  readonly prices: { readonly [model: string]: unknown };
  readonly baseUrl: string;
  /** Numbers to a collector of the user's own. */
  readonly telemetry: boolean;
  readonly home: string;
  /** What goes to the engine as it is. */
  readonly engine: Pick<EngineOptions, 'titles' | 'webSearch' | 'unattended' | 'maxOutputTokensPerTurn' | 'shellEnvironment' | 'fileHistory' | 'mcp'>;
  /** Of the bucket; '' = no mirror. */
  readonly mirrorUrl: string;
  readonly mirrorRegion: string;
  readonly mirrorPrefix: string;
}

export function readSettings(): Settings {
  const section = vscode.workspace.getConfiguration('turnstone');
  const allowBypass = section.get<boolean>('allowBypass', false);
  const budget = section.get<number>('maxBudgetUsd', 0);
  const reminder = section.get<number>('costReminderUsd', 5);
  return {
    model: section.get<string>('model', '').trim(),
    permissionMode: allowedMode(section.get<string>('permissionMode', 'default'), allowBypass),
    allowBypass,
    maxBudgetUsd: budget > 0 ? budget : undefined,
    costReminderUsd: reminder > 0 ? reminder : undefined,
    prices: section.get<{ [model: string]: unknown }>('prices', {}),
    telemetry: section.get<boolean>('telemetry', false),
    baseUrl: section.get<string>('baseUrl', '').trim(),
    home: section.get<string>('home', '').trim(),
    engine: engineSettings(section),
    mirrorUrl: section.get<string>('mirror.url', '').trim(),
    mirrorRegion: section.get<string>('mirror.region', '').trim(),
    mirrorPrefix: section.get<string>('mirror.prefix', '').trim(),
  };
}

function engineSettings(section: vscode.WorkspaceConfiguration): Settings['engine'] {
  const outputTokens = section.get<number>('maxOutputTokensPerTurn', 0);
  return {
    titles: section.get<boolean>('titles', true),
    webSearch: section.get<boolean>('webSearch', false),
    unattended: section.get<boolean>('unattended', false),
    maxOutputTokensPerTurn: outputTokens > 0 ? outputTokens : undefined,
    shellEnvironment: { keep: section.get<string[]>('keepEnvironment', []).filter((name) => typeof name === 'string') },
    fileHistory: section.get<boolean>('fileHistory', true),
    mcp: { servers: () => vscode.workspace.getConfiguration('turnstone').get<unknown>('mcpServers', {}), source: 'the setting turnstone.mcpServers' },
  };
}

function allowedMode(mode: string, allowBypass: boolean): PermissionMode {
  if (mode === 'acceptEdits' || mode === 'plan') return mode;
  return mode === 'bypassPermissions' && allowBypass ? mode : 'default';
}
