import { pino, type Logger } from 'pino';
import type { Clock } from './clock.ts';
import { printableJson } from './printable.ts';
import type { Secrets } from './secrets.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child'>;

export type LogOptions = Readonly<{
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  clock: Clock;
  secrets: Secrets;
  /** Takes one finished line, with its newline. */
  write: (line: string) => void;
}>;

/**
 * JSON-lines logger with timestamps from the clock. Secrets are masked in the finished line, so no field can leak one,
 * and control characters are escaped.
 */
export function createLog({ level, clock, secrets, write }: LogOptions): Log {
  return pino(
    { level, base: null, timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"` },
    { write: (line: string) => write(`${printableJson(secrets.redact(line.trimEnd()))}\n`) },
  );
}

export const silentLog: Log = pino({ level: 'silent' });
