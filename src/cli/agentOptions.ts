import type { EngineOptions } from '../sdk/index.ts';
import type { ChosenEndpoint } from './chooseEndpoint.ts';
import type { AgentArguments } from './parseArguments.ts';

/** The arguments about the agent, as the engine takes them. */
export function agentOptions(args: AgentArguments, chosen: ChosenEndpoint): Omit<EngineOptions, 'cwd' | 'canUseTool'> {
  const { fallbackModel, permissionMode, maxTurns, maxBudgetUsd, unattended, permissionRules } = args;
  return {
    endpoint: chosen.endpoint,
    model: args.model ?? chosen.model,
    fallbackModel,
    permissionMode,
    maxTurns,
    maxBudgetUsd,
    maxOutputTokensPerTurn: args.maxOutputTokens,
    unattended,
    permissionRules,
    shellEnvironment: { keep: args.keepVariables },
  };
}
