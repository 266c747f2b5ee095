import { DroverError } from '../core/errors.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  venue: 3,
  safety: 4,
  interrupted: 130,
} as const;

/** By `DroverError.code`. A code that is not here means that the work failed. */
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
