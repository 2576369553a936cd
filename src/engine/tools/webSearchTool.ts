import * as z from 'zod';
import { TurnstoneError } from '../../base/errors.ts';
import { defineTool } from './tool.ts';
import type { Tool } from './tool.ts';

export interface WebSearchOptions {
  /** Searches within one request, each of which costs. Default: 8. */
  readonly maxUses?: number | undefined;
  /** Only these sites; not together with `blockedDomains`. */
  readonly allowedDomains?: readonly string[] | undefined;
  readonly blockedDomains?: readonly string[] | undefined;
}

/** The search that the API runs itself: it is declared by its type, and its results come within the answer. */
export function webSearchTool({ maxUses = 8, allowedDomains, blockedDomains }: WebSearchOptions): Tool {
  return {
    ...webSearch,
    declaration: {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: maxUses,
      ...(allowedDomains && { allowed_domains: allowedDomains }),
      ...(blockedDomains && !allowedDomains && { blocked_domains: blockedDomains }),
    },
  };
}

/** Searches that one request with these tools may come to. */
export function maxWebSearches(tools: readonly Tool[]): number {
  return tools.reduce((sum, { declaration }) => sum + Number(declaration?.['max_uses'] ?? 0), 0);
}

const webSearch = defineTool({
  name: 'WebSearch',
  description: 'Searches the web.',
  input: () => z.object({ query: z.string().describe('What to search for.') }),
  access: 'read',
  concurrencySafe: false,
  async plan() {
    throw new TurnstoneError('invalid_input', 'A web search is not called like this: call web_search.');
  },
  async *run() {
    return { content: 'A web search is not called like this: call web_search.', isError: true };
  },
});
