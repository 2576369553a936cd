import { mcpToolParts } from '../../base/mcpToolParts.ts';
import { cutText, plural } from '../../base/text.ts';

export interface ToolDescription {
  /** One line: "src/cart.ts", "npm test". */
  readonly title: string;
  /** The file the call is about, as the model wrote it. */
  readonly path?: string;
}

const maxTitleLength = 120;

/** What a card says about a call, before it was planned: its input may still be coming in, or be wrong. */
export function describeTool(name: string, input: unknown): ToolDescription {
  const field = (key: string): string => {
    const value = (input as { readonly [field: string]: unknown } | null | undefined)?.[key];
    return typeof value === 'string' ? value : '';
  };
  switch (name) {
    case 'Read':
    case 'Write':
    case 'Edit':
    case 'MultiEdit':
      return fileTitle(name, field('file_path'));
    case 'Symbols':
      return fileTitle(name, field('file_path'));
    case 'Diagnostics':
      return fileTitle(name, field('path'));
    case 'Definition':
    case 'References':
      return { title: placeTitle(field('symbol'), field('file_path')) || name };
    case 'Rename':
      return { title: placeTitle([field('symbol'), field('new_name')].filter(Boolean).join(' → '), field('file_path')) || name };
    case 'Task':
      return { title: oneLine(field('description')) || name };
    case 'WebSearch':
    case 'web_search':
      return { title: oneLine(field('query')) || name };
    case 'WebFetch':
      return { title: oneLine(field('url')) || name };
    case 'NotebookEdit':
      return fileTitle(name, field('notebook_path'));
    case 'Bash':
      return { title: oneLine(field('command')) || name };
    case 'BashOutput':
      return { title: field('bash_id') || name };
    case 'KillShell':
      return { title: field('shell_id') || name };
    case 'ExitPlanMode':
      return { title: oneLine(field('plan').replace(/^#+\s*/, '')) || name };
    case 'AskUser': {
      const questions = (input as { readonly questions?: unknown } | null | undefined)?.questions;
      const [first] = Array.isArray(questions) ? (questions as { readonly question?: unknown }[]) : [];
      return { title: typeof first?.question === 'string' ? oneLine(first.question) : name };
    }
    case 'Glob':
    case 'Grep':
      return { title: searchTitle(field('pattern'), field('path')) || name };
    case 'TodoWrite': {
      const todos = (input as { readonly todos?: unknown } | null | undefined)?.todos;
      return { title: Array.isArray(todos) ? plural(todos.length, 'step') : name };
    }
    default:
      return { title: mcpToolParts(name) ? foreignTitle(input) || name : name };
  }
}

/** What a tool of somebody else is about can only be guessed: what is short in its input says most. */
function foreignTitle(input: unknown): string {
  const values = Object.values((input as object | null | undefined) ?? {}).filter((value) => ['string', 'number', 'boolean'].includes(typeof value));
  return oneLine(values.map((value) => cutText(String(value), maxTitleLength)).join(', '));
}

function fileTitle(name: string, path: string): ToolDescription {
  return path ? { title: oneLine(path), path } : { title: name };
}

function placeTitle(what: string, path: string): string {
  return oneLine([what, path].filter(Boolean).join(' in '));
}

function searchTitle(pattern: string, path: string): string {
  return oneLine(pattern && path ? `${pattern} in ${path}` : pattern);
}

function oneLine(text: string): string {
  const [first = '', ...more] = text.trim().split('\n');
  const title = cutText(first, maxTitleLength);
  return title.length < first.length || more.length > 0 ? `${title} …` : title;
}
