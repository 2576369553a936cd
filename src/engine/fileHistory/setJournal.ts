import { errorText, TurnstoneError } from '../../base/errors.ts';
import type { ChangeSetLine, RewindLine, SnapshotLine } from '../../protocol/transcript.ts';
import type { Digest, Documents, FileSystem, TextEncodings } from '../ports.ts';
import type { SetFile, SetRecording } from '../tools/tool.ts';
import type { TranscriptStore } from '../transcript/transcriptStore.ts';
import { applyRewind } from './applyRewind.ts';
import type { AppliedRewind } from './applyRewind.ts';
import { decideCutShort, openSets } from './cutShortSets.ts';
import { FileStates } from './fileStates.ts';
import { MemoryBlobs } from './memoryBlobs.ts';
import type { Restoration } from './restoration.ts';
import { historiesSince } from './rewindPlan.ts';
import type { FileEvent } from './rewindPlan.ts';

export interface SetJournalOptions {
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly documents: Documents;
  readonly encodings?: TextEncodings | undefined;
  readonly states: FileStates;
  readonly restoration: Restoration;
  readonly store: Pick<TranscriptStore, 'record' | 'commit'>;
  /** Of the loaded transcript, in file order. */
  readonly changeSets: readonly ChangeSetLine[];
  readonly isOff?: boolean | undefined;
  /** The rest of the file history. */
  readonly events: () => FileEvent[];
  readonly snapshots: readonly SnapshotLine[];
  readonly nextSequence: () => number;
  /** Commits that these files are taken back, then does it. */
  readonly rollBack: (messageId: string, files: RewindLine['files']) => Promise<Pick<AppliedRewind, 'failed'>>;
}

type Failed = AppliedRewind['failed'];

/** Writes that belong together: taken back when one fails, and at the next start where the process died among them. */
export class SetJournal {
  readonly #options: SetJournalOptions;

  constructor(options: SetJournalOptions) {
    this.#options = options;
  }

  /** See `beginSet` of the file history. `mark`: the number of the last line before the set. */
  async begin(messageId: string, files: readonly SetFile[], mark: number): Promise<SetRecording> {
    const paths = files.map(({ path }) => path);
    const takeBack = this.#options.isOff ? await this.#rememberInMemory(paths) : () => this.#takeBack(messageId, paths, mark);
    const end = await this.#open(messageId, files).catch((thrown: unknown) => {
      throw new TurnstoneError('disk', `Nothing was changed, because it could not be written down what was about to change. ${errorText(thrown)}`, { cause: thrown });
    });
    return {
      end,
      takeBack: async () => {
        const left = await takeBack().catch((thrown: unknown) => paths.map((path) => ({ path, reason: errorText(thrown) })));
        end();
        return left;
      },
    };
  }

  /** At resume: what was written of a set whose writing was cut short is taken back. Returns notices. */
  async finish(): Promise<string[]> {
    const { changeSets, snapshots, states, events, rollBack } = this.#options;
    const notices: string[] = [];
    for (const line of openSets(changeSets, snapshots)) {
      const present = new Map(await Promise.all(line.files.map(async ({ path }) => [path, await states.read(path, true)] as const)));
      const cutShort = decideCutShort(line, present, events());
      const { failed } = cutShort.files.length > 0 ? await rollBack(line.messageId, cutShort.files) : { failed: [] };
      this.#end(line);
      notices.push(...cutShort.notices, ...failed.map(({ path, reason }) => `${path} could not be taken back: ${reason}`));
    }
    return notices;
  }

  /** A single write is there whole or not at all, and needs no line. */
  async #open(messageId: string, files: readonly SetFile[]): Promise<() => void> {
    if (files.reduce((sum, { hashes }) => sum + hashes.length, 0) < 2) return () => {};
    const line = await this.#options.store.commit({ type: 'change-set', uuid: crypto.randomUUID(), messageId, files: files.map(({ path, hashes }) => ({ path, hashes: [...hashes] })), sequence: this.#options.nextSequence() });
    return () => this.#end(line);
  }

  #end({ uuid, messageId }: Pick<ChangeSetLine, 'uuid' | 'messageId'>): void {
    this.#options.store.record({ type: 'change-set', uuid: crypto.randomUUID(), messageId, files: [], endOf: uuid, sequence: this.#options.nextSequence() });
  }

  async #takeBack(messageId: string, paths: readonly string[], mark: number): Promise<Failed> {
    const { events, restoration, rollBack } = this.#options;
    const histories = historiesSince(events(), mark + 1).filter(({ path }) => paths.includes(path));
    if (histories.length === 0) return [];
    const { files } = await restoration.prepare(histories, { scope: 'files', skip: [], overwrite: paths });
    return (await rollBack(messageId, files)).failed;
  }

  /** Where nothing is kept on disk, what the files held is kept for as long as the set takes. */
  async #rememberInMemory(paths: readonly string[]): Promise<() => Promise<Failed>> {
    const states = new FileStates({ ...this.#options, blobs: new MemoryBlobs(this.#options.digest) });
    const before = await Promise.all(paths.map(async (path) => ({ path, to: await states.read(path, true) })));
    return async () => {
      const files = await Promise.all(before.map(async ({ path, to }) => ({ path, from: await states.read(path, false), to })));
      return (await applyRewind({ files }, states, this.#options.files)).failed;
    };
  }
}
