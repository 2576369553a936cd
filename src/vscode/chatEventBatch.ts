import type { ChatEvent, ChatItem } from '../protocol/chatView.ts';

/** Bytes of JSON that one post to the panel may have. */
export const maxPostBytes = 64_000;
/** UTF-16 units of text in one piece: at 3 bytes each, and doubled by escapes at worst, still under the limit. */
const pieceLength = 10_000;
/** Each with a title of up to 200 units and a few facts. */
const sessionsPerPiece = 50;

/** Packs events into posts, in order: neighbouring text of one item becomes one event, nothing exceeds the limit. */
export function packChatEvents(events: readonly ChatEvent[]): ChatEvent[][] {
  const posts: ChatEvent[][] = [];
  let size = maxPostBytes;
  for (const event of mergeText(events).flatMap(splitEvent)) {
    const bytes = Buffer.byteLength(JSON.stringify(event)) + 1;
    if (size + bytes > maxPostBytes - 100) {
      posts.push([]);
      size = 0;
    }
    posts.at(-1)!.push(event);
    size += bytes;
  }
  return posts;
}

function mergeText(events: readonly ChatEvent[]): ChatEvent[] {
  const merged: ChatEvent[] = [];
  let pieces: string[] = [];
  let id: string | undefined;
  const endText = (): void => {
    if (id !== undefined) merged.push({ type: 'text-appended', id, text: pieces.join('') });
    id = undefined;
    pieces = [];
  };
  for (const event of events) {
    if (event.type !== 'text-appended') {
      endText();
      merged.push(event);
      continue;
    }
    if (event.id !== id) endText();
    id = event.id;
    pieces.push(event.text);
  }
  endText();
  return merged;
}

/** One item per event, and a long text in pieces. Other events are small by nature. */
function splitEvent(event: ChatEvent): ChatEvent[] {
  if (event.type === 'text-appended') return appended(event.id, event.text);
  if (event.type === 'sessions-listed') return listPieces(event);
  return event.type === 'items-put' ? event.items.flatMap(splitItem) : [event];
}

function listPieces(event: Extract<ChatEvent, { type: 'sessions-listed' }>): ChatEvent[] {
  const { sessions } = event;
  const pieces: ChatEvent[] = [{ ...event, sessions: sessions.slice(0, sessionsPerPiece) }];
  for (let start = sessionsPerPiece; start < sessions.length; start += sessionsPerPiece) pieces.push({ ...event, sessions: sessions.slice(start, start + sessionsPerPiece), isMore: true });
  return pieces;
}

function splitItem(item: ChatItem): ChatEvent[] {
  const text = growingText(item);
  if (text.length <= pieceLength) return [{ type: 'items-put', items: [item] }];
  const [first = '', ...rest] = piecesOf(text);
  return [{ type: 'items-put', items: [withText(item, first)] }, ...rest.flatMap((piece) => appended(item.id, piece))];
}

function growingText(item: ChatItem): string {
  switch (item.kind) {
    case 'text':
      return item.markdown;
    case 'tool':
      return item.output;
    case 'thinking':
      return item.text;
    default:
      return '';
  }
}

function withText(item: ChatItem, text: string): ChatItem {
  switch (item.kind) {
    case 'text':
      return { ...item, markdown: text };
    case 'tool':
      return { ...item, output: text };
    case 'thinking':
      return { ...item, text };
    default:
      return item;
  }
}

function appended(id: string, text: string): ChatEvent[] {
  return piecesOf(text).map((piece) => ({ type: 'text-appended', id, text: piece }));
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += pieceLength) pieces.push(text.slice(start, start + pieceLength));
  return pieces;
}
