import type { Log } from '../base/log.ts';
import type { EngineOptions } from '../sdk/index.ts';
import type { ChosenEndpoint } from './chooseEndpoint.ts';
import { mcpConfigs } from './mcpConfigs.ts';
import type { AgentArguments } from './parseArguments.ts';
import { readPrices } from './readPrices.ts';

/** The arguments about the agent, as the engine takes them. Throws `invalid_input` when there are no prices where they were said to be. */
export function agentOptions(args: AgentArguments, chosen: ChosenEndpoint, log: Log): Omit<EngineOptions, 'cwd' | 'canUseTool'> {
  const { fallbackModel, permissionMode, maxTurns, maxBudgetUsd, unattended, permissionRules } = args;
  const isOther = (model: string | undefined): boolean => chosen.model !== undefined && model !== undefined && model !== chosen.model;
  if (isOther(args.model) || isOther(fallbackModel)) log.warn('The demo model answers: with --demo there is no other one, so --model and --fallback-model are left aside.');
  return {
    endpoint: chosen.endpoint,
    // An endpoint that knows only one model is not asked for another.
    model: chosen.model ?? args.model,
    fallbackModel: chosen.model === undefined ? fallbackModel : undefined,
    permissionMode,
    maxTurns,
    maxBudgetUsd,
    prices: args.prices === undefined ? undefined : readPrices(args.prices),
    maxOutputTokensPerTurn: args.maxOutputTokens,
    unattended,
    permissionRules,
    mcp: mcpConfigs(args.mcpConfigs),
    shellEnvironment: { keep: args.keepVariables },
  };
}
