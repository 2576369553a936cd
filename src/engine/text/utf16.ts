/** One character per UTF-16 unit, whatever it is; encodes to the same bytes again. The length is even. */
export function decodeUtf16(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  // In blocks: `fromCharCode` takes its units as arguments, of which there is a limit.
  for (let start = 0; start < bytes.length; start += 16_384) {
    const units: number[] = [];
    for (let at = start; at < Math.min(start + 16_384, bytes.length); at += 2) units.push(view.getUint16(at, littleEndian));
    parts.push(String.fromCharCode(...units));
  }
  return parts.join('');
}

export function encodeUtf16(text: string, littleEndian: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(index * 2, text.charCodeAt(index), littleEndian);
  return bytes;
}

/**
 * The byte order of UTF-16 that has no mark: most of its characters are ASCII, so one byte of two is zero and never the
 * other. Undefined where that is not plain.
 */
export function utf16WithoutMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  // Fewer are as likely something else.
  if (bytes.length < 8 || bytes.length % 2 !== 0) return undefined;
  let [even, odd] = [0, 0];
  for (let at = 0; at < bytes.length; at += 2) {
    if (bytes[at] === 0) even++;
    if (bytes[at + 1] === 0) odd++;
  }
  const many = bytes.length / 2 / 2;
  if (even === 0 && odd >= many) return 'utf-16le';
  return odd === 0 && even >= many ? 'utf-16be' : undefined;
}
