import { modeLabels, modeOfWord } from '../../base/modeLabels.ts';
import { DEMO_MODEL } from '../../base/demoModel.ts';
import { effortSchema, thinkingChoiceSchema } from '../../protocol/reasoning.ts';
import { permissionModeSchema } from '../../protocol/permissions.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import { MODELS, modelInfo } from '../model/modelCatalog.ts';
import { minBudget, whyNotTaken } from '../model/reasoning.ts';
import type { Session } from '../session.ts';

export function contextText({ contextUse }: Session): string {
  return `About ${count(contextUse.used)} of ${count(contextUse.window)} tokens are in use (${Math.round((contextUse.used / contextUse.window) * 100)} %).`;
}

export function modelText(name: string, session: Session): string {
  if (session.model === DEMO_MODEL) return 'The demo model is answering, and there is no other one without an API key. With a key a model can be chosen.';
  if (!name) return `The model is ${session.model}. Known: ${MODELS.map((model) => model.id).join(', ')}.`;
  session.setModel(name);
  const { contextWindow, maxOutput } = modelInfo(session.model);
  return `From the next request on, ${session.model} answers (window ${count(contextWindow)} tokens, answers of up to ${count(maxOutput)}). What was said so far stays.`;
}

export function effortText(level: string, session: Session): string {
  if (!level) return `The effort is ${session.effort ?? 'left to the model'}. ${session.model} takes ${modelInfo(session.model).efforts.join(', ') || 'none'}; "auto" leaves it to the model.`;
  const effort = effortSchema.safeParse(level.toLowerCase());
  if (!effort.success && level.toLowerCase() !== 'auto') return `There is no effort "${level}". Use low, medium, high, max or auto.`;
  session.setEffort(effort.data);
  const note = whyNotTaken(session.model, { effort: effort.data });
  return [`From the next request on, the effort is ${effort.data ?? 'left to the model'}.`, ...(note ? [note] : [])].join(' ');
}

export function thinkingText(choice: string, session: Session): string {
  if (!choice) return `Thinking is ${session.thinking ?? 'left to the model'}. Use /thinking off, auto, a number of tokens, or default.`;
  const wanted = /^\d+$/.test(choice) ? Number(choice) : choice.toLowerCase();
  const thinking = thinkingChoiceSchema.safeParse(wanted);
  if (!thinking.success && wanted !== 'default') return `"${choice}" is no way to think. Use off, auto, a number of tokens from ${minBudget}, or default.`;
  session.setThinking(thinking.data);
  const note = whyNotTaken(session.model, { thinking: thinking.data });
  return [`From the next request on, thinking is ${thinking.data ?? 'left to the model'}.`, ...(note ? [note] : [])].join(' ');
}

const modeMeanings: { readonly [mode in PermissionMode]: string } = {
  default: 'you are asked before each edit and command',
  acceptEdits: 'edits inside the workspace go through, commands are asked about',
  plan: 'nothing is run and nothing is changed',
  bypassPermissions: 'nothing is asked',
};

export function permissionsText(typed: string, session: Session): string {
  const modes = permissionModeSchema.options;
  const lines = modes.map((mode) => `${mode === session.permissionMode ? '→' : ' '} ${modeLabels[mode]}: ${modeMeanings[mode]}`);
  if (!typed) return `Permission mode: ${modeLabels[session.permissionMode]}\n${lines.join('\n')}`;
  const mode = modeOfWord(typed);
  if (!mode) return `There is no permission mode "${typed}".\n${lines.join('\n')}`;
  if (mode === 'bypassPermissions') return 'Bypassing all questions can’t be switched on by a command: choose it in the settings, or when the session is started.';
  session.setPermissionMode(mode);
  return `Permission mode: ${modeLabels[mode]}: ${modeMeanings[mode]}.`;
}

function count(amount: number): string {
  return amount.toLocaleString('en');
}
