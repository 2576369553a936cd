export interface ImageSize {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * Width and height of a PNG, JPEG, GIF or WebP from its header, without decoding it; undefined where the header is
 * none of these, cut off or damaged. Layouts: PNG (W3C) IHDR, JPEG (ITU-T T.81) SOF, GIF89a screen descriptor,
 * WebP (RFC 9649) VP8X, VP8L and VP8.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = sizeIn(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (thrown) {
    // The header promises more than there is.
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function sizeIn(view: DataView): ImageSize | undefined {
  if (textAt(view, 1, 3) === 'PNG') return { width: view.getUint32(16), height: view.getUint32(20) };
  if (textAt(view, 0, 3) === 'GIF') return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  return textAt(view, 0, 4) === 'RIFF' && textAt(view, 8, 4) === 'WEBP' ? webpSize(view) : undefined;
}

/** Segment by segment to the first start of frame; a photograph's preview and profiles stand before it. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) at += 1;
    else if (isStartOfFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Markers that have no content: TEM and restarts.
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2;
    else at += 2 + view.getUint16(at + 2);
  }
}

/** SOF0 to SOF15, without the tables that stand among them: DHT, JPG and DAC. */
function isStartOfFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (textAt(view, 12, 4)) {
    case 'VP8X':
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function textAt(view: DataView, start: number, length: number): string {
  return String.fromCharCode(...Array.from({ length }, (_, index) => view.getUint8(start + index)));
}
