import type { Session } from '../../calendar/index.ts';
import { yearsBetween } from '../../statistics/sample.ts';
import type { StatisticsOptions } from '../../statistics/figures.ts';
import type { OptimisationResult } from '../optimise.ts';
import type { Evidence } from '../significance/evidence.ts';
import { headlineOf, type Headline } from '../trials/headline.ts';

/** Sessions over which a result is reported, with its comparison. */
export type Stretch = Readonly<{
  /** Date of the first session, and that of the last. */
  from: string;
  to: string;
  sessions: number;
  /** Figures for holding the stocks over these sessions, without fees; null if they have no price. */
  held: Headline | null;
  /**
   * Annual Sharpe ratio of the active returns: in excess of holding the same exposure, or of cash if there is no price
   * to hold. The verdict uses it. Null if undefined.
   */
  sharpeOver: number | null;
}>;

/** Results in sample and out of sample; the latter is null without a walk-forward. */
export type Comparison = Readonly<{ inSample: Stretch; outOfSample: Stretch | null }>;

/**
 * Returns of holding the stocks over some of the sessions, from the open of the first, measured like the strategy; null
 * if they have no price.
 */
export type HeldIn = (from: number, to: number) => Float64Array | null;

type ComparisonInput = Readonly<{
  heldIn: HeldIn;
  evidence: Evidence;
  statistics: Required<Pick<StatisticsOptions, 'riskFree' | 'marksPerYear'>>;
}>;

/** Compares both parts of a study with holding its stocks over the same sessions. */
export function comparisonOf(
  { sessions, walkForward }: OptimisationResult,
  { heldIn, evidence, statistics }: ComparisonInput,
): Comparison {
  const { deflated, outOfSample } = evidence;
  const yearly = (ratio: number) => ratio * Math.sqrt(statistics.marksPerYear);
  const stretch = (range: readonly [from: number, to: number], sharpeOver: number | null): Stretch => {
    const part = sessions.slice(...range);
    const [from, to] = [dateOf(part[0]), dateOf(part.at(-1))];
    const years = yearsBetween(from, to);
    const returns = heldIn(...range);
    const held = returns && headlineOf(returns, { years, ...statistics });
    return { from, to, sessions: part.length, held, sharpeOver };
  };
  return {
    inSample: stretch([0, sessions.length], 'reason' in deflated ? null : yearly(deflated.ratio)),
    outOfSample:
      walkForward &&
      stretch(
        laterRange(sessions, walkForward),
        outOfSample === null || 'reason' in outOfSample ? null : yearly(outOfSample.ratio),
      ),
  };
}

const dateOf = (session: Session | undefined): string => session?.date ?? '1970-01-01';

/** Index range of the out-of-sample sessions among all. */
export function laterRange(
  sessions: readonly Session[],
  { windows, outOfSample }: NonNullable<OptimisationResult['walkForward']>,
): readonly [from: number, to: number] {
  const begin = windows[0]?.outOfSample.from ?? Infinity;
  const first = sessions.findIndex(({ open }) => open >= begin);
  return [first, first + outOfSample.figures.marks.length];
}

/** Label of a Sharpe ratio of active returns. */
export const sharpeOverLabel = ({ isOverBenchmark }: Evidence): string =>
  `Sharpe over ${isOverBenchmark ? 'holding' : 'cash'}`;
