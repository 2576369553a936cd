import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toolUse } from './scriptedMessage.ts';

/** A shell command that stands still in its middle until something else has been done. */
export class PausedCommand {
  readonly #started: string;
  readonly #goOn: string;

  /** `folder`: for its marks, outside of what is looked at. */
  constructor(folder: string) {
    const id = crypto.randomUUID();
    this.#started = join(folder, `${id}.started`);
    this.#goOn = join(folder, `${id}.go`);
  }

  call(first: string, then: string, more: object = {}): ReturnType<typeof toolUse> {
    return toolUse('Bash', { command: `${first}; touch '${this.#started}'; until [ -e '${this.#goOn}' ]; do sleep 0.02; done; ${then}`, ...more });
  }

  /** Resolves when the first half is done. */
  async standsStill(): Promise<void> {
    while (!(await access(this.#started).then(() => true, () => false))) await pause(5);
  }

  async goOn(): Promise<void> {
    await rm(this.#started, { force: true });
    await writeFile(this.#goOn, '');
  }
}
