/**
 * How a session lies in a mirror: its transcript in parts, each named after the offset in bytes where it begins, of which only
 * the last one grows; beside them what a list shows of it, and the files that belong to it. Contents are shared by all sessions.
 *
 * ```
 * sessions/<project>/<session>/000000000000000.jsonl
 * sessions/<project>/<session>/about.json
 * sessions/<project>/<session>/files/<path>
 * blobs/ab/cdef…
 * ```
 */
export interface MirroredPlace {
  /** Name of its folder in `projects`. */
  readonly project: string;
  readonly sessionId: string;
}

export const sessionsPrefix = 'sessions/';

export function partKey(place: MirroredPlace, offset: number): string {
  return `${sessionPrefix(place)}${String(offset).padStart(15, '0')}.jsonl`;
}

export function aboutKey(place: MirroredPlace): string {
  return `${sessionPrefix(place)}about.json`;
}

export function filesPrefix(place: MirroredPlace): string {
  return `${sessionPrefix(place)}files/`;
}

export function blobKey(hash: string): string {
  return `blobs/${hash.slice(0, 2)}/${hash.slice(2)}`;
}

/** Where a part begins; undefined for other keys. */
export function partOffset(key: string): number | undefined {
  const match = /\/(\d{15})\.jsonl$/.exec(key);
  return match ? Number(match[1]) : undefined;
}

/** Undefined for keys that belong to no session, and for names that could lead out of a folder. */
export function placeOf(key: string): MirroredPlace | undefined {
  const match = /^sessions\/([\w-]+)\/([\w-]+)\//.exec(key);
  return match ? { project: match[1]!, sessionId: match[2]! } : undefined;
}

export function sessionPrefix({ project, sessionId }: MirroredPlace): string {
  return `${sessionsPrefix}${project}/${sessionId}/`;
}

/** Every SHA-256 that stands in some bytes of a transcript. */
export function hashesIn(bytes: Uint8Array): ReadonlySet<string> {
  return new Set(new TextDecoder('latin1').decode(bytes).match(/\b[0-9a-f]{64}\b/g));
}
