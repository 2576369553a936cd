import type { WireBlock } from './apiTypes.ts';

interface BlockFields {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** Fields by block type, from the parameter types of the public SDK, version 1.14.0. */
const fieldsByType: Readonly<Record<string, BlockFields>> = {
  text: { required: ['text'], optional: ['cache_control', 'citations'] },
  image: { required: ['source'], optional: ['cache_control', 'transformations'] },
  document: { required: ['source'], optional: ['cache_control', 'citations', 'context', 'title'] },
  search_result: { required: ['content', 'source', 'title'], optional: ['cache_control', 'citations'] },
  thinking: { required: ['thinking', 'signature'], optional: [] },
  redacted_thinking: { required: ['data'], optional: [] },
  tool_use: { required: ['id', 'name', 'input'], optional: ['cache_control', 'caller', 'toolset_name'] },
  tool_result: { required: ['tool_use_id'], optional: ['content', 'is_error', 'cache_control', 'toolset_name'] },
  tool_reference: { required: ['tool_name'], optional: ['cache_control'] },
  server_tool_use: { required: ['id', 'name', 'input'], optional: ['cache_control', 'caller'] },
  web_search_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control', 'caller'] },
  web_fetch_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control', 'caller'] },
  code_execution_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control'] },
  bash_code_execution_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control'] },
  text_editor_code_execution_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control'] },
  tool_search_tool_result: { required: ['tool_use_id', 'content'], optional: ['cache_control'] },
  container_upload: { required: ['file_id'], optional: ['cache_control'] },
  compaction: { required: ['content'], optional: ['cache_control', 'signature'] },
  fallback: { required: [], optional: ['from', 'to'] },
};

const stringFields = new Set(['text', 'thinking', 'signature', 'data', 'id', 'name', 'tool_use_id']);

/** Unknown, missing and wrongly typed fields of one block; `path` is its place in the request (`messages.0.content.1`). */
export function validateBlockFields(block: WireBlock, path: string): string | undefined {
  const fields = fieldsByType[block.type];
  if (fields === undefined) {
    const tags = Object.keys(fieldsByType).map(tag => `'${tag}'`).join(', ');
    return `${path}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: ${tags}`;
  }
  for (const field of fields.required) {
    if (block[field] === undefined) return `${path}.${block.type}.${field}: Field required`;
    if (stringFields.has(field) && typeof block[field] !== 'string') {
      return `${path}.${block.type}.${field}: Input should be a valid string`;
    }
  }
  for (const field of Object.keys(block)) {
    if (field === 'type' || fields.required.includes(field) || fields.optional.includes(field)) continue;
    return `${path}.${block.type}.${field}: Extra inputs are not permitted`;
  }
  return validateCall(block, path) ?? validateCacheControl(block['cache_control'], `${path}.${block.type}`);
}

/** A `cache_control` field, on a block or a tool. */
export function validateCacheControl(mark: unknown, path: string): string | undefined {
  if (mark === undefined || mark === null) return undefined;
  const { type, ttl, ...others } = mark as Record<string, unknown>;
  if (type !== 'ephemeral') return `${path}.cache_control: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'ephemeral'`;
  if (ttl !== undefined && ttl !== '5m' && ttl !== '1h') return `${path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`;
  const [extra] = Object.keys(others);
  return extra === undefined ? undefined : `${path}.cache_control.ephemeral.${extra}: Extra inputs are not permitted`;
}

function validateCall(block: WireBlock, path: string): string | undefined {
  if (block.type !== 'tool_use' && block.type !== 'server_tool_use') return undefined;
  const input = block['input'];
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(String(block['name']))) return `${path}.${block.type}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isObject ? undefined : `${path}.${block.type}.input: Input should be a valid dictionary`;
}
