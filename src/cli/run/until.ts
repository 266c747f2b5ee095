import { InvalidValueError } from '../../core/errors.ts';
import type { Until } from '../../engine/runOptions.ts';
import { parseInstant } from '../config/instant.ts';

/** `close`, `sessions:3`, or an instant. @throws {InvalidValueError} */
export function parseUntil(text: string): Until {
  if (text === 'close') return { kind: 'sessions', count: 1 };
  const [, count] = /^sessions:([1-9]\d{0,4})$/.exec(text) ?? [];
  if (count !== undefined) return { kind: 'sessions', count: Number(count) };
  try {
    return { kind: 'instant', at: parseInstant(text) };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new InvalidValueError(
      `--until ${text}: write close, sessions:N or a time such as 2026-06-15T16:30`,
    );
  }
}
