import type { Documents } from '../engine/ports.ts';

/** Where there is no editor, the disk is the truth. */
export const noDocuments: Documents = {
  unsavedText: () => undefined,
  write: () => Promise.resolve(false),
};
