/** Effect that the failed call may have had at the venue. `unknown` forbids a blind repeat. */
export type Effect = 'none' | 'unknown';

export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Root of all errors that this package throws on purpose. Each class stands for one decision of its catcher. */
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

/** Value that does not have the form it must have; the message names the text. */
export class InvalidValueError extends DroverError {
  override readonly code = 'VALUE_INVALID';
  override readonly effect = 'none';
}

/** We refused to send: a request outside its schema, a key without the permission, a gate that is closed. */
export class NotSentError extends DroverError {
  override readonly code = 'NOT_SENT';
  override readonly effect = 'none';
}

/** Error that provably kept the request from the venue: name not resolved, connection refused, TLS failed. */
export class UnreachableError extends DroverError {
  override readonly code = 'VENUE_UNREACHABLE';
  override readonly effect = 'none';
}

/** Answer of the venue that proves that it did nothing. */
export class VenueRefusedError extends DroverError {
  override readonly code = 'VENUE_REFUSED';
  override readonly effect = 'none';
}

/**
 * The venue's one answer to every failure of authentication. Of a send its `effect` is `unknown`: where the network delivered
 * the request twice, this answers the second delivery, whose nonce the first has used.
 */
export class UnauthorizedError extends DroverError {
  override readonly code = 'UNAUTHORIZED';
  override readonly effect: Effect;

  constructor(message: string, details: ErrorDetails, effect: Effect) {
    super(message, details);
    this.effect = effect;
  }
}

/** Refusal for too many requests. A send that meets it may still have taken effect. */
export class RateLimitedError extends DroverError {
  override readonly code = 'RATE_LIMITED';
  override readonly effect = 'unknown';
}

/** Time limit, reset, 5xx or unreadable response: the request may have taken effect. Read the outcome; do not repeat. */
export class OutcomeUnknownError extends DroverError {
  override readonly code = 'OUTCOME_UNKNOWN';
  override readonly effect = 'unknown';
}

/** Read without a usable answer: time limit, reset, 5xx, a page of a proxy. Nothing has changed; ask again later. */
export class NoAnswerError extends DroverError {
  override readonly code = 'NO_ANSWER';
  override readonly effect = 'none';
}

/** Refusal by a safety rule: limits missing, a kill file, a lock held by another, a call not allowed. Exit 4. */
export class SafetyError extends DroverError {
  override readonly code = 'REFUSED_BY_SAFETY';
  override readonly effect = 'none';
}

/** Failed write to the journal: nothing of what it should have kept may have an effect. */
export class JournalError extends DroverError {
  override readonly code = 'JOURNAL_FAILED';
  override readonly effect = 'none';
}

/** Removed or replaced file of the journal: no write is kept. Nothing may be sent after it, and a retry is pointless. */
export class JournalLostError extends DroverError {
  override readonly code = 'JOURNAL_LOST';
  override readonly effect = 'none';
}

/** Stored market data have changed: a file is missing, truncated or modified. */
export class DataError extends DroverError {
  override readonly code = 'DATA_DAMAGED';
  override readonly effect = 'none';
}

/** Disk that is full or fails, or a file in use: it may be well again by itself, with nothing of the config changed. */
export class StorageError extends DroverError {
  override readonly code = 'STORAGE_FAILED';
  override readonly effect = 'none';
}

/** Codes of the system and of SQLite that end with the trouble of the disk, not with an edit of the config. */
const PASSING =
  /^(ENOSPC|EDQUOT|EIO|EROFS|EMFILE|ENFILE|EBUSY|EAGAIN|SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|NOMEM)(_|$))/;

/** Error class for work on a file that failed: `StorageError` where it may pass, `ConfigError` where a person has to act. */
export const storageErrorOf = (cause: unknown): typeof ConfigError | typeof StorageError =>
  PASSING.test(codeOf(cause) ?? '') ? StorageError : ConfigError;

/** Error thrown by the code of a strategy if that ends the work: in a backtest. */
export class StrategyError extends DroverError {
  override readonly code = 'STRATEGY_FAILED';
  override readonly effect = 'none';
}

/** Broken invariant of this program. Nobody catches this to carry on. */
export class InvariantError extends DroverError {
  override readonly code = 'INVARIANT_BROKEN';
  override readonly effect = 'unknown';
}

export function invariant(holds: boolean, rule: string, details?: ErrorDetails): asserts holds {
  if (!holds) throw new InvariantError(rule, details);
}

/** True when the venue or the network failed, not this program: a read that met it may be repeated. */
export const isVenueFault = (thrown: unknown): boolean =>
  thrown instanceof UnreachableError ||
  thrown instanceof VenueRefusedError ||
  thrown instanceof UnauthorizedError ||
  thrown instanceof RateLimitedError ||
  thrown instanceof OutcomeUnknownError ||
  thrown instanceof NoAnswerError;

/** Handler of a rejection: the result for a fault of the venue or the network. Throws any other error again. */
export const atVenueFault =
  <T>(result: (error: unknown) => T) =>
  (error: unknown): T => {
    if (!isVenueFault(error)) throw error;
    return result(error);
  };

/** Message of a thrown value, whatever it is: code of others may throw an object that cannot be read. */
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

/** Result of an act; `otherwise` where it fails, however it does. */
export function orElse<T, Other>(act: () => T, otherwise: Other): T | Other {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

/** Result of a function; if it throws an error of the given class, the result of the handler. Any other error propagates. */
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

/** Message of the error of a class that an act throws; null if it throws none. */
export function faultIn(Kind: abstract new (...args: never[]) => Error, act: () => unknown): string | null {
  const none = () => {
    act();
    return null;
  };
  return orAt(Kind, none, messageOf);
}

/** Result of work with a thing, which is closed however that ends. */
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

/** The same for work that takes time. */
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

/** Result of work that leaves a thing open for whoever asked, and closes it where it fails. */
export function orClosed<T>(thing: Readonly<{ close(): unknown }>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    thing.close();
    throw error;
  }
}

/** The same for work that takes time. */
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
