/**
 * Sessions of the venue in US Eastern time, Monday to Friday, from a table of its own for 2026.
 *
 * Overnight 20:00–04:00, pre-market 04:00–09:30, regular 09:30–16:00, after-hours 16:00–20:00; closed at weekends and on
 * holidays; early closes at 13:00.
 */
export type Session = 'overnight' | 'pre' | 'regular' | 'post' | 'closed';

const HOLIDAYS = new Set([
  '2026-01-01',
  '2026-01-19',
  '2026-02-16',
  '2026-04-03',
  '2026-05-25',
  '2026-06-19',
  '2026-07-03',
  '2026-09-07',
  '2026-11-26',
  '2026-12-25',
]);
const EARLY_CLOSES = new Set(['2026-11-27', '2026-12-24']);

const OPEN = 9 * 60 + 30;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const eastern = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/New_York',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

interface Wall {
  readonly date: string;
  readonly minute: number;
}

const wallOf = (at: number): Wall => {
  const parts = new Map(eastern.formatToParts(at).map((part) => [part.type, part.value]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    minute: Number(part('hour')) * 60 + Number(part('minute')),
  };
};

const isSessionDate = (date: string) => {
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !HOLIDAYS.has(date);
};

const nextDate = (date: string) => new Date(Date.parse(`${date}T12:00:00Z`) + DAY).toISOString().slice(0, 10);

const closeMinute = (date: string) => (EARLY_CLOSES.has(date) ? 13 * 60 : 16 * 60);

/** Names the session at an instant (ms since the epoch). The evening before a session date is its overnight session. */
export const sessionAt = (at: number): Session => {
  const { date, minute } = wallOf(at);
  if (minute >= 20 * 60) return isSessionDate(nextDate(date)) ? 'overnight' : 'closed';
  if (!isSessionDate(date)) return 'closed';
  if (minute < 4 * 60) return 'overnight';
  if (minute < OPEN) return 'pre';
  if (minute < closeMinute(date)) return 'regular';
  const postEnds = EARLY_CLOSES.has(date) ? 17 * 60 : 20 * 60;
  return minute < postEnds ? 'post' : 'closed';
};

/** Close (ms) at which a DAY order mined at this instant ends: the first close at or after it. */
export const dayEndOf = (minedAt: number): number => {
  let minuteStart = minedAt - (minedAt % MINUTE);
  for (;;) {
    const { date, minute } = wallOf(minuteStart);
    if (isSessionDate(date) && minute < closeMinute(date))
      return minuteStart + (closeMinute(date) - minute) * MINUTE;
    minuteStart += (24 * 60 - minute) * MINUTE;
  }
};
