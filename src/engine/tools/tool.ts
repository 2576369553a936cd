import * as z from 'zod';
import { late } from '../../base/late.ts';
import type { Clock } from '../../base/abort.ts';
import type { ImageBlock, TextBlock } from '../../protocol/contentBlocks.ts';
import type { Proposal } from '../../protocol/fileChange.ts';
import type { Todo, ToolProgress, ToolUseResult } from '../../protocol/messages.ts';
import type { PermissionDenial, PermissionMode, PermissionRequest } from '../../protocol/permissions.ts';
import type { AskUser } from '../../protocol/userQuestions.ts';
import type { Digest, Documents, FileSystem, LanguageServices, Search, Shell, TextEncodings, WebFetcher } from '../ports.ts';
import type { SmallQuestion } from '../model/askSmallModel.ts';
import type { AcceptedWrite } from '../review/planWrites.ts';
import type { TextEncoding } from '../text/encoding.ts';
import type { StartSubAgent } from '../subAgents/subAgent.ts';
import type { BackgroundShells } from './backgroundShells.ts';
import type { ReadFileState } from './readFileState.ts';

/** What a call is about to do, decided before anybody is asked and before anything is touched. */
export interface ToolPlan<State> {
  /** One line for a card: "src/cart.ts", "npm test". */
  readonly title: string;
  /** Absolute paths that the call reads or writes, as far as it can be told. */
  readonly paths: readonly string[];
  /** The same with links resolved, where `plan` has done that: what is judged is then what is opened. */
  readonly realPaths?: readonly string[] | undefined;
  /** Set by tools that write one file's text; reviewed by the user, who may change it. */
  readonly proposal?: Proposal | undefined;
  /** Set, in place of `proposal`, by tools that write several files: each is reviewed, and one that is rejected rejects all. */
  readonly proposals?: readonly Proposal[] | undefined;
  /** How the file of `proposal` is, or will be, stored. */
  readonly encoding?: TextEncoding | undefined;
  /** What a proposal of this plan comes to now; see {@link PermissionRequest.rebase}. */
  readonly rebase?: PermissionRequest['rebase'];
  /** Whatever `run` needs of what `plan` found out. */
  readonly state: State;
}

export interface ToolOutcome {
  readonly content: string | readonly (TextBlock | ImageBlock)[];
  readonly isError?: boolean;
  /** For the view. */
  readonly result?: ToolUseResult;
  /** Calls made on the way that were refused: those of a sub-agent. */
  readonly denials?: readonly PermissionDenial[];
}

/** What a tool may use. Nothing else of the world reaches it. */
export interface ToolContext {
  /** Absolute; fixed for the session. */
  readonly cwd: string;
  /** The workspace's folders, links resolved. Paths outside of them always ask. */
  readonly roots: readonly string[];
  readonly files: FileSystem;
  readonly documents: Documents;
  readonly shell: Shell;
  readonly search: Search;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly readFileState: ReadFileState;
  readonly fileHistory: FileHistoryRecorder;
  /** Of this call: aborted by Esc, by the end of the turn. */
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** What earlier calls of the same answer propose for files, by canonical path: nothing of it is written yet. */
  readonly proposedFiles?: ReadonlyMap<string, ProposedFile> | undefined;
  /** Set for a sub-agent: the call that it works for. */
  readonly parentToolUseId?: string | undefined;
  readonly backgroundShells: BackgroundShells;
  /** The one in use now. */
  readonly permissionMode: () => PermissionMode;
  readonly setPermissionMode: (mode: PermissionMode) => void;
  /** The one in use now. */
  readonly model: () => string;
  /** Undefined for a sub-agent. */
  readonly startSubAgent?: StartSubAgent | undefined;
  /** Undefined where nobody can be asked. */
  readonly askUser?: AskUser | undefined;
  /** Of an editor; undefined where there is none. */
  readonly languageServices?: LanguageServices | undefined;
  readonly webFetcher?: WebFetcher | undefined;
  /** Of the small model, beside the conversation; counted. Rejects where it can't be asked or does not answer. */
  readonly askSmallModel: (question: Omit<SmallQuestion, 'model'>, signal: AbortSignal) => Promise<string>;
  /** Without it, files that are no Unicode are read as UTF-8 with damages. */
  readonly encodings?: TextEncodings | undefined;
  setTodos(todos: readonly Todo[]): void;
}

export interface ProposedFile {
  readonly text: string;
  readonly encoding: TextEncoding;
}

/** What changes to files are recorded under: the call, or for a sub-agent the one that started it. */
export function recordedCall(context: Pick<ToolContext, 'toolUseId' | 'parentToolUseId'>): string {
  return context.parentToolUseId ?? context.toolUseId;
}

/** The part of the file history that tools see. Bound to the user message of the running turn; `toolUseId` is that of {@link recordedCall}. */
export interface FileHistoryRecorder {
  /** Keeps what `path` holds now, once per call, durably. Call before the first byte is written. */
  beforeWrite(path: string, toolUseId?: string): Promise<void>;
  /** Remembers what the agent left, so that later changes by others are told apart, and can be kept in a merge. */
  afterWrite(path: string, toolUseId?: string): Promise<void>;
  /** Call before writes that belong together: where one of them fails, or the process dies among them, none is to stay. Rejects when that could not be written down; then nothing may be written. */
  beginSet(files: readonly SetFile[]): Promise<SetRecording>;
  /** Call before a shell command starts: what it will change is kept, as far as it can be. Never rejects for what could not. */
  shellCommand(command: string, toolUseId?: string): Promise<ShellRecording>;
  /** Writes down what commands that still run have changed until now, and waits for looks that go on beside. Never rejects. */
  lookAtShells(): Promise<void>;
}

/** What a path will hold after each write of a set, by SHA-256 of the bytes, as far as it can be told. */
export interface SetFile {
  readonly path: string;
  readonly hashes: readonly string[];
}

export interface SetRecording {
  /** All are made. */
  end(): void;
  /** Makes the files be what they were, byte for byte. Returns those that could not be, with the reason. Never rejects. */
  takeBack(): Promise<readonly { readonly path: string; readonly reason: string }[]>;
}

export interface ShellRecording {
  /**
   * The command and its processes are gone, however it ended: what it changed is written down. `gap`: why that may not be
   * all. Never rejects. Need not be waited for: what writes through this recorder, the next command and the end of the
   * turn wait by themselves.
   */
  over(gap?: string): Promise<void>;
}

export interface ToolCall<Input, State> {
  readonly input: Input;
  readonly plan: ToolPlan<State>;
  /** What is to be written for each proposal, in order. Tools without proposals have none. */
  readonly writes?: readonly AcceptedWrite[] | undefined;
}

export interface ToolDefinition<Schema extends z.ZodType, State> {
  readonly name: string;
  /** For the model. */
  readonly description: string;
  /** Called once, when the input is first looked at or told: schemas take most of the time of a start. */
  readonly input: () => Schema;
  /** read = changes nothing; edit = writes files through a proposal; execute = may do anything; own = only the session's own state; consent = changes nothing, but the user is always asked. */
  readonly access: 'read' | 'edit' | 'execute' | 'own' | 'consent';
  /** Its edits are worked out from what files hold now, so they are not proposed together with those of other calls. */
  readonly standsAlone?: boolean | undefined;
  /** Part of the context without which the tool is not offered. */
  readonly needs?: 'askUser' | 'languageServices' | 'webFetcher' | 'startSubAgent' | undefined;
  /** May run beside others of its kind, because it changes nothing; a function where that is up to the input, which may be anything. */
  readonly concurrencySafe: boolean | ((input: unknown) => boolean);
  /** Pure of side effects. Throws a TurnstoneError whose `modelMessage` becomes an error result. */
  plan(input: z.infer<Schema>, context: ToolContext): Promise<ToolPlan<State>>;
  /** Throws only what is unexpected; expected failures are outcomes with `isError`. */
  run(call: ToolCall<z.infer<Schema>, State>, context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome, void>;
}

/** A tool as the registry keeps it: its input and state types are its own affair. */
export interface Tool extends Omit<ToolDefinition<z.ZodType, unknown>, 'input' | 'plan' | 'run'> {
  readonly input: z.ZodType;
  /** JSON Schema (draft 7) of the input, made once. */
  readonly inputJsonSchema: { readonly [key: string]: unknown };
  /** How a tool that the API runs itself is declared, in place of description and schema. */
  readonly declaration?: { readonly [field: string]: unknown } | undefined;
  plan(input: unknown, context: ToolContext): Promise<ToolPlan<unknown>>;
  run(call: ToolCall<unknown, unknown>, context: ToolContext): AsyncGenerator<ToolProgress, ToolOutcome, void>;
}

type JsonSchema = Tool['inputJsonSchema'];

/** JSON, by name of the tool; put in by the production build: to make them at each start takes a tenth of it. */
declare const READY_INPUT_SCHEMAS: string | undefined;
const readySchemas = late((): { readonly [tool: string]: JsonSchema | undefined } => (typeof READY_INPUT_SCHEMAS === 'undefined' ? {} : JSON.parse(READY_INPUT_SCHEMAS)));

export function defineTool<Schema extends z.ZodType, State>(definition: ToolDefinition<Schema, State>): Tool {
  const input = late(definition.input);
  const inputJsonSchema = late(() => readySchemas()[definition.name] ?? jsonSchemaOf(input()));
  return {
    // The registry is heterogeneous; each tool only ever gets back its own input and state.
    ...(definition as unknown as Omit<Tool, 'input' | 'inputJsonSchema'>),
    get input() {
      return input();
    },
    get inputJsonSchema() {
      return inputJsonSchema();
    },
  };
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { target: 'draft-07', io: 'input' }) as Record<string, unknown>;
  return rest;
}
