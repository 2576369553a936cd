import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposables.ts';
import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import type { EngineOptions, Mirror } from '../sdk/index.ts';
import { loadSdk } from './loadSdk.ts';
import { readSettings } from './settings.ts';

const secretName = 'turnstone.mirrorKeys';

export interface MirrorKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The mirror that the settings name, with the keys of the secret storage; none while either is missing. Another one as soon as they change. */
export class Mirroring implements vscode.Disposable {
  readonly #secrets: vscode.SecretStorage;
  readonly #log: Log;
  readonly #disposables = new DisposableStore();
  readonly #troubled = this.#disposables.add(new vscode.EventEmitter<string>());
  /** It began to fail; with a text for the user. */
  readonly onTrouble = this.#troubled.event;
  #mirror: Promise<Mirror | undefined> | undefined;

  constructor(secrets: vscode.SecretStorage, log: Log) {
    this.#secrets = secrets;
    this.#log = log;
    this.#disposables.add(secrets.onDidChange(({ key }) => void (key === secretName && this.#change())));
    this.#disposables.add(vscode.workspace.onDidChangeConfiguration((event) => void ((event.affectsConfiguration('turnstone.mirror') || event.affectsConfiguration('turnstone.home')) && this.#change())));
  }

  /** For sessions: stays the same whatever is set later. */
  readonly forSessions: NonNullable<EngineOptions['mirror']> = {
    touch: (transcript) => void this.current().then((mirror) => mirror?.touch(transcript)),
  };

  /** Begins to catch up when it is there for the first time. Never rejects: what is wrong is told. */
  current(): Promise<Mirror | undefined> {
    this.#mirror ??= this.#open().catch((error: unknown) => {
      this.#troubled.fire(errorText(error));
      return undefined;
    });
    return this.#mirror;
  }

  async setKeys(keys: MirrorKeys): Promise<void> {
    await this.#secrets.store(secretName, JSON.stringify(keys));
  }

  /** Sends what waits, for a moment at most: the window closes. */
  async close(): Promise<void> {
    await (await this.#mirror)?.settle(2_000);
  }

  dispose(): void {
    void this.#mirror?.then((mirror) => mirror?.dispose());
    this.#disposables.dispose();
  }

  async #open(): Promise<Mirror | undefined> {
    const { mirrorUrl: url, mirrorRegion: region, mirrorPrefix: prefix, home } = readSettings();
    if (url === '') return undefined;
    const keys = keysFrom(await this.#secrets.get(secretName));
    if (!keys) {
      this.#troubled.fire('A mirror of your sessions is set, but no keys for it, so nothing is sent there. Run “Turnstone: Set Mirror Keys…”. Everything is saved here as always.');
      return undefined;
    }
    const sdk = await loadSdk();
    const mirror = await sdk.openMirror({ url, region: region || undefined, prefix, ...keys, dataRoot: home || undefined, log: this.#log, onTrouble: (text) => this.#troubled.fire(text) });
    void mirror.catchUp();
    return mirror;
  }

  #change(): void {
    const before = this.#mirror;
    this.#mirror = undefined;
    void before?.then((mirror) => mirror?.dispose());
    // What was written meanwhile goes there now.
    void this.current();
  }
}

function keysFrom(secret: string | undefined): MirrorKeys | undefined {
  const value = secret === undefined ? undefined : tryParseJson(secret);
  const isWhole = isJsonObject(value) && typeof value['accessKeyId'] === 'string' && typeof value['secretAccessKey'] === 'string';
  return isWhole ? (value as unknown as MirrorKeys) : undefined;
}
