import { billingNote } from '../base/demoModel.ts';
import type { PanelStatus } from '../protocol/chatView.ts';
import type { Session } from '../sdk/index.ts';
import { sessionCost } from './costTooltip.ts';
import { readSettings } from './settings.ts';

export function panelStatus(session: Session, demo: boolean): PanelStatus {
  return {
    model: session.model,
    permissionMode: session.permissionMode,
    mayBypass: readSettings().allowBypass,
    demo,
    // Without a key the demo answers, and the panel says how to set one.
    needsKey: false,
    cost: sessionCost(session.cost),
    costNote: billingNote(Object.keys(session.cost.modelUsage)),
    contextShare: contextShare(session),
  };
}

/** 0..1 */
export function contextShare({ contextUse }: Pick<Session, 'contextUse'>): number {
  return contextUse.window > 0 ? Math.min(1, contextUse.used / contextUse.window) : 0;
}
