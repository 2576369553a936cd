import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { cutIntoChunks } from './chunking.ts';
import type { CompleteMessage } from './messageEvents.ts';
import { frameEvent, messageEvents, messageJson } from './messageEvents.ts';
import type { ScriptedTurn, StreamPlace } from './scriptedTurn.ts';

interface Answer {
  readonly turn: ScriptedTurn;
  /** The completed reply; undefined for a raw body or a status. */
  readonly message: CompleteMessage | undefined;
  readonly stream: boolean;
  readonly requestId: string;
  /** Fires when the server closes, so that a stalled answer does not keep it alive. */
  readonly signal: AbortSignal;
}

/** Sends one answer with whatever is wrong with it. Resolves when the response is over, also when the client has gone. */
export async function sendTurn(response: ServerResponse, answer: Answer): Promise<void> {
  const { turn, message, stream } = answer;
  if (turn.delayMs !== undefined) await wait(turn.delayMs, undefined, { signal: answer.signal }).catch(ignoreAbort);
  const headers = { 'request-id': answer.requestId, ...turn.headers };
  if (message !== undefined && !stream) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    await finish(response, JSON.stringify(messageJson(message)));
    return;
  }
  if (message === undefined && turn.raw === undefined) {
    response.writeHead(turn.status ?? 500, { 'content-type': 'application/json', ...headers });
    await finish(response, typeof turn.body === 'string' ? turn.body : JSON.stringify(turn.body ?? {}));
    return;
  }
  response.writeHead(turn.status ?? 200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', ...headers });
  response.flushHeaders();
  await sendFrames(response, framesOf(turn, message), answer);
}

function framesOf(turn: ScriptedTurn, message: CompleteMessage | undefined): Uint8Array[] {
  if (message !== undefined) return messageEvents(message, turn.deltaSize).map(event => Buffer.from(frameEvent(event)));
  const raw = Buffer.from(turn.raw ?? '');
  return raw.length === 0 ? [] : [raw];
}

async function sendFrames(response: ServerResponse, frames: readonly Uint8Array[], { turn, signal }: Answer): Promise<void> {
  const { cutAfter, stallAfter } = turn;
  const whole = Buffer.concat(frames);
  const end = cutAfter === undefined ? whole.length : offsetOf(cutAfter, frames);
  const pause = stallAfter === undefined ? end : Math.min(offsetOf(stallAfter, frames), end);
  let sum = 0;
  const offsets = frames.map(frame => (sum += frame.length));
  await sendChunks(response, slice(frames, offsets, 0, pause), turn);
  if (stallAfter !== undefined) await stall(response, stallAfter, signal);
  if (!signal.aborted) await sendChunks(response, slice(frames, offsets, pause, end), turn);
  if (cutAfter === undefined || cutAfter.how === 'end') return finish(response, '');
  // A write's callback says that what was written before it has left this process.
  await new Promise<void>(resolve => response.write('', () => resolve()));
  if (cutAfter.how === 'hardReset') response.socket?.resetAndDestroy();
  else response.socket?.destroy();
}

/** The parts of the frames between two byte offsets, still one piece per frame. */
function slice(frames: readonly Uint8Array[], ends: readonly number[], from: number, to: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  frames.forEach((frame, index) => {
    const frameEnd = ends[index] ?? 0;
    const frameStart = frameEnd - frame.length;
    if (frameEnd <= from || frameStart >= to) return;
    parts.push(frame.subarray(Math.max(0, from - frameStart), Math.min(frame.length, to - frameStart)));
  });
  return parts;
}

async function sendChunks(response: ServerResponse, frames: readonly Uint8Array[], turn: ScriptedTurn): Promise<void> {
  for (const chunk of cutIntoChunks(frames, turn.chunking ?? 'event')) {
    if (response.destroyed || response.closed) return;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    if (turn.paceMs !== undefined) await wait(turn.paceMs);
  }
}

async function stall(response: ServerResponse, how: NonNullable<ScriptedTurn['stallAfter']>, signal: AbortSignal): Promise<void> {
  const ping = Buffer.from(frameEvent({ event: 'ping', data: { type: 'ping' } }));
  const timer = how.pingEveryMs === undefined ? undefined : setInterval(() => response.write(ping), how.pingEveryMs);
  try {
    const closed = once(response, 'close');
    const aborted = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([how.until ?? closed, closed, aborted]);
  } finally {
    clearInterval(timer);
  }
}

async function finish(response: ServerResponse, body: string): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>(resolve => {
    response.once('close', () => resolve());
    response.end(body, () => resolve());
  });
}

function offsetOf(place: StreamPlace, frames: readonly Uint8Array[]): number {
  if ('bytes' in place) return place.bytes;
  return frames.slice(0, place.events).reduce((sum, frame) => sum + frame.length, 0);
}

function ignoreAbort(error: unknown): void {
  if ((error as Error).name !== 'AbortError') throw error;
}
