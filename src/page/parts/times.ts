import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/brand.ts';

const TIME = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'America/New_York',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const DATE = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Day in New York of an instant, `2026-06-15`. */
export const newYorkDay = (iso: string): string => DATE.format(new Date(iso));

/** Day and minute in New York of an instant, `2026-06-15 09:30`. */
export const newYorkMinute = (at: number): string => `${DATE.format(at)} ${TIME.format(at).slice(0, 5)}`;

/** Time in New York, `09:30:00`, with its date if it differs from the day of `now`. Both ISO 8601. */
export function newYorkTime(iso: string, now: string): string {
  const time = TIME.format(new Date(iso));
  const day = newYorkDay(iso);
  return day === newYorkDay(now) ? time : `${day} ${time}`;
}

/** Duration in its largest unit, `45 s`, `12 min`, `3 h`; a dash if unknown. */
export function span(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < MINUTE_MS) return `${Math.max(Math.floor(ms / SECOND_MS), 0)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}
