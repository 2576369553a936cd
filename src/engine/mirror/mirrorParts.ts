import type { Digest, FileSystem, SessionStore } from '../ports.ts';
import type { MirroredPlace } from './mirrorKeys.ts';
import type { MirrorState } from './mirrorState.ts';

export interface MirrorParts {
  readonly files: FileSystem;
  readonly store: SessionStore;
  readonly digest: Digest;
  readonly dataRoot: string;
  /** Of this mirror in `dataRoot`: what of which session it has. */
  readonly stateFolder: string;
}

/**
 * 'mirrored': the mirror holds every whole line. 'behind': it holds more, from another machine. 'diverged': the session
 * was gone on with here and elsewhere; the mirror keeps the other one, and nothing is overwritten.
 */
export type MirrorOutcome = 'mirrored' | 'behind' | 'diverged';

export interface SessionInMirror {
  readonly place: MirroredPlace;
  readonly state: MirrorState;
}
