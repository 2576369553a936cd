/** Characters per delta, as the API sends them about. */
const deltaSize = 20;
const sentence = 'the quick brown fox jumps over the lazy dog and runs on. ';

/** The bytes of a streamed answer with `characters` characters of text. Made once per size. */
export function streamedAnswer(characters, model) {
  return once(`text ${model} ${characters}`, () => {
    const deltas = cut(textOf(characters)).map((text) => ({ type: 'text_delta', text }));
    return framed(model, [block(0, { type: 'text', text: '' }, deltas)], { stopReason: 'end_turn', characters });
  });
}

/** A call whose input holds `characters` characters, in deltas. */
export function streamedInput(characters, model) {
  return once(`input ${model} ${characters}`, () => {
    const input = JSON.stringify({ file_path: 'never-written.txt', content: textOf(characters) });
    const deltas = cut(input).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return framed(model, [block(0, { type: 'tool_use', id: 'toolu_bench_input', name: 'Write', input: {} }, deltas)], { stopReason: 'tool_use', characters });
  });
}

/** Calls of Read for one small file of the working folder, numbered from `first`. */
export function streamedReads(first, count, model) {
  const blocks = Array.from({ length: count }, (_, index) => {
    const start = { type: 'tool_use', id: `toolu_bench_${first + index}`, name: 'Read', input: {} };
    return block(index, start, [{ type: 'input_json_delta', partial_json: '{"file_path":"small.txt"}' }]);
  });
  return framed(model, blocks, { stopReason: 'tool_use', characters: 100 });
}

function textOf(characters) {
  return sentence.repeat(Math.ceil(characters / sentence.length)).slice(0, characters - 1) + '.';
}

function cut(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += deltaSize) pieces.push(text.slice(at, at + deltaSize));
  return pieces;
}

function block(index, content_block, deltas) {
  return [{ type: 'content_block_start', index, content_block }, ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })), { type: 'content_block_stop', index }];
}

function framed(model, blocks, { stopReason, characters }) {
  const events = [
    { type: 'message_start', message: message(model, [], null) },
    ...blocks.flat(),
    { type: 'message_delta', delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: Math.ceil(characters / 4) } },
    { type: 'message_stop' },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

function once(key, make) {
  if (!answers.has(key)) answers.set(key, make());
  return answers.get(key);
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
