import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { systemClock } from '../../../../src/base/abort.ts';
import { isTurnstoneError, TurnstoneError } from '../../../../src/base/errors.ts';
import type { Todo, ToolProgress } from '../../../../src/protocol/messages.ts';
import type { AcceptedWrite } from '../../../../src/engine/review/planWrites.ts';
import type { Proposal } from '../../../../src/protocol/fileChange.ts';
import { BackgroundShells } from '../../../../src/engine/tools/backgroundShells.ts';
import type { PermissionMode } from '../../../../src/protocol/permissions.ts';
import { ReadFileState } from '../../../../src/engine/tools/readFileState.ts';
import { acceptedText, unreadableText } from '../../../../src/engine/tools/fileChange.ts';
import { builtInTools } from '../../../../src/engine/tools/registry.ts';
import type { ToolContext, ToolOutcome, ToolPlan } from '../../../../src/engine/tools/tool.ts';
import { nodeDigest } from '../../../../src/platform/nodeDigest.ts';
import { nodeFileSystem } from '../../../../src/platform/nodeFileSystem.ts';
import { createNodeShell } from '../../../../src/platform/nodeShell.ts';
import { textEncodings } from '../../../../src/platform/textEncodings.ts';
import { createRipgrepSearch } from '../../../../src/platform/ripgrepSearch.ts';

/** A folder of its own with all tools at work in it. `unsaved` stands for the editor's documents with unsaved text. */
export interface ToolBench {
  readonly folder: string;
  /** May be replaced by one with more ports. */
  context: ToolContext;
  readonly unsaved: Map<string, string>;
  /** What the file history was told, in order. */
  readonly history: string[];
  readonly progress: ToolProgress[];
  todos: readonly Todo[];
  mode: PermissionMode;
  at(...parts: string[]): string;
  plan(name: string, input: unknown): Promise<ToolPlan<unknown>>;
  run(name: string, input: unknown, options?: RunOptions): Promise<ToolOutcome>;
  /** The text of a result, errors included: what the model would read. */
  say(name: string, input: unknown, options?: RunOptions): Promise<string>;
  dispose(): Promise<void>;
}

export interface RunOptions {
  readonly finalText?: string;
  readonly signal?: AbortSignal;
  /** Happens between plan and run, while the user looks at the proposal. */
  readonly meanwhile?: () => unknown;
}

export async function openToolBench(): Promise<ToolBench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnstone-tools-')));
  const unsaved = new Map<string, string>();
  const history: string[] = [];
  const shell = createNodeShell({ graceMs: 300 });
  const bench: ToolBench = {
    folder,
    unsaved,
    history,
    progress: [],
    todos: [],
    mode: 'default',
    context: {
      cwd: folder,
      roots: [folder],
      files: nodeFileSystem,
      documents: {
        unsavedText: (path) => unsaved.get(path),
        async write(path, text) {
          if (!unsaved.delete(path)) return false;
          await nodeFileSystem.writeFile(path, new TextEncoder().encode(text));
          return true;
        },
      },
      shell,
      backgroundShells: new BackgroundShells(shell),
      search: createRipgrepSearch([rgPath]),
      digest: nodeDigest,
      encodings: textEncodings,
      clock: systemClock,
      readFileState: new ReadFileState(),
      fileHistory: {
        beforeWrite: async (path) => void history.push(`before ${path.slice(folder.length + 1)}`),
        afterWrite: async (path) => void history.push(`after ${path.slice(folder.length + 1)}`),
        shellCommand: async (command) => {
          history.push(`shell ${command}`);
          return { over: async () => void history.push('shell over') };
        },
        lookAtShells: async () => {},
        beginSet: async (files) => ({ end: () => {}, takeBack: async () => files.map(({ path }) => ({ path, reason: 'this history keeps nothing' })) }),
      },
      signal: new AbortController().signal,
      toolUseId: 'toolu_1',
      model: () => 'claude-sonnet-5-5',
      askSmallModel: () => Promise.reject(new Error('there is no model at this bench')),
      permissionMode: () => bench.mode,
      setPermissionMode: (mode) => (bench.mode = mode),
      setTodos: (todos) => (bench.todos = todos),
    },
    at: (...parts) => join(folder, ...parts),
    async plan(name, input) {
      const tool = builtInTools.find((candidate) => candidate.name === name)!;
      return tool.plan(tool.input.parse(input), bench.context);
    },
    async run(name, input, options = {}) {
      const tool = builtInTools.find((candidate) => candidate.name === name)!;
      const parsed = tool.input.parse(input);
      const context = { ...bench.context, signal: options.signal ?? bench.context.signal };
      try {
        const plan = await tool.plan(parsed, context);
        await options.meanwhile?.();
        const running = tool.run({ input: parsed, plan, writes: plan.proposal && [acceptedAs(plan.proposal, options.finalText)] }, context);
        for (;;) {
          const step = await running.next();
          if (step.done) return step.value;
          bench.progress.push(step.value);
        }
      } catch (error) {
        if (isTurnstoneError(error)) return { content: error.modelMessage, isError: true };
        throw error;
      }
    },
    async say(name, input, options) {
      const { content } = await bench.run(name, input, options);
      return typeof content === 'string' ? content : JSON.stringify(content);
    },
    async dispose() {
      await bench.context.backgroundShells.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return bench;
}

function acceptedAs(proposal: Proposal, finalText: string | undefined): AcceptedWrite {
  const to = acceptedText(proposal, finalText);
  if (to === undefined) throw new TurnstoneError('not_text', unreadableText(proposal.path));
  return { from: proposal.before, proposed: proposal.after, to };
}
