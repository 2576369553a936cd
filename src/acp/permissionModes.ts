import type * as acp from '@agentclientprotocol/sdk';
import { TurnstoneError } from '../base/errors.ts';
import { modeLabels } from '../base/modeLabels.ts';
import type { PermissionMode } from '../protocol/permissions.ts';

/** The words of the command line, which clients keep in their settings. */
const modeIds = { default: 'ask', acceptEdits: 'accept-edits', plan: 'plan', bypassPermissions: 'bypass' } as const;

const descriptions: { readonly [mode in PermissionMode]: string } = {
  default: 'Edits and commands are asked about.',
  acceptEdits: 'Edits inside the folder go through; commands are asked about.',
  plan: 'Nothing is changed.',
  bypassPermissions: 'Nothing is asked.',
};

export function modeId(mode: PermissionMode): string {
  return modeIds[mode];
}

/** The mode that asks nothing is offered only where the process was started with it. */
export function modeState(current: PermissionMode, mayBypass: boolean): acp.SessionModeState {
  return { currentModeId: modeIds[current], availableModes: offered(mayBypass).map((mode) => ({ id: modeIds[mode], name: modeLabels[mode], description: descriptions[mode] })) };
}

/** Throws `invalid_input` for a mode that is not offered. */
export function modeOf(id: string, mayBypass: boolean): PermissionMode {
  const mode = offered(mayBypass).find((each) => modeIds[each] === id);
  if (mode) return mode;
  if (id === modeIds.bypassPermissions) throw new TurnstoneError('invalid_input', 'The mode that asks nothing can only be used when Turnstone was started with --permission-mode bypass. The mode is as it was.');
  throw new TurnstoneError('invalid_input', `The mode is one of ${offered(mayBypass).map((each) => modeIds[each]).join(', ')}, not "${id}". It is as it was.`);
}

function offered(mayBypass: boolean): readonly PermissionMode[] {
  return mayBypass ? ['default', 'acceptEdits', 'plan', 'bypassPermissions'] : ['default', 'acceptEdits', 'plan'];
}
