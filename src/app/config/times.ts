import { newYorkTime } from '../../calendar/index.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { ConfigError, InvalidValueError, messageOf } from '../../core/errors.ts';
import { shownText } from '../../core/printable.ts';

const FORM = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?)?$/;
const TEXT_MAX = 40;

/** Parses a date, or a date and time, in New York time, or in the time zone or `Z` at its end. */
export function parseInstant(text: string): EpochMs {
  const [, date, time = '00:00', seconds = '00', zone] = FORM.exec(text) ?? [];
  try {
    if (date === undefined || Number(seconds) > 59) throw wrong(text);
    const wall = newYorkTime(date, time) + Number(seconds) * 1000;
    return epochMs(zone === undefined ? wall : Date.parse(`${date}T${time}:${seconds}${zone}`));
  } catch (error) {
    throw error instanceof InvalidValueError ? wrong(text) : error;
  }
}

/** Parses a flag of the command line. @throws {ConfigError} naming the flag */
export function instantOf(flag: string, text: string): EpochMs {
  try {
    return parseInstant(text);
  } catch (error) {
    throw new ConfigError(`--${flag}: ${messageOf(error)}`);
  }
}

/** Checks that a time range is not empty. @throws {ConfigError} when it does not end after it begins */
export function requireSpan({ from, to }: Readonly<{ from: number; to: number }>): void {
  if (from < to) return;
  throw new ConfigError(
    `the span from ${toIso(epochMs(from))} to ${toIso(epochMs(to))} is empty: --to must be later than --from`,
  );
}

const wrong = (text: string) =>
  new InvalidValueError(
    `${shownText(text, TEXT_MAX)} is not a time such as 2026-06-15T09:25 (New York) or 2026-06-15T13:25Z`,
  );
