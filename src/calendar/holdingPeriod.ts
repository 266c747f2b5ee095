import { DAY_MS, type EpochMs } from '../core/brand.ts';
import { dayOf, newYorkDate, parseDay } from './zone.ts';

/** Time for which something was held. `isLong`: more than a year, the anniversary itself not included. */
export type HoldingPeriod = Readonly<{ days: number; isLong: boolean }>;

/** Holding period between two instants by their dates in New York. Of what was acquired on 29 February, a year ends on 1 March. */
export function holdingPeriod(acquired: EpochMs, sold: EpochMs): HoldingPeriod {
  const [from, to] = [parseDay(newYorkDate(acquired)), parseDay(newYorkDate(sold))];
  const start = new Date(from);
  const anniversary = dayOf(start.getUTCFullYear() + 1, start.getUTCMonth() + 1, start.getUTCDate());
  return { days: Math.round((to - from) / DAY_MS), isLong: to > anniversary };
}
