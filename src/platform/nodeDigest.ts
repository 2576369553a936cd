import { createHash } from 'node:crypto';
import type { Digest } from '../engine/ports.ts';

export const nodeDigest: Digest = {
  sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
};
