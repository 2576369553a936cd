import { homedir, platform, release } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from '../engine/ports.ts';

/** Turnstone's own folder: `TURNSTONE_HOME`, else `~/.turnstone`. */
export function dataRootFrom(variables: Readonly<Record<string, string | undefined>> = process.env): string {
  const chosen = variables['TURNSTONE_HOME'];
  return chosen ? resolve(chosen) : join(homedir(), '.turnstone');
}

/** Where Claude Code keeps its sessions: `CLAUDE_CONFIG_DIR`, else `~/.claude`. Read, never written. */
export function claudeRootFrom(variables: Readonly<Record<string, string | undefined>> = process.env): string {
  const chosen = variables['CLAUDE_CONFIG_DIR'];
  return chosen ? resolve(chosen) : join(homedir(), '.claude');
}

export function nodeEnvironment(version: string, dataRoot = dataRootFrom()): Environment {
  return { platform: platform(), osVersion: release(), homeFolder: homedir(), dataRoot, version };
}
