import { DateTime } from 'luxon';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';

const FORM = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Reads a date, or a date and time, as New York wall time; with a zone or `Z` at its end, as what that says.
 * @throws {InvalidValueError} naming the text and the forms that are read
 */
export function parseInstant(text: string): EpochMs {
  const at = DateTime.fromISO(text, { zone: 'America/New_York' });
  if (!FORM.test(text) || !at.isValid)
    throw new InvalidValueError(
      `${JSON.stringify(text.slice(0, 40))} is not a time such as 2026-06-15T09:25 (New York) or 2026-06-15T13:25Z`,
      { text: text.slice(0, 40) },
    );
  return epochMs(at.toMillis());
}
