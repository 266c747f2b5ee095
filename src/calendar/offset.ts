import { IANAZone } from 'luxon';
import { DAY_MS, dayOf, yearOfDay } from './days.ts';

const newYork = IANAZone.create('America/New_York');

const MINUTE_MS = 60_000;
/** New York has never changed its clocks twice within so short a time. */
const STEP_MS = 28 * DAY_MS;

/** From `from` on, up to, without, `until`. */
type Stretch = Readonly<{ from: number; until: number; offsetMs: number }>;

const known = new Map<number, readonly Stretch[]>();
/** Where the latest answer came from: the next one nearly always does. */
let latest: Stretch = { from: 0, until: 0, offsetMs: 0 };

/**
 * How far New York is ahead of UTC at an instant, in ms: negative. The zone's data are asked once a UTC year for
 * the days on which clocks change, because an answer costs microseconds and days are counted by the thousand.
 */
export function newYorkOffset(at: number): number {
  if (at >= latest.from && at < latest.until) return latest.offsetMs;
  const year = yearOfDay(at);
  let stretches = known.get(year);
  if (stretches === undefined) known.set(year, (stretches = stretchesOf(year)));
  const found = stretches.find(({ until }) => at < until);
  if (found) latest = found;
  return found?.offsetMs ?? ask(at);
}

const ask = (at: number): number => newYork.offset(at) * MINUTE_MS;

function stretchesOf(year: number): Stretch[] {
  const [start, end] = [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)];
  const stretches: Stretch[] = [];
  let [from, offsetMs] = [start, ask(start)];
  for (let at = start; at < end; at += STEP_MS) {
    const later = Math.min(at + STEP_MS, end);
    if (ask(later) === offsetMs) continue;
    const until = changeBetween(at, later);
    stretches.push({ from, until, offsetMs });
    [from, offsetMs] = [until, ask(until)];
  }
  return [...stretches, { from, until: end, offsetMs }];
}

/** The first minute with the later offset. */
function changeBetween(from: number, until: number): number {
  const before = ask(from);
  let [low, high] = [from, until];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (ask(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}
