import { validateCacheControl } from './validateBlockFields.ts';

const toolFields = new Set([
  'name', 'description', 'input_schema', 'type', 'cache_control', 'strict', 'defer_loading', 'allowed_callers',
  'eager_input_streaming', 'input_examples',
]);
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** The `tools` and `tool_choice` of a request, as the API checks them. */
export function validateTools(tools: unknown, toolChoice: unknown): string | undefined {
  if (tools === undefined) return toolChoice === undefined ? undefined : 'tool_choice may only be specified while providing tools';
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const problem = validateTool(tool as Record<string, unknown>, `tools.${index}`);
    if (problem !== undefined) return problem;
    const name = String((tool as Record<string, unknown>)['name']);
    if (names.has(name)) return 'tools: Tool names must be unique.';
    names.add(name);
  }
  return validateToolChoice(toolChoice, names);
}

function validateTool(tool: Record<string, unknown>, path: string): string | undefined {
  if (typeof tool !== 'object' || tool === null) return `${path}: Input should be an object`;
  // Server tools (`web_search_20260318` …) are described by their own types and carry no schema.
  if (tool['type'] !== undefined && tool['type'] !== null && tool['type'] !== 'custom') return validateName(tool, `${path}.${String(tool['type'])}`);
  for (const field of Object.keys(tool)) {
    if (!toolFields.has(field)) return `${path}.custom.${field}: Extra inputs are not permitted`;
  }
  return (
    validateName(tool, `${path}.custom`) ??
    validateSchema(tool['input_schema'], `${path}.custom.input_schema`) ??
    validateCacheControl(tool['cache_control'], `${path}.custom`)
  );
}

function validateName(tool: Record<string, unknown>, path: string): string | undefined {
  if (typeof tool['name'] !== 'string') return `${path}.name: Field required`;
  return namePattern.test(tool['name']) ? undefined : `${path}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
}

function validateSchema(schema: unknown, path: string): string | undefined {
  if (schema === undefined) return `${path}: Field required`;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return `${path}: Input should be an object`;
  const { type, ...rest } = schema as Record<string, unknown>;
  if (type === undefined) return `${path}.type: Field required`;
  if (type !== 'object') return `${path}.type: Input should be 'object'`;
  const combined = ['oneOf', 'anyOf', 'allOf'].find(keyword => rest[keyword] !== undefined);
  if (combined !== undefined) return `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  return undefined;
}

function validateToolChoice(toolChoice: unknown, names: ReadonlySet<string>): string | undefined {
  if (toolChoice === undefined) return undefined;
  const { type, name } = toolChoice as Record<string, unknown>;
  if (!['auto', 'any', 'tool', 'none'].includes(String(type))) return `tool_choice: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'`;
  if (type === 'tool' && !names.has(String(name))) return `Tool '${String(name)}' not found in provided tools`;
  return undefined;
}
