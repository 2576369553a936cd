import { isJsonObject, tryParseJson } from '../../base/json.ts';
import type { Digest, FileSystem } from '../ports.ts';
import { joinPath } from '../transcript/transcriptPath.ts';
import type { MirroredPlace } from './mirrorKeys.ts';

const tailBytes = 4096;

interface StatePorts {
  readonly files: FileSystem;
  readonly digest: Digest;
  readonly stateFolder: string;
}

/** How much of a session the mirror has, on disk beside the data. Lost, it is found again by asking the mirror. */
export class MirrorState {
  readonly #files: FileSystem;
  readonly #path: string;
  /** Where the last part begins, which what is new joins. Bytes of the transcript. */
  start = 0;
  /** Of that part, as the store names it; undefined where there is none yet, or it is not known. */
  version: string | undefined;
  /** Bytes of the transcript that are there. */
  sent = 0;
  #tail = '';
  /** `sent` when it was last described. */
  described = 0;
  /** Size and time of the files beside it that are there. */
  files: Record<string, string> = {};

  private constructor(files: FileSystem, path: string) {
    this.#files = files;
    this.#path = path;
  }

  static async read({ files, stateFolder }: StatePorts, { project, sessionId }: MirroredPlace): Promise<MirrorState> {
    const state = new MirrorState(files, joinPath(joinPath(stateFolder, project), `${sessionId}.json`));
    const saved = (await files.stat(state.#path)) ? tryParseJson(new TextDecoder().decode(await files.readFile(state.#path))) : undefined;
    if (!isJsonObject(saved)) return state;
    if (typeof saved['sent'] === 'number') state.sent = saved['sent'];
    // Where older versions sent parts that never grew, the next one begins behind them.
    state.start = typeof saved['start'] === 'number' ? saved['start'] : state.sent;
    if (typeof saved['version'] === 'string') state.version = saved['version'];
    if (typeof saved['tail'] === 'string') state.#tail = saved['tail'];
    if (typeof saved['described'] === 'number') state.described = saved['described'];
    if (isJsonObject(saved['files'])) state.files = saved['files'] as Record<string, string>;
    return state;
  }

  /** A file that was exchanged is compared with the mirror from its beginning. */
  async check(ports: StatePorts, transcript: string): Promise<void> {
    if (this.sent > 0 && (await tailOf(ports, transcript, this.sent)) !== this.#tail) this.beginAnew();
  }

  /** The last part is as large as it gets. */
  beginPart(): void {
    this.start = this.sent;
    this.version = undefined;
  }

  /** Nothing is known to be there. */
  beginAnew(): void {
    this.sent = this.described = this.start = 0;
    this.version = undefined;
  }

  /** The last part is there with this length (bytes). */
  async add(ports: StatePorts, transcript: string, { length, version }: { readonly length: number; readonly version: string }): Promise<void> {
    this.sent = this.start + length;
    this.version = version === '' ? undefined : version;
    this.#tail = await tailOf(ports, transcript, this.sent);
    await this.#save();
  }

  async noteFile(name: string, mark: string): Promise<void> {
    this.files[name] = mark;
    await this.#save();
  }

  async noteDescribed(): Promise<void> {
    this.described = this.sent;
    await this.#save();
  }

  #save(): Promise<void> {
    const { start, version, sent, described, files } = this;
    const text = JSON.stringify({ start, version, sent, tail: this.#tail, described, files });
    return this.#files.writeFile(this.#path, new TextEncoder().encode(text), { mode: 0o600, durable: false });
  }
}

/** What the last bytes are that were sent: tells whether the file is still the one that they came from. */
async function tailOf({ files, digest }: StatePorts, transcript: string, end: number): Promise<string> {
  const start = Math.max(0, end - tailBytes);
  return digest.sha256(await files.readRange(transcript, start, end - start));
}
