import type { DemoCall, DemoResult } from './plan.ts';

/** The parts of a request that the demo model reads. Anything else is ignored. */
export interface DemoRequest {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name?: unknown }[];
  readonly messages?: readonly DemoMessage[];
}

interface DemoMessage {
  readonly role?: unknown;
  readonly content?: unknown;
}

interface Block {
  readonly type?: unknown;
  readonly [field: string]: unknown;
}

/** A finished step: a call and what came of it. */
export interface DoneStep {
  readonly call: DemoCall;
  readonly result: DemoResult;
}

/** A conversation as the demo model sees it. */
export interface DemoConversation {
  readonly system: string;
  readonly cwd: string;
  readonly tools: ReadonlySet<string>;
  /** Every prompt so far, the one to work on last. */
  readonly prompts: readonly string[];
  /** What has been done about the last prompt. */
  readonly done: readonly DoneStep[];
  /** Nothing has been answered yet. */
  readonly isFirstAnswer: boolean;
}

/** Reads a request. `isTask` tells a prompt typed while tools ran from a note that the agent added to their results. */
export function readConversation(request: DemoRequest, isTask: (text: string) => boolean): DemoConversation {
  const system = textOf(request.system);
  const prompts: string[] = [];
  let done: DoneStep[] = [];
  let calls = new Map<string, DemoCall>();
  for (const message of request.messages ?? []) {
    const blocks = blocksOf(message.content);
    if (message.role === 'assistant') {
      calls = callsIn(blocks);
      continue;
    }
    const steps = stepsIn(blocks, calls);
    const prompt = promptIn(blocks);
    const isPrompt = prompt !== undefined && (steps.length === 0 || isTask(prompt) || steps.some(isInterrupted));
    done = isPrompt ? [] : [...done, ...steps];
    if (isPrompt) prompts.push(prompt);
  }
  return {
    system,
    cwd: /^Working directory: (.+)$/m.exec(system)?.[1]?.trim() ?? '.',
    tools: new Set((request.tools ?? []).map(tool => String(tool.name))),
    prompts,
    done,
    isFirstAnswer: !(request.messages ?? []).some(message => message.role === 'assistant'),
  };
}

/** The text of a system prompt, a tool result or a message, in whichever form it was sent. */
export function textOf(content: unknown): string {
  return blocksOf(content).filter(block => block.type === 'text').map(block => String(block['text'])).join('\n');
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as Block[]) : [];
}

function callsIn(blocks: readonly Block[]): Map<string, DemoCall> {
  const calls = blocks.filter(block => block.type === 'tool_use');
  return new Map(calls.map(call => [String(call['id']), { name: String(call['name']), input: (call['input'] ?? {}) as DemoCall['input'] }]));
}

function stepsIn(blocks: readonly Block[], calls: ReadonlyMap<string, DemoCall>): DoneStep[] {
  return blocks.flatMap(block => {
    const call = calls.get(String(block['tool_use_id']));
    if (block.type !== 'tool_result' || call === undefined) return [];
    return [{ call, result: { text: textOf(block['content']), isError: block['is_error'] === true } }];
  });
}

/** The last text that a person wrote. What an agent adds (the date, git, instruction files) comes in tags of its own. */
function promptIn(blocks: readonly Block[]): string | undefined {
  const texts = blocks.filter(block => block.type === 'text').map(block => String(block['text']).trim());
  return texts.findLast(text => text !== '' && !text.startsWith('<') && !/^The user interrupted\b.*\.$/.test(text));
}

function isInterrupted(step: DoneStep): boolean {
  return step.result.isError && /interrupt/i.test(step.result.text);
}
