/** Beginnings of image files of any size, without any pixels in them. */

export function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  header.write('\x89PNG\r\n\x1a\n', 0, 'latin1');
  header.writeUInt32BE(13, 8);
  header.write('IHDR', 12, 'latin1');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

export function gifHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.write('GIF89a', 0, 'latin1');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
}

/** With a profile and a Huffman table before the frame, as cameras write them. */
export function jpegHeader(width: number, height: number, startOfFrame = 0xc0): Buffer {
  const segment = (marker: number, content: Buffer): Buffer => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(content.length + 2);
    return Buffer.concat([Buffer.from([0xff, marker]), length, content]);
  };
  const frame = Buffer.alloc(6);
  frame[0] = 8;
  frame.writeUInt16BE(height, 1);
  frame.writeUInt16BE(width, 3);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), segment(0xe1, Buffer.from('Exif with a preview: \xff\xd8\xff\xc0', 'latin1')), segment(0xc4, Buffer.alloc(20)), Buffer.from([0xff]), segment(startOfFrame, frame)]);
}

export function webpHeader(kind: 'VP8X' | 'VP8L' | 'VP8 ', width: number, height: number): Buffer {
  const header = Buffer.alloc(30);
  header.write('RIFF', 0, 'latin1');
  header.write(`WEBP${kind}`, 8, 'latin1');
  if (kind === 'VP8X') {
    header.writeUIntLE(width - 1, 24, 3);
    header.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8L') {
    header[20] = 0x2f;
    header.writeUInt32LE((width - 1) + (height - 1) * 0x4000, 21);
  } else {
    header.writeUInt16LE(width, 26);
    header.writeUInt16LE(height, 28);
  }
  return header;
}
