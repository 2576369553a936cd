import type { JsonObject } from '../../base/json.ts';
import { partialLineSchema, type PartialLine } from '../../protocol/transcript.ts';
import type { TranscriptEntry } from './transcriptEntry.ts';

/** What the model is told after an answer that its process did not live to finish. */
export const CUT_OFF_NOTE = 'The answer above was cut off: the program ended while it was being written.';

/**
 * The entries, with messages in place of the notes of an answer that was being written when its process was killed. An
 * answer whose own lines are there, or that was withdrawn, needs none. Always the same for the same file, so that what
 * was said afterwards finds what it followed.
 */
export function withPartialAnswers(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const notes = entries.filter(({ value }) => value['type'] === 'partial' && partialLineSchema.safeParse(value).success);
  if (notes.length === 0) return entries;
  const finished = new Set(entries.flatMap(({ value, isDamaged }) => (value['type'] === 'assistant' && !isDamaged ? [(value['message'] as JsonObject)['id']] : [])));
  const answers = new Map<string, TranscriptEntry[]>();
  for (const note of notes) {
    const { messageId, withdrawn } = note.value as unknown as PartialLine;
    if (finished.has(messageId) || withdrawn) answers.delete(messageId);
    else answers.set(messageId, [...(answers.get(messageId) ?? []), note]);
  }
  const messages = new Map([...answers.values()].map((answer) => [answer.at(-1)!, messagesOf(answer)]));
  return entries.flatMap((entry) => messages.get(entry) ?? [entry]);
}

export function isCutOffNote(line: JsonObject | undefined): boolean {
  return line?.['isCutOffNote'] === true;
}

interface Block {
  uuid?: string | undefined;
  text: string;
  block?: JsonObject | undefined;
}

function messagesOf(notes: readonly TranscriptEntry[]): TranscriptEntry[] {
  const lines = notes.map(({ value }) => value as unknown as PartialLine);
  const begin = lines[0]!.begin;
  const last = notes.at(-1)!;
  const blocks = blocksOf(lines);
  // Without its beginning it is not known what it followed; what can be told is that something is missing.
  if (!begin || blocks.length === 0) return [last];
  const { sessionId, timestamp, messageId } = lines[0]!;
  let parentUuid = begin.afterUuid;
  const chained = (uuid: string, fields: JsonObject): TranscriptEntry => {
    const value = { parentUuid, isSidechain: false, sessionId, timestamp, uuid, ...fields };
    parentUuid = uuid;
    return { number: last.number, value };
  };
  const said = blocks.map(({ uuid, block, text }) =>
    chained(uuid, {
      type: 'assistant',
      isCutOff: true,
      message: { id: messageId, type: 'message', role: 'assistant', model: begin.model, content: [block ?? { type: 'text', text }], stop_reason: null, stop_sequence: null, usage: begin.usage },
    }),
  );
  return [last, ...said, chained(begin.noteUuid, { type: 'user', isMeta: true, isCutOffNote: true, message: { role: 'user', content: [{ type: 'text', text: CUT_OFF_NOTE }] } })];
}

function blocksOf(lines: readonly PartialLine[]): (Block & { readonly uuid: string })[] {
  const blocks = new Map<number, Block>();
  for (const { blockIndex, text, uuid, block } of lines) {
    if (blockIndex === undefined) continue;
    const known = blocks.get(blockIndex) ?? { text: '' };
    blocks.set(blockIndex, { uuid: uuid ?? known.uuid, text: known.text + (text ?? ''), block: block ?? known.block });
  }
  const inOrder = [...blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
  return inOrder.filter((block): block is Block & { readonly uuid: string } => block.uuid !== undefined && (block.block !== undefined || block.text.trim() !== ''));
}
