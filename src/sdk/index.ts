/** The only door to the engine: hosts and embedding programs import from here and from nowhere else. */
export { createEngine, DEFAULT_BASE_URL } from './createEngine.ts';
export { ask } from './ask.ts';
export { latestSessionId, listSessions } from './sessions.ts';
export { startDemoModel } from './demo.ts';
export type { RunningDemoModel } from './demo.ts';
export type { Endpoint, EngineOptions } from './options.ts';
export { QueryEngine } from '../engine/queryEngine.ts';
export type { ContextUse, CostSummary, LongWait, PendingPermission, RetryPreferences, Session, SubmitOptions } from '../engine/session.ts';
export { parseRule } from '../engine/permissions/permissionRule.ts';
export type { Documents } from '../engine/ports.ts';
export { DEFAULT_MODEL, DEMO_MODEL, MODELS, modelInfo, resolveModel } from '../engine/model/modelCatalog.ts';
export type { ModelInfo } from '../engine/model/modelCatalog.ts';
export { ReadFileState } from '../engine/tools/readFileState.ts';
export type { SlashCommandInfo } from '../engine/commands/slashCommand.ts';
export { describeTool } from '../engine/tools/describeTool.ts';
export { formatUsd } from '../engine/cost/formatUsd.ts';
export { isPretendPrice } from '../engine/cost/pricing.ts';
