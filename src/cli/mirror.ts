import type { Log } from '../base/log.ts';
import { openMirror } from '../sdk/index.ts';
import type { Mirror } from '../sdk/index.ts';

/** How long the end of a command waits for what is not yet in the mirror. Milliseconds. */
const patienceMs = 10_000;

/**
 * Runs a command with the mirror that the environment names. What could not be sent in time is sent by the next
 * command. Throws a `configuration` error when the address is none.
 */
export async function withMirror<T>(env: NodeJS.ProcessEnv, log: Log, run: (mirror: Mirror) => Promise<T>): Promise<T> {
  const mirror = await openMirror({
    url: env['TURNSTONE_MIRROR_URL']?.trim() ?? '',
    region: env['TURNSTONE_MIRROR_REGION']?.trim() || env['AWS_REGION']?.trim(),
    prefix: env['TURNSTONE_MIRROR_PREFIX']?.trim(),
    accessKeyId: (env['TURNSTONE_MIRROR_ACCESS_KEY_ID'] ?? env['AWS_ACCESS_KEY_ID'] ?? '').trim(),
    secretAccessKey: (env['TURNSTONE_MIRROR_SECRET_ACCESS_KEY'] ?? env['AWS_SECRET_ACCESS_KEY'] ?? '').trim(),
    log,
    onTrouble: (text) => log.warn(text),
  });
  try {
    const caughtUp = mirror.catchUp();
    const result = await run(mirror);
    await caughtUp;
    await mirror.settle(patienceMs);
    return result;
  } finally {
    mirror.dispose();
  }
}
