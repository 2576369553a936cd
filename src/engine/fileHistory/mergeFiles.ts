import type { MergeConflict } from '../../protocol/rewind.ts';
import { bytesFromText, textFromBytes } from '../text/byteText.ts';
import { decodeUtf16, encodeUtf16, utf16WithoutMark } from '../text/utf16.ts';
import { mergeUserChanges } from './mergeUserChanges.ts';

export interface FileVersions {
  /** How the agent left it. */
  readonly base: Uint8Array;
  readonly present: Uint8Array;
  /** What it was before the agent. */
  readonly target: Uint8Array;
}

export interface MergedBytes {
  readonly bytes: Uint8Array;
  readonly conflicts: readonly MergeConflict[];
}

type Units = 'bytes' | 'utf-16le' | 'utf-16be';

/** `body` has one character per byte or per UTF-16 unit: nothing is decoded, so nothing can be lost. */
interface Version {
  readonly mark: readonly number[];
  readonly units: Units;
  /** How letters beyond ASCII are stored; undefined when there are none. */
  readonly letters: 'utf-8' | 'other' | undefined;
  readonly body: string;
}

const marks: readonly { readonly units: Units; readonly bytes: readonly number[] }[] = [
  { units: 'bytes', bytes: [0xef, 0xbb, 0xbf] },
  { units: 'utf-16le', bytes: [0xff, 0xfe] },
  { units: 'utf-16be', bytes: [0xfe, 0xff] },
];

/**
 * {@link mergeUserChanges} for the bytes of files, whatever their encoding: lines are moved as they are. Undefined when
 * that makes no sense: one is no text, or they are stored in different ways, so that lines of both can't stand in one file.
 */
export function mergeFiles(versions: FileVersions): MergedBytes | undefined {
  const [base, present, target] = [look(versions.base), look(versions.present), look(versions.target)];
  if (!base || !present || !target) return undefined;
  const all = [base, present, target].filter((version) => version.body !== '');
  const letters = new Set(all.flatMap((version) => version.letters ?? []));
  if (new Set(all.map((version) => version.units)).size > 1 || letters.size > 1) return undefined;
  const { text, conflicts } = mergeUserChanges({ base: base.body, present: present.body, target: target.body });
  const { mark } = present.mark.length === base.mark.length ? target : present;
  const body = unread(text, all[0]?.units ?? 'bytes');
  return { bytes: mark.length === 0 ? body : Uint8Array.from([...mark, ...body]), conflicts };
}

function look(bytes: Uint8Array): Version | undefined {
  const known = marks.find((mark) => mark.bytes.every((byte, index) => bytes[index] === byte));
  const rest = bytes.subarray(known?.bytes.length ?? 0);
  const units = known?.units ?? (rest.includes(0) ? utf16WithoutMark(rest) : 'bytes');
  if (!units || (units !== 'bytes' && rest.length % 2 !== 0)) return undefined;
  const body = units === 'bytes' ? textFromBytes(rest) : decodeUtf16(rest, units === 'utf-16le');
  if (body.includes('\0')) return undefined;
  return { mark: known?.bytes ?? [], units, letters: units === 'bytes' ? lettersOf(rest, body) : undefined, body };
}

function lettersOf(bytes: Uint8Array, body: string): Version['letters'] {
  if (!/[\x80-\xff]/.test(body)) return undefined;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'other';
  }
}

function unread(text: string, units: Units): Uint8Array {
  return units === 'bytes' ? bytesFromText(text) : encodeUtf16(text, units === 'utf-16le');
}
