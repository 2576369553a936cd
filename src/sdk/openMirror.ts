import type { Mirror, MirrorOptions } from './mirror.ts';

/** Rejects with a `configuration` error when the address is none. Who has no mirror loads nothing of it. */
export async function openMirror(options: MirrorOptions): Promise<Mirror> {
  const late = await import('./mirror.ts');
  return new late.Mirror(options);
}
