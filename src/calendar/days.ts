import { InvalidValueError } from '../core/errors.ts';

/** A calendar day without a zone: milliseconds of its midnight in UTC, so that days can be counted and compared. */
export type Day = number;

export const DAY_MS = 86_400_000;

const MONDAY_1970_01_05 = 4 * DAY_MS;

/** `month` counts from 1. A day past the end of its month runs on into the next. */
export const dayOf = (year: number, month: number, day: number): Day => Date.UTC(year, month - 1, day);

/** 0 is Monday, 6 is Sunday. */
export const weekdayOf = (day: Day): number => ((((day - MONDAY_1970_01_05) / DAY_MS) % 7) + 7) % 7;

/** `YYYY-MM-DD`. */
export const dateOf = (day: Day): string => new Date(day).toISOString().slice(0, 10);

export const yearOfDay = (day: Day): number => new Date(day).getUTCFullYear();

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** @throws {InvalidValueError} for anything but a day of the calendar written `YYYY-MM-DD` */
export function parseDay(date: string): Day {
  const [, year, month, day] = DATE.exec(date) ?? [];
  const parsed = dayOf(Number(year), Number(month), Number(day));
  if (Number.isNaN(parsed) || dateOf(parsed) !== date)
    throw new InvalidValueError(`"${date}" is not a date: write YYYY-MM-DD, as 2026-11-27`);
  return parsed;
}
