import type { ChatEvent, Completion } from '../../src/protocol/chatView.ts';

export const commands: readonly Completion[];
export const scenes: Readonly<Record<string, readonly ChatEvent[]>>;
