import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isJsonObject, tryParseJson } from '../base/json.ts';
import { systemErrorCode } from '../base/errors.ts';
import { isAlive, ownIdentity, startTimeOf } from './processIdentity.ts';
import type { ProcessIdentity } from './processIdentity.ts';
import { endLeftOver } from './processTree.ts';

const ending = '.running.json';
/** The variable by which what a command started is found. */
export const markName = 'TURNSTONE_COMMAND';

export interface CommandToStart {
  /** `NAME=value` that all its processes have in their environment. */
  readonly mark: string;
  readonly command: string;
}

/** What is written down of a command. */
export interface CommandEntry {
  /** `pid`: of the shell that runs it. */
  started(pid: number): void;
  over(): void;
}

interface RunningCommand extends CommandToStart {
  /** Missing where we were killed in the moment of its start: the mark alone tells then. */
  readonly pid?: number;
  readonly startTime?: string;
}

/** A command that outlived the process that had started it, and has been ended. */
export interface LeftOverCommand {
  readonly sessionId: string;
  readonly command: string;
}

/**
 * Writes down which commands a session runs (`<session>.running.json`, gone when there are none), so that they can be
 * found when its process is killed: then nobody ends them.
 */
export class RunningCommands {
  readonly #path: string;
  readonly #running = new Map<string, RunningCommand>();

  /** `transcript`: the `.jsonl` file of the session. */
  constructor(transcript: string) {
    this.#path = transcript.replace(/\.jsonl$/, ending);
  }

  /** Written before it starts: the moment after that may be the one in which we are killed. */
  add(command: CommandToStart): CommandEntry {
    const { mark } = command;
    this.#running.set(mark, command);
    this.#write();
    return {
      started: (pid) => {
        this.#running.set(mark, { ...command, pid, startTime: startTimeOf(pid) ?? '' });
        this.#write();
      },
      over: () => {
        this.#running.delete(mark);
        this.#write();
      },
    };
  }

  #write(): void {
    try {
      if (this.#running.size === 0) return rmSync(this.#path, { force: true });
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(this.#path, `${JSON.stringify({ owner: ownIdentity(), commands: [...this.#running.values()] })}\n`, { mode: 0o600 });
    } catch {
      // A full disk is told where it costs something; here it is only the tidying up after a kill.
    }
  }
}

/** Ends what commands of this folder's sessions left running when their process was killed. Never rejects. */
export async function endLeftOverCommands(folder: string): Promise<LeftOverCommand[]> {
  const ended: LeftOverCommand[] = [];
  for (const name of await namesIn(folder)) {
    if (!name.endsWith(ending)) continue;
    const path = join(folder, name);
    const record = await readRecord(path);
    // Of another machine, or of a session that is at work.
    if (!record || isAlive(record.owner) !== false) continue;
    for (const { pid, startTime, mark, command } of record.commands) {
      const isSame = pid !== undefined && startTime !== '' && startTimeOf(pid) === startTime;
      if (await endLeftOver(isSame ? pid : undefined, mark)) ended.push({ sessionId: basename(name, ending), command });
    }
    await rm(path, { force: true }).catch(() => {});
  }
  return ended;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return [];
    throw error;
  }
}

async function readRecord(path: string): Promise<{ readonly owner: ProcessIdentity; readonly commands: readonly RunningCommand[] } | undefined> {
  const value = tryParseJson(await readFile(path, 'utf8').catch(() => ''));
  if (!isJsonObject(value) || !isIdentity(value['owner']) || !Array.isArray(value['commands'])) return undefined;
  return { owner: value['owner'], commands: value['commands'].filter(isRunningCommand) };
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isJsonObject(value) && typeof value['pid'] === 'number' && typeof value['startTime'] === 'string' && typeof value['host'] === 'string';
}

function isRunningCommand(value: unknown): value is RunningCommand {
  if (!isJsonObject(value) || typeof value['mark'] !== 'string' || typeof value['command'] !== 'string') return false;
  return value['pid'] === undefined || (typeof value['pid'] === 'number' && typeof value['startTime'] === 'string');
}
