declare const brand: unique symbol;

/** Branded `T`, created only by the module that owns `Name`. No cost at run time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = Brand<number, 'EpochMs'>;
/** Whole seconds since 1970-01-01T00:00:00Z: the venue's unit for deadlines and bars. */
export type EpochSeconds = Brand<number, 'EpochSeconds'>;

export const epochMs = (value: number): EpochMs => value as EpochMs;
export const epochSeconds = (value: number): EpochSeconds => value as EpochSeconds;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
/** A day of 24 hours, in ms. For trading days, use the calendar. */
export const DAY_MS = 86_400_000;

/** Whole seconds that have passed at `at`. */
export const toSeconds = (at: EpochMs): EpochSeconds => epochSeconds(Math.floor(at / 1000));
export const toMs = (at: EpochSeconds): EpochMs => epochMs(at * 1000);

/** ISO 8601 in UTC with `Z`; whole seconds print without a fraction. */
export const toIso = (at: EpochMs): string => new Date(at).toISOString().replace('.000Z', 'Z');
