/** One character per byte: for looking at lines without knowing an encoding. {@link bytesFromText} gives the bytes back. */
export function textFromBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  // In blocks: `fromCharCode` takes its units as arguments, of which there is a limit.
  for (let start = 0; start < bytes.length; start += 16_384) parts.push(String.fromCharCode(...bytes.subarray(start, start + 16_384)));
  return parts.join('');
}

export function bytesFromText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
