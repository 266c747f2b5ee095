/** Effect that a failed call may have had at the venue. `unknown` forbids a blind retry. */
export type Effect = 'none' | 'unknown';

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Root of all errors that this package throws on purpose. Each class calls for a different reaction of the catcher. */
export abstract class DroverError extends Error {
  /** Stable, machine-readable code in logs, metrics and `--json`. Never reworded. */
  abstract readonly code: string;
  abstract readonly effect: Effect;
  readonly details: ErrorDetails;

  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.details = details;
  }
}

/** Wrong command, config file or strategy parameters: exit 2, before anything has started. */
export class ConfigError extends DroverError {
  override readonly code = 'CONFIG_INVALID';
  override readonly effect = 'none';
}

/** Malformed value; the message quotes the text. */
export class InvalidValueError extends DroverError {
  override readonly code = 'VALUE_INVALID';
  override readonly effect = 'none';
}

/** Send refused on our side: a request outside its schema, a key without permission, a closed gate. */
export class NotSentError extends DroverError {
  override readonly code = 'NOT_SENT';
  override readonly effect = 'none';
}

/** Error that provably kept the request from the venue: name not resolved, connection refused, TLS failed. */
export class UnreachableError extends DroverError {
  override readonly code = 'VENUE_UNREACHABLE';
  override readonly effect = 'none';
}

/** Response that proves that the venue did nothing. */
export class VenueRefusedError extends DroverError {
  override readonly code = 'VENUE_REFUSED';
  override readonly effect = 'none';
}

/**
 * Response to any failure of authentication. For a send its `effect` is `unknown`: if the network delivered the request
 * twice, this is the response to the second delivery, whose nonce the first has used.
 */
export class UnauthorizedError extends DroverError {
  override readonly code = 'UNAUTHORIZED';
  override readonly effect: Effect;

  constructor(message: string, details: ErrorDetails, effect: Effect) {
    super(message, details);
    this.effect = effect;
  }
}

/** Refusal because of too many requests. A send refused this way may still have taken effect. */
export class RateLimitedError extends DroverError {
  override readonly code = 'RATE_LIMITED';
  override readonly effect = 'unknown';
}

/** Timeout, reset, 5xx or unreadable response to a send that may have taken effect. Read the outcome; do not retry. */
export class OutcomeUnknownError extends DroverError {
  override readonly code = 'OUTCOME_UNKNOWN';
  override readonly effect = 'unknown';
}

/** Read without a usable response: timeout, reset, 5xx, a proxy's error page. Nothing has changed; retry later. */
export class NoAnswerError extends DroverError {
  override readonly code = 'NO_ANSWER';
  override readonly effect = 'none';
}

/** Refusal by a safety rule: missing limits, a kill file, a lock held by another process, a forbidden call. Exit 4. */
export class SafetyError extends DroverError {
  override readonly code = 'REFUSED_BY_SAFETY';
  override readonly effect = 'none';
}

/** Failed write to the journal: nothing that it should have recorded may take effect. */
export class JournalError extends DroverError {
  override readonly code = 'JOURNAL_FAILED';
  override readonly effect = 'none';
}

/** Removed or replaced journal file: writes would be lost. Nothing may be sent after it, and a retry is pointless. */
export class JournalLostError extends DroverError {
  override readonly code = 'JOURNAL_LOST';
  override readonly effect = 'none';
}

/** Stored market data have changed: a file is missing, truncated or modified. */
export class DataError extends DroverError {
  override readonly code = 'DATA_DAMAGED';
  override readonly effect = 'none';
}

/** Full or failing disk, or a file in use: may recover by itself, with no change to the config. */
export class StorageError extends DroverError {
  override readonly code = 'STORAGE_FAILED';
  override readonly effect = 'none';
}

/** System and SQLite error codes of disk trouble that may pass without a change to the config. */
const PASSING =
  /^(ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE|EBUSY|EAGAIN|SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|NOMEM)(_|$))/;

/** Error class for a failed file operation: `StorageError` if it may pass, `ConfigError` if a person has to act. */
export const storageErrorOf = (cause: unknown): typeof ConfigError | typeof StorageError =>
  PASSING.test(codeOf(cause) ?? '') ? StorageError : ConfigError;

/** Error thrown by a strategy's code where it ends the work, as in a backtest. */
export class StrategyError extends DroverError {
  override readonly code = 'STRATEGY_FAILED';
  override readonly effect = 'none';
}

/** Broken invariant of this program. Never caught to carry on. */
export class InvariantError extends DroverError {
  override readonly code = 'INVARIANT_BROKEN';
  override readonly effect = 'unknown';
}

export function invariant(holds: boolean, rule: string, details?: ErrorDetails): asserts holds {
  if (!holds) throw new InvariantError(rule, details);
}

/** True when the venue or the network failed, not this program: a read that failed this way may be retried. */
export const isVenueFault = (thrown: unknown): boolean =>
  thrown instanceof UnreachableError ||
  thrown instanceof VenueRefusedError ||
  thrown instanceof UnauthorizedError ||
  thrown instanceof RateLimitedError ||
  thrown instanceof OutcomeUnknownError ||
  thrown instanceof NoAnswerError;

/** Rejection handler: returns a result for a fault of the venue or the network, and rethrows any other error. */
export const atVenueFault =
  <T>(result: (error: unknown) => T) =>
  (error: unknown): T => {
    if (!isVenueFault(error)) throw error;
    return result(error);
  };

/** Message of any thrown value: foreign code may throw an object that cannot be read. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return 'a value that cannot be read';
  }
}

/** System or SQLite code of a thrown value; null if it has none. */
export const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;

/** Result of an action, or `otherwise` if it throws anything. */
export function orElse<T, Other>(act: () => T, otherwise: Other): T | Other {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

/** Result of a function or, if it throws an error of the given class, of the handler. Any other error propagates. */
export function orAt<T, Thrown extends Error, Other>(
  Kind: abstract new (...args: never[]) => Thrown,
  act: () => T,
  otherwise: (error: Thrown) => Other,
): T | Other {
  try {
    return act();
  } catch (error) {
    if (error instanceof Kind) return otherwise(error);
    throw error;
  }
}

/** Message of the error if an action throws one of the given class; null if it throws nothing. */
export function faultIn(Kind: abstract new (...args: never[]) => Error, act: () => unknown): string | null {
  const none = () => {
    act();
    return null;
  };
  return orAt(Kind, none, messageOf);
}

/** Result of work with a resource, which is closed in any case. */
export function closing<Thing extends Readonly<{ close(): void }>, T>(
  thing: Thing,
  work: (thing: Thing) => T,
): T {
  try {
    return work(thing);
  } finally {
    thing.close();
  }
}

/** Same for asynchronous work. */
export async function closingAfter<Thing extends Readonly<{ close(): unknown }>, T>(
  thing: Thing,
  work: (thing: Thing) => Promise<T>,
): Promise<T> {
  try {
    return await work(thing);
  } finally {
    await thing.close();
  }
}

/** Result of work with a resource that stays open for the caller; on failure it is closed. */
export function orClosed<T>(thing: Readonly<{ close(): unknown }>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    thing.close();
    throw error;
  }
}

/** Same for asynchronous work. */
export async function orClosedAfter<T>(
  thing: Readonly<{ close(): unknown }>,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await thing.close();
    throw error;
  }
}
