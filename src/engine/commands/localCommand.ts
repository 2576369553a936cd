import { formatUsd } from '../cost/formatUsd.ts';
import { MODELS, resolveModel } from '../model/modelCatalog.ts';
import type { Session } from '../session.ts';

const help = `Commands answered here, without a request:
/cost — what this session has cost so far
/context — how full the context window is
/model [name] — show the model, or use another from the next request on
/help — this list`;

/** The answer to a slash command that needs no request; undefined when the prompt is for the model. */
export function runLocalCommand(prompt: string, session: Session): string | undefined {
  const [, name, argument = ''] = /^\/(\w+)(?:\s+(.*))?\s*$/.exec(prompt) ?? [];
  switch (name) {
    case 'help':
      return help;
    case 'cost':
      return costText(session);
    case 'context':
      return contextText(session);
    case 'model':
      return modelText(argument, session);
    default:
      return undefined;
  }
}

function costText({ cost }: Session): string {
  const rows = Object.entries(cost.modelUsage).map(
    ([model, use]) => `${model}: ${formatUsd(use.costUSD)} (${use.inputTokens} in, ${use.outputTokens} out, ${use.cacheReadInputTokens} from the cache)`,
  );
  return [`This session: ${formatUsd(cost.totalCostUsd)}`, ...rows].join('\n');
}

function contextText({ contextUse }: Session): string {
  return `About ${contextUse.used} of ${contextUse.window} tokens are in use (${Math.round((contextUse.used / contextUse.window) * 100)} %).`;
}

function modelText(name: string, session: Session): string {
  if (!name) return `The model is ${session.model}. Known: ${MODELS.map((model) => model.id).join(', ')}.`;
  session.setModel(resolveModel(name));
  return `From the next request on, ${session.model} answers.`;
}
