import { errorText } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Telemetry } from '../engine/ports.ts';
import { TURNSTONE_VERSION } from './version.ts';

let opened: Promise<Telemetry | undefined> | undefined;

/**
 * One for all sessions of a process, loaded when the first one wants it; undefined when nobody does. It goes to a
 * collector of the user's own: that it is wanted must be said, by `wanted` or TURNSTONE_TELEMETRY=1. Never rejects.
 */
export async function openTelemetry(wanted: boolean | undefined, log: Log): Promise<Telemetry | undefined> {
  if (!(wanted ?? process.env['TURNSTONE_TELEMETRY'] === '1')) return undefined;
  opened ??= load(log);
  return opened;
}

async function load(log: Log): Promise<Telemetry | undefined> {
  try {
    const { otlpTelemetry } = await import('../platform/telemetry/otlpTelemetry.ts');
    return otlpTelemetry({ env: process.env, version: TURNSTONE_VERSION, log });
  } catch (thrown) {
    log.warn(`Telemetry could not be set up, so nothing is sent: ${errorText(thrown)}`);
    return undefined;
  }
}
