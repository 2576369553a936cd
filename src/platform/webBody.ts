import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The body, unpacked; undefined when it is larger than `maxBytes`, which is noticed before all of it was read. */
export async function readWebBody(message: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) {
    message.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(message)) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxBytes) return undefined;
    }
    return Buffer.concat(chunks);
  } finally {
    message.destroy();
  }
}

/** By the header, else by what an HTML page says of itself, else UTF-8. */
export function decodeWebText(bytes: Uint8Array, contentType: string): string {
  const start = Buffer.from(bytes.subarray(0, 2_048)).toString('latin1');
  const named = /charset\s*=\s*["']?([\w-]+)/i.exec(contentType)?.[1] ?? /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1];
  return decoderFor(named).decode(bytes);
}

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset ?? 'utf-8');
  } catch {
    // A name that nobody knows: nearly all pages are UTF-8.
    return new TextDecoder('utf-8');
  }
}

function unpacked(message: IncomingMessage): Readable {
  const unpacker = unpackerFor(message.headers['content-encoding']?.trim().toLowerCase());
  if (!unpacker) return message;
  // What goes wrong is thrown to whoever reads the unpacker.
  return pipeline(message, unpacker, () => {});
}

function unpackerFor(encoding: string | undefined): ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress> | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
