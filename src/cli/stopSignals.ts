import { basename } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { Environment } from './config/environment.ts';

/** The same signal again so soon is the same wish: `timeout` and npm pass on what the whole group was sent. */
const ECHO_MS = 500;

/**
 * Whether a process was begun by `nohup`. Node takes back what was ignored when it began, and keeps no word of it; the
 * shell has noted the name in `_`.
 */
export const isUnderNohup = (env: Environment): boolean => basename(env['_'] ?? '') === 'nohup';

/** Tells of each signal as it comes whether it only repeats the one before. */
export function echoes(clock: Pick<Clock, 'monotonic'>): (name: string) => boolean {
  let last = { name: '', at: -Infinity };
  return (name) => {
    const at = clock.monotonic();
    if (name === last.name && at - last.at < ECHO_MS) return true;
    last = { name, at };
    return false;
  };
}
