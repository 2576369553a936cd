import type { TextEncodings } from '../engine/ports.ts';

/** Bytes that are looked at to guess an encoding. */
const guessedFrom = 256 * 1024;
/** Unicode is not guessed: it is known, or it is not. ISO-2022 switches its alphabet in mid-text. */
const neverGuessed = /^(UTF|ASCII|ISO-2022)/;

/** Loaded when the first file is met that is no Unicode: most sessions never meet one. */
export const textEncodings: TextEncodings = {
  async guess(bytes) {
    const { analyse } = await loadChardet();
    const found = analyse(bytes.subarray(0, guessedFrom)).filter(({ name }) => !neverGuessed.test(name));
    const isWestern = !found[0] || /^(ISO-8859-1|windows-1252)$/i.test(found[0].name);
    const chinese = isWestern && looksChinese(bytes) ? ['GB18030'] : [];
    // The last one takes any bytes.
    return [...new Set([...chinese, ...found.map(({ name }) => name), 'windows-1252', 'ISO-8859-1'])];
  },

  async decode(bytes, name) {
    const iconv = await loadIconv();
    return iconv.encodingExists(name) ? iconv.decode(bytes, name, { stripBOM: false }) : undefined;
  },

  async encode(text, name) {
    const iconv = await loadIconv();
    return iconv.encodingExists(name) ? new Uint8Array(iconv.encode(text, name, { addBOM: false })) : undefined;
  },
};

// By their default exports: in the bundle these modules have no others.
async function loadChardet() {
  return (await import('chardet')).default;
}

async function loadIconv() {
  return (await import('iconv-lite')).default;
}

/**
 * All bytes beyond ASCII come in pairs that are common Chinese characters (GB 2312), two of them in a row somewhere. A few of
 * them in a program say too little for statistics; Western texts have single letters between ASCII ones.
 */
function looksChinese(bytes: Uint8Array): boolean {
  let longest = 0;
  for (let at = 0; at < bytes.length; at++) {
    let run = 0;
    for (; bytes[at]! >= 0x80; at += 2, run++) {
      if (bytes[at]! < 0xa1 || bytes[at]! > 0xf7 || (bytes[at + 1] ?? 0) < 0xa1) return false;
    }
    longest = Math.max(longest, run);
  }
  return longest >= 2;
}
