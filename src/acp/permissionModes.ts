import type * as acp from '@agentclientprotocol/sdk';
import { TurnstoneError } from '../base/errors.ts';
import { modeLabels, modeWords } from '../base/modeLabels.ts';
import type { PermissionMode } from '../protocol/permissions.ts';

const descriptions: { readonly [mode in PermissionMode]: string } = {
  default: 'Edits and commands are asked about.',
  acceptEdits: 'Edits inside the folder go through; commands are asked about.',
  plan: 'Nothing is changed.',
  bypassPermissions: 'Nothing is asked.',
};

export function modeId(mode: PermissionMode): string {
  return modeWords[mode];
}

/** The mode that asks nothing is offered only where the process was started with it. */
export function modeState(current: PermissionMode, mayBypass: boolean): acp.SessionModeState {
  return { currentModeId: modeWords[current], availableModes: offered(mayBypass).map((mode) => ({ id: modeWords[mode], name: modeLabels[mode], description: descriptions[mode] })) };
}

/** Throws `invalid_input` for a mode that is not offered. */
export function modeOf(id: string, mayBypass: boolean): PermissionMode {
  const mode = offered(mayBypass).find((each) => modeWords[each] === id);
  if (mode) return mode;
  if (id === modeWords.bypassPermissions) throw new TurnstoneError('invalid_input', 'The mode that asks nothing can only be used when Turnstone was started with --permission-mode bypass. The mode is as it was.');
  throw new TurnstoneError('invalid_input', `The mode is one of ${offered(mayBypass).map((each) => modeWords[each]).join(', ')}, not "${id}". It is as it was.`);
}

function offered(mayBypass: boolean): readonly PermissionMode[] {
  return mayBypass ? ['default', 'acceptEdits', 'plan', 'bypassPermissions'] : ['default', 'acceptEdits', 'plan'];
}
