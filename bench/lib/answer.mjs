/** Characters per delta, as the API sends them about. */
const deltaSize = 20;
const sentence = 'the quick brown fox jumps over the lazy dog and runs on. ';

/** The bytes of a streamed answer with `characters` characters of text. Made once per size. */
export function streamedAnswer(characters, model) {
  const known = answers.get(`${model} ${characters}`);
  if (known) return known;
  const events = [
    { type: 'message_start', message: message(model, [], null) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ];
  const text = sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters - 1) + '.';
  for (let at = 0; at < text.length; at += deltaSize) {
    events.push({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text.slice(at, at + deltaSize) } });
  }
  events.push(
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: Math.ceil(characters / 4) } },
    { type: 'message_stop' },
  );
  const bytes = Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  answers.set(`${model} ${characters}`, bytes);
  return bytes;
}

/** The same as one JSON object, for requests that do not stream. */
export function wholeAnswer(model) {
  return JSON.stringify(message(model, [{ type: 'text', text: 'A short answer.' }], 'end_turn'));
}

const answers = new Map();
let count = 0;

function message(model, content, stopReason) {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return { id: `msg_bench_${++count}`, type: 'message', role: 'assistant', model, content, stop_reason: stopReason, stop_sequence: null, usage };
}
