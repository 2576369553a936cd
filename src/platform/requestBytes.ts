/** What was made of a message, as long as somebody has it: a conversation is sent again and again, a little longer each time. */
const known = new WeakMap<object, Uint8Array>();

/** The JSON of a request, in UTF-8. The same bytes as those of `JSON.stringify`. No part of a request may change once it was sent. */
export function requestBytes(request: object): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const [name, value] of Object.entries(request)) {
    if (value === undefined) continue;
    pieces.push(Buffer.from(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    if (!Array.isArray(value)) pieces.push(Buffer.from(JSON.stringify(value)));
    else pieces.push(...value.flatMap((item: unknown, index) => [index === 0 ? openBracket : comma, bytesOf(item)]), value.length === 0 ? noItems : closeBracket);
  }
  pieces.push(Buffer.from(pieces.length === 0 ? '{}' : '}'));
  return Buffer.concat(pieces);
}

const [openBracket, comma, closeBracket, noItems] = ['[', ',', ']', '[]'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer, Buffer];

function bytesOf(item: unknown): Uint8Array {
  if (typeof item !== 'object' || item === null) return Buffer.from(JSON.stringify(item) ?? 'null');
  let bytes = known.get(item);
  if (!bytes) known.set(item, (bytes = Buffer.from(JSON.stringify(item))));
  return bytes;
}
