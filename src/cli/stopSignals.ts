import { basename } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Environment } from './config/environment.ts';

/** A repetition of a signal within this time, in ms, counts as the same request: `timeout` and npm pass on what the whole group was sent. */
const ECHO_MS = 500;

/**
 * True for a process that was started by `nohup`. Node restores the signals that were ignored at its start, and keeps no record of it; the
 * shell has noted the name in `_`.
 */
export const isUnderNohup = (env: Environment): boolean => basename(env['_'] ?? '') === 'nohup';

/** Makes a test that is true for a signal that only repeats the one before. */
export function echoes(clock: Pick<Clock, 'monotonic'>): (name: string) => boolean {
  let last = { name: '', at: -Infinity };
  return (name) => {
    const at = clock.monotonic();
    if (name === last.name && at - last.at < ECHO_MS) return true;
    last = { name, at };
    return false;
  };
}
