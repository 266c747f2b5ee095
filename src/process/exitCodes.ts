import { DroverError, messageOf } from '../core/errors.ts';
import { toJson } from '../core/json.ts';
import { bounded } from '../core/printable.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Terminal } from './terminal.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  venue: 3,
  safety: 4,
  interrupted: 130,
} as const;

/** Exit codes by `DroverError.code`. Any other code means that the work failed. */
const BY_CODE: Readonly<Record<string, number>> = {
  CONFIG_INVALID: EXIT.usage,
  VALUE_INVALID: EXIT.usage,
  NOT_SENT: EXIT.usage,
  VENUE_UNREACHABLE: EXIT.venue,
  VENUE_REFUSED: EXIT.venue,
  UNAUTHORIZED: EXIT.venue,
  RATE_LIMITED: EXIT.venue,
  OUTCOME_UNKNOWN: EXIT.venue,
  NO_ANSWER: EXIT.venue,
  REFUSED_BY_SAFETY: EXIT.safety,
  INVARIANT_BROKEN: EXIT.failed,
  INTERRUPTED: EXIT.interrupted,
};

/** The exit code for whatever a command threw. */
export const exitCodeOf = (thrown: unknown): number =>
  thrown instanceof DroverError ? (BY_CODE[thrown.code] ?? EXIT.failed) : EXIT.failed;

/** Options of error reports. `secrets` are masked before a text is cut, so that no part of one remains at the cut. */
type Style = Readonly<{ json: boolean; verbose: boolean; secrets: Secrets }>;

/** Maximum length of a message, and of a stack trace, in characters: a config can have errors on many lines. */
const TEXT_MAX = 20_000;

/** Reports an error to people, or with `--json` to programs, always on stderr. */
export function reportFailure(thrown: unknown, terminal: Terminal, { json, verbose, secrets }: Style): void {
  const planned = thrown instanceof DroverError;
  const cut = (text: string) => bounded(secrets.redact(text), TEXT_MAX);
  const stack = verbose && thrown instanceof Error ? cut(thrown.stack ?? '') : undefined;
  const message = cut(messageOf(thrown));
  if (json) {
    const code = planned ? thrown.code : 'UNEXPECTED';
    const details = planned ? thrown.details : {};
    terminal.err(toJson({ error: { code, message, details, ...(stack && { stack }) } }));
    return;
  }
  const hint = planned ? '' : ' (unexpected; --verbose shows where)';
  terminal.err(`drover: ${message}${stack ? '' : hint}`);
  if (stack) terminal.err(stack);
}
