import { writeSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { MessageAssembler } from '../../src/engine/model/messageAssembler.ts';
import { nodeFileSystem } from '../../src/platform/nodeFileSystem.ts';
import { temporaryPath } from '../../src/platform/writeFileWhole.ts';

/** Where this process kills itself: `<phase>/<what>#<n>`, the nth time that comes in that phase. */
export class KillPoints {
  readonly #target: string | undefined;
  readonly #counts = new Map<string, number>();
  /** What the scenario is at. */
  phase = 'start';

  constructor(target: string | undefined) {
    this.#target = target;
  }

  /** Each is said aloud, so that a run which lives on names all the places where one could die. */
  pass(what: string): void {
    if (this.#isHere(what)) die();
  }

  /** Every change of the disk becomes three places: before it, when half of it is there, and after it. */
  watchDisk(): void {
    const { appendFile: append, writeFile: write, remove } = nodeFileSystem;
    Object.assign(nodeFileSystem, {
      appendFile: async (path: string, text: string) => {
        const kind = kindOfLines(text);
        this.pass(`before append of ${kind}`);
        if (this.#isHere(`half an append of ${kind}`)) {
          const bytes = Buffer.from(text);
          await appendFile(path, bytes.subarray(0, Math.floor(bytes.length / 2)));
          die();
        }
        await append(path, text);
        this.pass(`after append of ${kind}`);
      },
      writeFile: async (...args: Parameters<typeof write>) => {
        const [path, bytes] = args;
        const name = path.includes('workspace') ? 'file' : 'saved content';
        this.pass(`before write of ${name}`);
        if (this.#isHere(`half a write of ${name}`)) {
          // What the real one has on disk between its first byte and its rename.
          await writeFile(temporaryPath(path), bytes.subarray(0, Math.ceil(bytes.length / 2))).catch(() => {});
          die();
        }
        await write(...args);
        this.pass(`after write of ${name}`);
      },
      remove: async (path: string) => {
        this.pass('before removing a file');
        await remove(path);
        this.pass('after removing a file');
      },
    });
  }

  /** Each event of every answer, also of those that nobody is shown, just before it is taken in. */
  watchAnswers(): void {
    const { push } = MessageAssembler.prototype;
    const pass = (what: string): void => this.pass(what);
    MessageAssembler.prototype.push = function (event) {
      pass(`heard ${event.type}`);
      return push.call(this, event);
    };
  }

  #isHere(what: string): boolean {
    const place = `${this.phase}/${what}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    say({ place: `${place}#${count}` });
    return this.#target === `${place}#${count}`;
  }
}

/** Written before this returns: what was said is known even when the next instruction is the last. */
export function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('this process was to be dead by now');
}

function kindOfLines(text: string): string {
  const has = (part: string): boolean => text.includes(part);
  if (has('"type":"rewind"')) return 'the rewind';
  if (has('"subtype":"compact_boundary"')) return 'the boundary';
  if (has('"endOf"')) return 'the end of a set';
  if (has('"type":"change-set"')) return 'a set';
  if (has('"rewindId"')) return 'the end of the rewind';
  if (has('"type":"tool_result"')) return 'results';
  if (has('"type":"assistant"')) return 'an answer';
  if (has('"type":"user"')) return 'what was said';
  if (has('"type":"partial"')) return 'a partial answer';
  return 'notes';
}
