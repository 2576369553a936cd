import type { Clock } from '../../base/abort.ts';
import type { DisposableLike } from '../../base/disposables.ts';
import { errorText } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import { mirrorSession, placeOfTranscript } from './mirrorSession.ts';
import type { MirrorParts } from './mirrorParts.ts';

/** What is written in this time is sent together. Milliseconds. */
const batchMs = 3_000;
/** Between two tries while the mirror fails: doubled each time, up to the second. Milliseconds. */
const firstRetryMs = 5_000;
const longestRetryMs = 5 * 60_000;

export interface SessionMirrorOptions extends MirrorParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Told once when the mirror begins to fail, and once for each session that it can't follow, with a text for the user. */
  readonly onTrouble: (text: string) => void;
}

/**
 * Sends what is new in sessions to a mirror, in the background: nothing waits for it, and nothing is lost by its failure,
 * since what was not sent is still in the local file and is sent later, also by the next process.
 */
export class SessionMirror {
  readonly #options: SessionMirrorOptions;
  /** Transcripts with something new in them. */
  readonly #waiting = new Set<string>();
  /** Sessions that were gone on with elsewhere: told once. */
  readonly #told = new Set<string>();
  #running: Promise<void> | undefined;
  #timer: DisposableLike | undefined;
  #failures = 0;
  #isDisposed = false;

  constructor(options: SessionMirrorOptions) {
    this.#options = options;
  }

  /** A transcript has grown. Returns at once. */
  touch(transcript: string): void {
    // To the end, though it may have been there already.
    this.#waiting.delete(transcript);
    this.#waiting.add(transcript);
    this.#schedule(batchMs);
  }

  /** Everything that was written while no mirror was there. Returns at once. */
  async catchUp(): Promise<void> {
    const { files, dataRoot, log } = this.#options;
    try {
      const projects = joinPath(dataRoot, 'projects');
      if ((await files.stat(projects))?.kind !== 'folder') return;
      for (const project of await files.readFolder(projects)) {
        if (project.kind !== 'folder') continue;
        const folder = joinPath(projects, project.name);
        for (const { name } of await files.readFolder(folder)) if (name.endsWith('.jsonl')) this.#waiting.add(joinPath(folder, name));
      }
      this.#schedule(batchMs);
    } catch (thrown) {
      log.warn(`The sessions for the mirror could not be listed: ${errorText(thrown)}`);
    }
  }

  /** Sends now what waits. Resolves when that has ended, well or not, and after `ms` milliseconds at the latest. */
  async settle(ms: number): Promise<void> {
    const { clock } = this.#options;
    let timer: DisposableLike | undefined;
    const timeout = new Promise<void>((resolve) => (timer = clock.setTimeout(resolve, ms)));
    await Promise.race([this.#run(), timeout]);
    timer?.dispose();
  }

  /** How many sessions have something that is not there yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }

  #schedule(ms: number): void {
    if (this.#isDisposed || this.#timer || this.#running || this.#waiting.size === 0) return;
    this.#timer = this.#options.clock.setTimeout(() => void this.#run(), ms);
  }

  /** One round at a time. Never rejects. */
  #run(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#running ??= this.#sendAll().finally(() => {
      this.#running = undefined;
      this.#schedule(this.#failures === 0 ? batchMs : Math.min(firstRetryMs * 2 ** (this.#failures - 1), longestRetryMs));
    });
    return this.#running;
  }

  /** What was touched last is what is worked on: it goes first. */
  async #sendAll(): Promise<void> {
    for (const transcript of [...this.#waiting].reverse()) {
      if (this.#isDisposed) return;
      this.#waiting.delete(transcript);
      try {
        await this.#send(transcript);
        this.#failures = 0;
      } catch (thrown) {
        this.#waiting.add(transcript);
        this.#fail(thrown);
        // The others would most likely fail alike.
        return;
      }
    }
  }

  async #send(transcript: string): Promise<void> {
    const outcome = await mirrorSession(this.#options, transcript);
    if (outcome === 'mirrored' || this.#told.has(transcript)) return;
    this.#told.add(transcript);
    const { sessionId } = placeOfTranscript(transcript);
    this.#options.onTrouble(outcome === 'behind' ? behind(sessionId) : diverged(sessionId));
  }

  #fail(thrown: unknown): void {
    const text = `The mirror of your sessions can’t be written: ${errorText(thrown)} Everything is saved here, and is sent there as soon as that works again.`;
    if (this.#failures === 0) this.#options.onTrouble(text);
    this.#failures += 1;
    this.#options.log.debug(`mirror, attempt ${this.#failures}: ${errorText(thrown)}`);
  }
}

function behind(sessionId: string): string {
  return `The mirror holds more of the session ${sessionId} than this machine: it was gone on with elsewhere. Nothing was overwritten on either side.`;
}

function diverged(sessionId: string): string {
  return `The session ${sessionId} was gone on with on another machine as well, and the mirror keeps what was said there. What is said here is saved here. To have both in the mirror, go on in a fork.`;
}
