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

/** A command, a config file or a strategy's parameters are wrong: exit 2, before anything has started. */
export class ConfigError extends DroverError {
  override readonly code = 'CONFIG_INVALID';
  override readonly effect = 'none';
}

/** A value does not fit the form it must have; the message names the text. */
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

/** The venue answered, and its answer proves that it did nothing. */
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

/** The venue asks for fewer requests. A send that meets it may still have taken effect. */
export class RateLimitedError extends DroverError {
  override readonly code = 'RATE_LIMITED';
  override readonly effect = 'unknown';
}

/** Time limit, reset, 5xx or unreadable answer: the request may have taken effect. Ask; do not repeat. */
export class OutcomeUnknownError extends DroverError {
  override readonly code = 'OUTCOME_UNKNOWN';
  override readonly effect = 'unknown';
}

/** A read got no usable answer: time limit, reset, 5xx, a page of a proxy. Nothing has changed; ask again later. */
export class NoAnswerError extends DroverError {
  override readonly code = 'NO_ANSWER';
  override readonly effect = 'none';
}

/** A safety rule stands in the way: limits missing, a kill file, a lock held by another, a call not allowed. Exit 4. */
export class SafetyError extends DroverError {
  override readonly code = 'REFUSED_BY_SAFETY';
  override readonly effect = 'none';
}

/** The journal could not be written: nothing of what it should have kept may have an effect. */
export class JournalError extends DroverError {
  override readonly code = 'JOURNAL_FAILED';
  override readonly effect = 'none';
}

/** The journal's file is gone or replaced: nothing written is kept. Nothing may be sent after it, and a retry is pointless. */
export class JournalLostError extends DroverError {
  override readonly code = 'JOURNAL_LOST';
  override readonly effect = 'none';
}

/** Stored market data is not as it was written: a file is missing, cut short or changed. */
export class DataError extends DroverError {
  override readonly code = 'DATA_DAMAGED';
  override readonly effect = 'none';
}

/** The code of a strategy threw where that ends the work: in a backtest. */
export class StrategyError extends DroverError {
  override readonly code = 'STRATEGY_FAILED';
  override readonly effect = 'none';
}

/** An invariant of this program is broken. Nobody catches this to carry on. */
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

/** Message of a thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** System or SQLite code of a thrown value; null where it has none. */
export const codeOf = (thrown: unknown): string | null =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : null;
