import type { JsonObject } from '../../base/json.ts';

/** A parsed line and where it stood. */
export interface TranscriptEntry {
  /** Line number, from 1; two objects of one line share it. */
  readonly number: number;
  readonly value: JsonObject;
  /** What it says can't be used; where it stands may still tell what its followers belong to. */
  readonly isDamaged?: boolean | undefined;
  /** `value` says only where the message stands in the tree. */
  readonly isIndexed?: boolean | undefined;
}
