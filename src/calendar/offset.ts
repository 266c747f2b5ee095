import { IANAZone } from 'luxon';
import { DAY_MS, dayOf, yearOfDay } from './days.ts';

const newYork = IANAZone.create('America/New_York');

const MINUTE_MS = 60_000;
/** New York has never changed its clocks twice within so short a time. */
const STEP_MS = 28 * DAY_MS;

/** From `from` on, until the next one. */
type Stretch = Readonly<{ from: number; offsetMs: number }>;

const known = new Map<number, readonly Stretch[]>();

/**
 * How far New York is ahead of UTC at an instant, in ms: negative. The zone's data are asked once a UTC year for
 * the days on which clocks change, because an answer costs microseconds and days are counted by the thousand.
 */
export function newYorkOffset(at: number): number {
  const year = yearOfDay(at);
  let stretches = known.get(year);
  if (stretches === undefined) known.set(year, (stretches = stretchesOf(year)));
  return stretches.findLast(({ from }) => from <= at)?.offsetMs ?? ask(at);
}

const ask = (at: number): number => newYork.offset(at) * MINUTE_MS;

function stretchesOf(year: number): Stretch[] {
  const [start, end] = [dayOf(year, 1, 1), dayOf(year + 1, 1, 1)];
  const stretches = [{ from: start, offsetMs: ask(start) }];
  for (let from = start; from < end; from += STEP_MS) {
    const until = Math.min(from + STEP_MS, end);
    if (ask(from) === ask(until)) continue;
    const change = changeBetween(from, until);
    stretches.push({ from: change, offsetMs: ask(change) });
  }
  return stretches;
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
