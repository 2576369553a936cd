import { mcpToolParts } from '../../base/mcpToolParts.ts';
import { isBlock } from '../../protocol/contentBlocks.ts';
import type { ContentBlock } from '../../protocol/contentBlocks.ts';
import { REFUSED_BEFORE, apiFailure } from '../../protocol/apiFailure.ts';
import type { ApiFailure } from '../../protocol/apiFailure.ts';
import type { RequestRepairLine, WrittenRequestRepair } from '../../protocol/transcript.ts';
import type { Digest, ModelRequest } from '../ports.ts';
import type { WireMessage } from './promptCache.ts';
import { refusedAnswerBlock, refusedPart, withoutParts } from './refusedParts.ts';
import type { RefusedPart } from './refusedParts.ts';
import { isMalformed } from './retryPolicy.ts';

export interface RepairsParts {
  readonly digest: Digest;
  /** What one server refuses another may take. */
  readonly endpoint: string;
  /** Of a resumed session, oldest first. */
  readonly learned: readonly RequestRepairLine[];
  /** The last request of a resumed session was refused, and nothing was answered since. Default: false. */
  readonly wasRefused?: boolean | undefined;
  /** Keeps what was learnt, for the next process. */
  readonly record: (line: WrittenRequestRepair) => void;
}

/** Single blocks that are left out in one session: a server that goes on naming others has another complaint. */
const maxRefusedBlocks = 20;

/**
 * What a session has learnt from refused requests: images and documents that become notes, thinking, other
 * parts of answers and tools of MCP servers that are left out, and whole requests that could not be repaired. Applied to every later request, also of the processes that
 * resume the session, so that what was refused once is never sent again; the history itself is never touched.
 * Invariant: `learn` either makes the next request differ from the refused one, or says that it cannot.
 *
 * A refusal that names nothing that could be left out is the end of a turn. Where the next one is refused as well, the
 * conversation itself is under suspicion: images, documents and thinking are left out on trial, and that stays so only
 * if the server then answers.
 */
export class RequestRepairs {
  readonly #world: RepairsParts;
  /** Refused image or document, by the hash of its data or address → the note in its place. */
  readonly #notes = new Map<string, string>();
  /** Hashes of the signatures and data of refused thinking. What is thought after the repair is sent again. */
  readonly #thinking = new Set<string>();
  /** Refused part of answers → the note where nothing else is left. */
  readonly #parts = new Map<RefusedPart, string>();
  /** Hashes of refused tools of MCP servers, as they are declared. */
  readonly #tools = new Set<string>();
  /** What was left out on trial. */
  #trial: { readonly media: readonly { readonly hash: string; readonly note: string }[]; readonly thinking: readonly string[] } = noTrial;
  #refusedInARow: number;
  /** Hash of a refused request → what the server said. */
  readonly #requests = new Map<string, string>();
  /** Images are large, and their data stays the same object. */
  readonly #mediaKeys = new WeakMap<object, string>();

  constructor(world: RepairsParts) {
    this.#world = world;
    this.#refusedInARow = world.wasRefused ? 1 : 0;
    for (const line of world.learned) {
      for (const { hash, note } of line.media ?? []) this.#notes.set(hash, note);
      for (const hash of line.thinking ?? []) this.#thinking.add(hash);
      for (const { part, note } of line.parts ?? []) this.#parts.set(part, note);
      for (const hash of line.tools ?? []) this.#tools.add(hash);
      if (line.request) this.#requests.set(line.request.hash, line.request.said);
    }
  }

  /** Requests of the conversation in a row that were refused and that nothing could repair. */
  get refusedInARow(): number {
    return this.#refusedInARow;
  }

  /** What the user is told about the change; undefined when there is nothing to change. `ofConversation`: no summary, no sub-agent. */
  learn(failure: ApiFailure, request: ModelRequest, { ofConversation }: { readonly ofConversation: boolean }): string | undefined {
    const messages = request.messages as readonly WireMessage[];
    const thinking = isAboutThinking(failure) ? this.#leaveThinkingOut(messages) : undefined;
    const named = this.#leaveToolOut(failure, request) ?? thinking ?? this.#replaceMedia(failure, messages) ?? this.#leavePartOut(failure, messages);
    const isSuspect = ofConversation && this.#refusedInARow > 0 && mayBeAboutMessages(failure);
    return named ?? (isSuspect ? this.#leaveSuspectsOut(failure, messages) : undefined);
  }

  /** The server has answered a request of the conversation. */
  answered(): void {
    const { media, thinking } = this.#trial;
    if (media.length + thinking.length > 0) this.#world.record({ type: 'request-repair', ...(media.length > 0 && { media: [...media] }), ...(thinking.length > 0 && { thinking: [...thinking] }) });
    this.#trial = noTrial;
    this.#refusedInARow = 0;
  }

  apply(given: ModelRequest): ModelRequest {
    const request = this.#withoutTools(given);
    if (this.#notes.size === 0 && this.#thinking.size === 0 && this.#parts.size === 0) return request;
    const repaired = (request.messages as readonly WireMessage[]).map((message) => ({ ...message, content: this.#repaired(message.content) }));
    const messages = this.#parts.size === 0 ? repaired : withoutParts(repaired, this.#parts, this.#blockKey);
    const { thinking, ...rest } = request;
    // The server wants the thinking of a tool trace that is still going on, or none at all.
    const keepsThinking = thinking !== undefined && !this.#cutsIntoTrace(request.messages as readonly WireMessage[]);
    return { ...rest, ...(keepsThinking && { thinking }), messages };
  }

  /** Throws an ApiFailure for a request that the server has refused before, byte for byte. */
  check(request: ModelRequest): void {
    if (this.#requests.size === 0) return;
    const said = this.#requests.get(this.#requestKey(request));
    if (said !== undefined) throw apiFailure({ message: said, code: REFUSED_BEFORE });
  }

  /** Nothing could be repaired, or repairing was not enough: this request is not to be sent again. */
  giveUp(failure: ApiFailure, request: ModelRequest, { ofConversation }: { readonly ofConversation: boolean }): void {
    if (!isMalformed(failure)) return;
    if (ofConversation) {
      // It was not what was left out.
      for (const { hash } of this.#trial.media) this.#notes.delete(hash);
      for (const key of this.#trial.thinking) this.#thinking.delete(key);
      this.#trial = noTrial;
      this.#refusedInARow += 1;
    }
    const refused = { hash: this.#requestKey(request), said: shortened(failure) };
    this.#requests.set(refused.hash, refused.said);
    this.#world.record({ type: 'request-repair', request: refused });
  }

  /** What a server of somebody else has for a schema must not cost the conversation. */
  #leaveToolOut(failure: ApiFailure, { tools = [] }: ModelRequest): string | undefined {
    const { message } = failure;
    const place = /^tools\.(\d+)\b/.exec(message) ?? /\btools\.(\d+)\.(?:custom|input_schema|name|description)\b/.exec(message);
    const refused = place && (tools[Number(place[1])] as { readonly name?: unknown } | undefined);
    if (!refused || typeof refused.name !== 'string' || mcpToolParts(refused.name) === undefined) return undefined;
    const hash = this.#hash(JSON.stringify(refused));
    this.#tools.add(hash);
    this.#world.record({ type: 'request-repair', tools: [hash] });
    return `The server refused the tool ${refused.name} (400: ${shortened(failure)}). It is left out of this and later requests, and the turn goes on.`;
  }

  #withoutTools(request: ModelRequest): ModelRequest {
    if (this.#tools.size === 0) return request;
    return { ...request, tools: request.tools?.filter((tool) => !this.#tools.has(this.#hash(JSON.stringify(tool)))) };
  }

  /** Images and documents first, then thinking: whatever is left out costs the model something. */
  #leaveSuspectsOut(failure: ApiFailure, messages: readonly WireMessage[]): string | undefined {
    const said = shortened(failure);
    const start = `The server refused the conversation again (400: ${said}).`;
    const keys = new Set(messages.flatMap(({ content }) => (content as readonly ContentBlock[]).flatMap((block) => mediaOf(block, messages)).map(({ block }) => this.#mediaKey(block))));
    const media = [...keys].filter((hash) => !this.#notes.has(hash)).map((hash) => ({ hash, note: `[An image or document was left out: the server refused the request and did not say why (${said}).]` }));
    if (media.length > 0) {
      for (const { hash, note } of media) this.#notes.set(hash, note);
      this.#trial = { ...this.#trial, media: [...this.#trial.media, ...media] };
      return `${start} It is tried without its images and documents, of which the model gets a note; nothing was removed from the conversation.`;
    }
    const thinking = this.#newThinking(messages);
    if (thinking.length === 0) return undefined;
    for (const key of thinking) this.#thinking.add(key);
    this.#trial = { ...this.#trial, thinking: [...this.#trial.thinking, ...thinking] };
    return `${start} It is tried without the model’s earlier thinking; nothing was removed from the conversation.`;
  }

  /** Keys of what is not left out yet. */
  #newThinking(messages: readonly WireMessage[]): string[] {
    const keys = new Set(messages.flatMap(({ content }) => (content as readonly ContentBlock[]).filter(isThinking).map((block) => this.#thinkingKey(block))));
    return [...keys].filter((key) => !this.#thinking.has(key));
  }

  #leaveThinkingOut(messages: readonly WireMessage[]): string | undefined {
    const thinking = this.#newThinking(messages);
    if (thinking.length === 0) return undefined;
    for (const key of thinking) this.#thinking.add(key);
    this.#world.record({ type: 'request-repair', thinking });
    return 'The server refused the model’s earlier thinking. It is left out of this and later requests; nothing was removed from the conversation.';
  }

  #replaceMedia(failure: ApiFailure, messages: readonly WireMessage[]): string | undefined {
    const refused = refusedMedia(failure, messages).filter(({ block }) => !this.#notes.has(this.#mediaKey(block)));
    if (refused.length === 0) return undefined;
    const said = shortened(failure);
    const media = refused.map(({ block, name }) => ({ hash: this.#mediaKey(block), note: `[${capitalised(name)} was left out: the server refused it (${said}).]` }));
    for (const { hash, note } of media) this.#notes.set(hash, note);
    this.#world.record({ type: 'request-repair', media });
    const names = [...new Set(refused.map(({ name }) => name))].join(', ');
    return `The server refused ${names} (400: ${said}). The model gets a note in its place, and the turn goes on.`;
  }

  #leavePartOut(failure: ApiFailure, messages: readonly WireMessage[]): string | undefined {
    const refused = refusedAnswerBlock(failure, messages);
    if (!refused) return undefined;
    if (isThinking(refused.block)) return this.#leaveThinkingOut(messages);
    const part = refusedPart(refused.block, refused.field, this.#blockKey);
    if (this.#parts.has(part) || [...this.#parts.keys()].filter((each) => each.startsWith('#')).length >= maxRefusedBlocks) return undefined;
    const said = shortened(failure);
    const note = `[A part of this answer was left out: the server refused it (${said}).]`;
    this.#parts.set(part, note);
    this.#world.record({ type: 'request-repair', parts: [{ part, note }] });
    const what = part.startsWith('#') ? 'a part of an earlier answer' : part === refused.block.type ? `the parts of earlier answers that are of the type “${part}”` : `the field “${refused.field}” in earlier answers`;
    return `The server refused ${what} (400: ${said}). That is left out of this and later requests, and the turn goes on; nothing was removed from the conversation.`;
  }

  #repaired(content: WireMessage['content']): WireMessage['content'] {
    return (content as readonly ContentBlock[])
      .filter((block) => !isThinking(block) || !this.#thinking.has(this.#thinkingKey(block)))
      .map((block): ContentBlock => {
        if (isMedia(block)) return this.#noteFor(block);
        if (!isBlock(block, 'tool_result') || !Array.isArray(block.content)) return block;
        return { ...block, content: (block.content as ContentBlock[]).map((part) => (isMedia(part) ? this.#noteFor(part) : part)) } as ContentBlock;
      });
  }

  #noteFor(block: ContentBlock): ContentBlock {
    const text = this.#notes.get(this.#mediaKey(block));
    if (text === undefined) return block;
    return { type: 'text', text, ...(block.cache_control && { cache_control: block.cache_control }) };
  }

  #cutsIntoTrace(messages: readonly WireMessage[]): boolean {
    const start = messages.findLastIndex(({ role, content }) => role === 'user' && !content.some((block) => block.type === 'tool_result'));
    return messages.slice(start + 1).some(({ content }) => (content as readonly ContentBlock[]).some((block) => isThinking(block) && this.#thinking.has(this.#thinkingKey(block))));
  }

  #mediaKey(block: ContentBlock): string {
    const source = block['source'] as { readonly [field: string]: unknown };
    const known = this.#mediaKeys.get(source);
    if (known !== undefined) return known;
    const key = this.#hash(String(source['data'] ?? source['url'] ?? JSON.stringify(source)));
    this.#mediaKeys.set(source, key);
    return key;
  }

  #thinkingKey(block: ContentBlock): string {
    return this.#hash(String(block.type === 'thinking' ? block['signature'] : block['data']));
  }

  /** The cache mark moves on from request to request. */
  readonly #blockKey = ({ cache_control: _mark, ...block }: ContentBlock): string => this.#hash(JSON.stringify(block));

  #requestKey(request: ModelRequest): string {
    return this.#hash(`${this.#world.endpoint}\n${JSON.stringify(request)}`);
  }

  #hash(text: string): string {
    return this.#world.digest.sha256(new TextEncoder().encode(text));
  }
}

const noTrial = { media: [], thinking: [] };

/** Not about what goes with the messages: tools, limits, settings. */
export function mayBeAboutMessages({ message }: ApiFailure): boolean {
  return !/^\W*(?:tools?|tool_choice|system|model|max_tokens|temperature|top_[kp]|thinking|metadata|stream|stop_sequences|betas?|output_config|context_management|service_tier|container|mcp_servers|anthropic-\w+)\b/i.test(message);
}

function isAboutThinking(failure: ApiFailure): boolean {
  // A list of all types that there are says nothing about one of them.
  const message = failure.message.replace(/expected tags:.*$/s, '');
  return /thinking/i.test(message) && /signature|invalid|modified|must remain|expected/i.test(message) && !/budget|thinking\.type|thinking\.enabled/i.test(message);
}

interface RefusedMedia {
  readonly block: ContentBlock;
  readonly name: string;
}

/** The images and documents that the error names; where it names none but speaks of one, those sent last. */
function refusedMedia({ message }: ApiFailure, messages: readonly WireMessage[]): RefusedMedia[] {
  const place = /messages\.(\d+)\.content\.(\d+)(?:(?:\.tool_result)?\.content\.(\d+))?/.exec(message);
  if (place) {
    const named = messages[Number(place[1])]?.content[Number(place[2])] as ContentBlock | undefined;
    return named ? mediaOf(named, messages, place[3] === undefined ? undefined : Number(place[3])) : [];
  }
  if (!/image|document|pdf/i.test(message)) return [];
  for (let i = messages.length - 1; i >= 0; i--) {
    const found = (messages[i]!.content as readonly ContentBlock[]).flatMap((block) => mediaOf(block, messages));
    if (found.length > 0) return found;
  }
  return [];
}

function mediaOf(block: ContentBlock, messages: readonly WireMessage[], part?: number): RefusedMedia[] {
  if (isMedia(block)) return [{ block, name: `${kindOf(block)} in your message` }];
  if (!isBlock(block, 'tool_result') || !Array.isArray(block.content)) return [];
  const parts = (part === undefined ? block.content : [block.content[part]]) as readonly (ContentBlock | undefined)[];
  const source = sourceOf(block.tool_use_id, messages);
  return parts.flatMap((each) => (each && isMedia(each) ? [{ block: each, name: `${kindOf(each)} ${source}` }] : []));
}

/** Which call brought it: "in logo.png" for a file that was read. */
function sourceOf(toolUseId: string, messages: readonly WireMessage[]): string {
  for (const { content } of messages) {
    for (const block of content as readonly ContentBlock[]) {
      if (isBlock(block, 'tool_use') && block.id === toolUseId) return typeof block.input['file_path'] === 'string' ? `in ${block.input['file_path']}` : `from ${block.name}`;
    }
  }
  return 'from a tool';
}

function isMedia(block: ContentBlock): boolean {
  return block.type === 'image' || block.type === 'document';
}

function isThinking(block: ContentBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function kindOf(block: ContentBlock): string {
  return block.type === 'image' ? 'an image' : 'a document';
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function shortened({ message }: ApiFailure): string {
  return message.replace(/\s+/g, ' ').slice(0, 200);
}
