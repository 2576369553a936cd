import type { McpResult, McpServerConfig, McpToolInfo } from '../protocol/mcp.ts';
import type { ApiAssistantMessage, RawStreamEvent, SDKResultMessage } from '../protocol/messages.ts';
import type { PermissionDecision } from '../protocol/permissions.ts';
import type { CostSummary } from './cost/costSummary.ts';

export type { CostSummary } from './cost/costSummary.ts';
export type { ContentThen, GitContents, TreeChange, TreeEntry, TreeNews, TreeScan, TreeScanRequest, TreeScanner, UserWrite, UserWrites } from './workspacePorts.ts';

/**
 * What an engine needs of the world. The platform implements these on Node, the editor wraps some of them,
 * tests pass small ones of their own. All paths are absolute.
 */

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Permission bits, with those of setuid, setgid and sticky (0o7777). */
  readonly mode: number;
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number;
  /** When content, name, place or mode changed last. */
  readonly ctimeMs: number;
}

export interface WriteOptions {
  readonly mode?: number | undefined;
  /** False: it need not outlive a loss of power, which makes it much faster. Default: true. */
  readonly durable?: boolean | undefined;
}

/** Errors are Node's system errors (`code` = ENOENT, EACCES …) unless said otherwise. */
export interface FileSystem {
  readFile(path: string): Promise<Uint8Array>;
  /** Whole or not at all: temp file in the same folder, fsync, rename over. Follows links, keeps mode; makes missing folders. */
  writeFile(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Makes what was written to a file with `durable: false` or appended to it, and its name, outlive a loss of power. */
  sync(path: string): Promise<void>;
  /** undefined when nothing is there. `follow` (default true) looks through links. */
  stat(path: string, options?: { readonly follow?: boolean }): Promise<FileStat | undefined>;
  /** Links resolved; for a path that does not exist, of its nearest existing parent with the rest appended. */
  realpath(path: string): Promise<string>;
  readLink(path: string): Promise<string>;
  symlink(target: string, path: string): Promise<void>;
  /** A file or link, never a folder; nothing there is no error. */
  remove(path: string): Promise<void>;
  /** Gives a file another name in the same file system, also one that is taken: that file is gone then. */
  rename(path: string, to: string): Promise<void>;
  /** The file counts as changed now; false when nothing is there. */
  touch(path: string): Promise<boolean>;
  /** Only if it is empty; otherwise false. */
  removeEmptyFolder(path: string): Promise<boolean>;
  chmod(path: string, mode: number): Promise<void>;
  readFolder(path: string): Promise<readonly { readonly name: string; readonly kind: FileStat['kind'] }[]>;
  makeFolder(path: string): Promise<void>;
  /** Appends in one write; makes missing folders (0700) and the file (0600). */
  appendFile(path: string, text: string): Promise<void>;
  /** The same at once, for when the process is about to end. Throws. */
  appendFileNow(path: string, text: string): void;
  /** Rejects when nothing is there. To be closed. */
  hold(path: string): Promise<HeldFile>;
  /** Reads `length` bytes from `offset`; fewer at the end of the file. `into`: where to put them, at least as long. */
  readRange(path: string, offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
}

/** A file that can be read when its name is gone. */
export interface HeldFile {
  /** Bytes. */
  size(): Promise<number>;
  /** Puts all of it under the name that it had, whole or not at all; makes missing folders (0700) and the file (0600). */
  writeAgain(): Promise<void>;
  close(): Promise<void>;
}

/** Open documents of the editor: their unsaved text is the truth. On the command line there are none. */
export interface Documents {
  /** The text of an open document with unsaved changes, line ends as in the document; undefined when the disk is the truth. */
  unsavedText(path: string): string | undefined;
  /**
   * Puts `text` into an open document and saves it. True when it did; false when no document with unsaved changes
   * is open and the caller has to write the file itself. With `alsoIfSaved`, one without unsaved changes will do.
   */
  write(path: string, text: string, options?: { readonly alsoIfSaved?: boolean }): Promise<boolean>;
  /** What the editor takes a file for, or would: "utf8", "windows1252". Undefined where it does not know. */
  encodingOf?(path: string): string | undefined;
}

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  /** Infinity for none. */
  readonly timeoutMs: number;
}

export type ShellOutput = { readonly stream: 'stdout' | 'stderr'; readonly text: string };

export interface ShellExit {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  readonly durationMs: number;
}

export interface Shell {
  /** Runs in its own process group; on abort, timeout or `.return()` the whole process tree is ended before this ends. */
  run(request: ShellRequest, signal: AbortSignal): AsyncGenerator<ShellOutput, ShellExit, void>;
  /** Name of the shell for the prompt: "bash". */
  readonly name: string;
}

export interface GrepRequest {
  readonly pattern: string;
  readonly path: string;
  readonly glob?: string | undefined;
  readonly type?: string | undefined;
  readonly outputMode: 'content' | 'files_with_matches' | 'count';
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly lineNumbers: boolean;
  readonly before: number;
  readonly after: number;
  /** Files that must neither be read nor named. */
  readonly exclude?: ((path: string) => boolean) | undefined;
}

export interface Search {
  /** Paths, newest first, ignored files left out; at most `limit`. */
  glob(request: { readonly pattern: string; readonly path: string; readonly limit: number; readonly exclude?: GrepRequest['exclude'] }, signal: AbortSignal): Promise<{ readonly paths: readonly string[]; readonly truncated: boolean }>;
  /** Output lines as ripgrep prints them; at most `limit`. */
  grep(request: GrepRequest & { readonly limit: number }, signal: AbortSignal): Promise<{ readonly lines: readonly string[]; readonly truncated: boolean }>;
}

/** A request body of the Messages API, without `stream`. Serialised once, so that what was sent stays byte-identical. */
export interface ModelRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly unknown[];
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
  readonly thinking?: unknown;
  readonly [extra: string]: unknown;
}

export interface ModelClient {
  /**
   * Opens the stream; events come together that came together over the wire. Rejects with an {@link ApiFailure} when no stream came; iteration throws one when the server
   * said `error` in the stream or the connection broke. A stream that merely stops is for the reader to notice.
   */
  stream(request: ModelRequest, options: ModelCallOptions): Promise<AsyncIterable<readonly RawStreamEvent[]>>;
  /** The same without streaming: the whole message at once. Rejects as `stream` does. */
  complete(request: ModelRequest, options: ModelCallOptions): Promise<ApiAssistantMessage>;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** A fresh connection, because the last one broke. */
  readonly newConnection?: boolean | undefined;
  /** Read the credentials again, because they were refused. */
  readonly refreshCredentials?: boolean | undefined;
}

export interface Git {
  /** stdout of a git command without optional locks; undefined when it fails or git is absent. */
  run(args: readonly string[], cwd: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Encodings beyond Unicode, by the names that editors and the IANA use, whatever their case and hyphens. */
export interface TextEncodings {
  /** Those that the bytes may be in, the likeliest first. */
  guess(bytes: Uint8Array): Promise<readonly string[]>;
  /** Undefined for a name that is not known. Nothing is promised: the caller checks that all bytes can be given back. */
  decode(bytes: Uint8Array, name: string): Promise<string | undefined>;
  encode(text: string, name: string): Promise<Uint8Array | undefined>;
}

export interface Digest {
  /** SHA-256 in hex. */
  sha256(bytes: Uint8Array): string;
}

/** A place in a file as people count: lines and characters from 1, characters in UTF-16 units. */
export interface CodePosition {
  readonly path: string;
  readonly line: number;
  readonly character: number;
}

/** The end is not included. */
export interface CodeRange extends CodePosition {
  readonly endLine: number;
  readonly endCharacter: number;
}

export interface CodeEdit extends CodeRange {
  readonly newText: string;
}

export interface CodeSymbol {
  readonly name: string;
  /** "class", "function" … */
  readonly kind: string;
  /** 0 for what stands at the top. */
  readonly depth: number;
  readonly line: number;
  readonly endLine: number;
}

export interface CodeDiagnostic extends CodePosition {
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  /** Who says so: "ts", "eslint". */
  readonly source?: string | undefined;
  readonly code?: string | undefined;
}

/** What an editor knows of the code. Where a language has no services the answers are empty. */
export interface LanguageServices {
  /** Of one file, or of all that anything is known of. */
  diagnostics(path: string | undefined, signal: AbortSignal): Promise<readonly CodeDiagnostic[]>;
  definitions(at: CodePosition, signal: AbortSignal): Promise<readonly CodeRange[]>;
  references(at: CodePosition, signal: AbortSignal): Promise<readonly CodeRange[]>;
  /** In the order of the file, each before what it contains. */
  symbols(path: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Changes nothing: says what would be changed. Rejects with `invalid_input` when that cannot be renamed. */
  rename(at: CodePosition, newName: string, signal: AbortSignal): Promise<readonly CodeEdit[]>;
}

export type WebAnswer =
  | {
      readonly kind: 'page';
      /** After redirects. */
      readonly url: string;
      readonly status: number;
      /** Without parameters: "text/html". */
      readonly contentType: string;
      readonly title: string | undefined;
      /** HTML as Markdown, anything else as it came. */
      readonly text: string;
    }
  /** To another host: not followed. */
  | { readonly kind: 'redirect'; readonly url: string; readonly target: string; readonly status: number };

/** Pages of the open internet. Rejects with a `network` or `invalid_input` error that says why there is none. */
export interface WebFetcher {
  fetch(url: string, signal: AbortSignal): Promise<WebAnswer>;
}

/** When an object may be written: nothing of that name is there, it is still the version that was read, or in any case. */
export type WriteCondition = 'absent' | 'any' | { readonly version: string };

/**
 * Objects by key, elsewhere: where sessions are kept a second time. Rejects with a `network` error, whose text says why,
 * when it can't be reached, refuses us or does not answer in time.
 */
export interface SessionStore {
  /** Whole or not at all. Which version it is now, '' where the store does not say; 'refused' when the condition does not hold: nothing was written. */
  write(key: string, bytes: Uint8Array, condition: WriteCondition): Promise<{ readonly version: string } | 'refused'>;
  /** undefined when there is none. */
  read(key: string): Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined>;
  /** Keys that begin with `prefix`, in order of their letters. */
  list(prefix: string): Promise<readonly string[]>;
}

export interface Environment {
  readonly platform: string;
  readonly osVersion: string;
  readonly homeFolder: string;
  /** Turnstone's own folder: sessions, blobs. */
  readonly dataRoot: string;
  readonly version: string;
}

/** How a call was decided, and by whom. */
export interface ToolDecision extends Pick<PermissionDecision, 'behavior' | 'by'> {
  readonly toolName: string;
}

/** For whoever measures: one session's numbers. Nothing here waits or throws, but `end`, which waits for a moment and never throws. */
export interface SessionTelemetry {
  decided(decision: ToolDecision): void;
  /** `prompt` is what the user said, for those who have asked to have it. */
  turnEnded(result: SDKResultMessage, prompt: string): void;
  /** The session is closed: what it has come to is sent. */
  end(): Promise<void>;
}

export interface Telemetry {
  /** `cost` is read whenever numbers are sent; what it says now was counted before. */
  open(session: { readonly sessionId: string; readonly cost: () => CostSummary }): SessionTelemetry;
}

/** MCP servers, by whatever way they are reached. */
export interface McpConnector {
  /**
   * Starts or reaches a server and shakes hands. Rejects with a TurnstoneError that says why it could not:
   * `authentication` where it wants to know who we are, `aborted` when the signal aborts; then nothing of it is left running.
   */
  connect(server: { readonly name: string; readonly config: McpServerConfig }, options: McpConnectOptions): Promise<McpConnection>;
}

export interface McpConnectOptions {
  /** Folder in which a program is started. */
  readonly cwd: string;
  /** What a server may ask for: the workspace's folders. */
  readonly roots: readonly string[];
  /** Until it is connected. */
  readonly signal: AbortSignal;
  /** It ended, or broke off, without having been closed. Called once. */
  readonly onLost: (why: string) => void;
  readonly onToolsChanged: () => void;
}

export interface McpConnection {
  listTools(signal: AbortSignal): Promise<readonly McpToolInfo[]>;
  /** Aborting the signal tells the server, too. Rejects with a TurnstoneError whose text is fit for the model. */
  callTool(call: { readonly name: string; readonly input: { readonly [field: string]: unknown }; readonly timeoutMs: number; readonly onProgress: (text: string) => void }, signal: AbortSignal): Promise<McpResult>;
  /** Resolves when the program and what it started are gone. Never rejects. */
  close(): Promise<void>;
}
