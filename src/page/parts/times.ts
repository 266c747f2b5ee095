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

/** Time in New York, `09:30:00`; with its date if that is not the day of `now`. Both ISO 8601. */
export function newYorkTime(iso: string, now: string): string {
  const time = TIME.format(new Date(iso));
  const day = newYorkDay(iso);
  return day === newYorkDay(now) ? time : `${day} ${time}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Length of a time in words of its largest unit, `45 s`, `12 min`, `3 h`; a dash if it is not known. */
export function span(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < MINUTE) return `${Math.max(Math.floor(ms / SECOND), 0)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  return ms < DAY ? `${Math.floor(ms / HOUR)} h` : `${Math.floor(ms / DAY)} d`;
}
