import { DAY_MS, type EpochMs } from '../core/brand.ts';
import { dayOf, newYorkDate, parseDay } from './zone.ts';

/** Time that something was held. `isLong`: more than a year; the anniversary itself does not count. */
export type HoldingPeriod = Readonly<{ days: number; isLong: boolean }>;

/** Holding period between two instants by their dates in New York. A year from 29 February ends on 1 March. */
export function holdingPeriod(acquired: EpochMs, sold: EpochMs): HoldingPeriod {
  const [from, to] = [parseDay(newYorkDate(acquired)), parseDay(newYorkDate(sold))];
  const start = new Date(from);
  const anniversary = dayOf(start.getUTCFullYear() + 1, start.getUTCMonth() + 1, start.getUTCDate());
  return { days: Math.round((to - from) / DAY_MS), isLong: to > anniversary };
}
