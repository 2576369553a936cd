import type { MessagesRequest, WireBlock } from './apiTypes.ts';
import { validateBlockFields } from './validateBlockFields.ts';
import { validateMessages } from './validateMessages.ts';
import { validateThinking } from './validateThinking.ts';
import type { SentMessages } from './sentMessages.ts';
import { validateTools } from './validateTools.ts';

/** What the API would know besides the body. */
export interface ValidationContext {
  /** The answers given so far: thinking blocks have to come back as they were sent. */
  readonly sent?: SentMessages | undefined;
  /** The `anthropic-version` header. Versions before 2026 still know the sampling fields. */
  readonly apiVersion?: string | undefined;
  /** The `anthropic-beta` header; beta fields are unknown without it. */
  readonly beta?: string | undefined;
  /** The largest `max_tokens` for a model, in tokens. */
  readonly maxOutputTokens?: ((model: string) => number) | undefined;
}

const topLevelFields = new Set([
  'model', 'messages', 'max_tokens', 'system', 'tools', 'tool_choice', 'stream', 'stop_sequences', 'thinking', 'metadata',
  'output_config', 'service_tier', 'speed', 'cache_control', 'container', 'diagnostics', 'inference_geo', 'user_profile_id',
  'workspace_id',
]);
const fieldsBefore2026 = new Set(['temperature', 'top_p', 'top_k']);
const betaFields = new Set(['context_management', 'mcp_servers', 'fallbacks', 'output_format']);

/**
 * Says what the Messages API would say against a request: the message of its `invalid_request_error` (status 400), or
 * undefined. Never throws, whatever the body is. Pure.
 */
export function validateRequest(body: unknown, context: ValidationContext = {}): string | undefined {
  if (!isRecord(body)) return 'The request body is not a JSON object';
  return (
    validateUnicode(body) ??
    validateTopLevel(body, context) ??
    validateSystem(body['system']) ??
    validateTools(body['tools'], body['tool_choice']) ??
    validateMessages(body['messages'], body['tools']) ??
    validateCacheMarks(body) ??
    (context.sent === undefined ? undefined : validateThinking(body as unknown as MessagesRequest, context.sent))
  );
}

/** The API's own JSON reader refuses an escaped half of a surrogate pair, wherever in the body it stands. */
function validateUnicode(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'The request body is not valid JSON: no low surrogate in string';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const problem = validateUnicode(name) ?? validateUnicode(field);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The API documents 128k for the 5.x models and 64k for the 4.5 ones. */
function defaultMaxOutputTokens(model: string): number {
  return /-4-5\b/.test(model) ? 64_000 : 128_000;
}

function validateTopLevel(body: Record<string, unknown>, context: ValidationContext): string | undefined {
  for (const field of Object.keys(body)) {
    if (!isKnownField(field, context)) return `${field}: Extra inputs are not permitted`;
  }
  if (typeof body['model'] !== 'string' || body['model'] === '') return 'model: Field required';
  if (body['stream'] !== undefined && typeof body['stream'] !== 'boolean') return 'stream: Input should be a valid boolean';
  return validateMaxTokens(body, context) ?? validateThinkingConfig(body);
}

function isKnownField(field: string, context: ValidationContext): boolean {
  if (topLevelFields.has(field)) return true;
  if (fieldsBefore2026.has(field)) return (context.apiVersion ?? '2026') < '2026';
  return betaFields.has(field) && (context.beta ?? '') !== '';
}

function validateMaxTokens(body: Record<string, unknown>, context: ValidationContext): string | undefined {
  const maxTokens = body['max_tokens'];
  if (maxTokens === undefined) return 'max_tokens: Field required';
  if (typeof maxTokens !== 'number' || !Number.isInteger(maxTokens)) return 'max_tokens: Input should be a valid integer';
  if (maxTokens < 1) return 'max_tokens: Input should be greater than or equal to 1';
  const model = String(body['model']);
  const most = (context.maxOutputTokens ?? defaultMaxOutputTokens)(model);
  if (maxTokens <= most) return undefined;
  return `max_tokens: ${maxTokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`;
}

function validateThinkingConfig(body: Record<string, unknown>): string | undefined {
  const thinking = body['thinking'];
  if (thinking === undefined) return undefined;
  if (!isRecord(thinking)) return 'thinking: Input should be an object';
  const type = String(thinking['type']);
  if (!['enabled', 'disabled', 'adaptive', 'between_tools'].includes(type)) {
    return `thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`;
  }
  if (type !== 'enabled') return undefined;
  const budget = thinking['budget_tokens'];
  if (typeof budget !== 'number') return 'thinking.enabled.budget_tokens: Field required';
  if (budget < 1024) return 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
  if (budget >= Number(body['max_tokens'])) return '`max_tokens` must be greater than `thinking.budget_tokens`';
  return undefined;
}

function validateSystem(system: unknown): string | undefined {
  if (system === undefined || typeof system === 'string') return undefined;
  if (!Array.isArray(system)) return 'system: Input should be a valid list';
  for (const [index, block] of system.entries()) {
    if (!isRecord(block) || block['type'] !== 'text') return `system.${index}.type: Input should be 'text'`;
    const problem = validateBlockFields(block as WireBlock, `system.${index}`);
    if (problem !== undefined) return problem;
    if (String(block['text']).trim() === '') return 'system: text content blocks must be non-empty';
  }
  return undefined;
}

function validateCacheMarks(body: Record<string, unknown>): string | undefined {
  const found = countMarks([body['system'], body['tools'], body['messages']]) + (isRecord(body['cache_control']) ? 1 : 0);
  return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
}

/** Marks stand on blocks, tools, and blocks inside tool results; what a tool call's input holds is the model's own. */
function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMarks(item), 0);
  if (!isRecord(value)) return 0;
  return (isRecord(value['cache_control']) ? 1 : 0) + countMarks(value['content']);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
