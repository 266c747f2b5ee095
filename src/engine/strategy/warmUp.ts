import type { TradingCalendar } from '../../calendar/index.ts';
import { phaseHours, type PhaseCalendar } from '../../calendar/phaseHours.ts';
import { DAY_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { INTERVAL_MS, isIntraday, type Bar, type Interval } from '../../domain/bar.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import { barEnd, type BarSeries } from '../../market/series.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { BarNeed } from '../../strategy/contract.ts';
import { setOf } from './barNews.ts';
import type { StrategySetup } from './strategyInstance.ts';

/**
 * Policies for a warm-up that is incomplete when a run starts. `require`: the run does not start; `wait`: the strategy
 * receives bars until it is complete, and decides nothing before; `allow`: it decides at once.
 */
export const WARM_UP_POLICIES = ['require', 'wait', 'allow'] as const;
export type WarmUpPolicy = (typeof WARM_UP_POLICIES)[number];

/** A series with fewer bars before the start than a strategy declares as its warm-up. */
export type WarmUpGap = Readonly<{
  strategy: string;
  symbol: string;
  interval: Interval;
  /** Number of bars that its `data` requests. */
  needed: number;
  had: number;
  missing: number;
}>;

/** Incomplete warm-ups, ordered by strategy and need. `hadOf`: number of bars of a series before the start. */
export const warmUpGaps = (
  setups: readonly Pick<StrategySetup, 'id' | 'needs'>[],
  hadOf: (need: BarNeed) => number,
): WarmUpGap[] =>
  setups.flatMap(({ id, needs }) =>
    (needs.bars ?? []).flatMap((need) => {
      const { symbol, interval, warmUp = 0 } = need;
      const had = Math.min(hadOf(need), warmUp);
      const missing = warmUp - had;
      return missing > 0 ? [{ strategy: id, symbol, interval, needed: warmUp, had, missing }] : [];
    }),
  );

/** Incomplete warm-up of a strategy, given the bars kept now. */
export const gapsNow = (
  market: EngineContext['market'],
  setup: Pick<StrategySetup, 'id' | 'needs'>,
): WarmUpGap[] => warmUpGaps([setup], (need) => market.series(setOf(need)).length);

/** Journal event of a strategy that waits for its warm-up in these series. */
export const awaitedEvent = (strategyId: string, gaps: readonly WarmUpGap[]): JournalEvent => ({
  kind: 'warmUpAwaited',
  strategyId,
  series: gaps.map(({ symbol, interval, needed, had }) => ({ symbol, interval, needed, had })),
});

/** The warm-up bars of a strategy in the order of their ends, without one that it has not received. */
export function historyOf(
  { market, calendar }: EngineContext,
  { needs }: Pick<StrategySetup, 'needs'>,
  unseen?: Bar,
): Bar[] {
  const bars = (needs.bars ?? []).flatMap((need) => {
    const { symbol, interval, warmUp = 0 } = need;
    const series = market.series(setOf(need));
    const latest = series.at(0);
    const skipped =
      unseen?.symbol === symbol && unseen.interval === interval && latest?.start === unseen.start ? 1 : 0;
    const count = Math.min(warmUp, series.length - skipped);
    return Array.from({ length: count }, (_, index) => series.at(skipped + count - 1 - index)).filter(
      (bar) => bar !== undefined,
    );
  });
  return bars.sort((a, b) => barEnd(a, calendar) - barEnd(b, calendar));
}

/** Bars of a strategy shown again in the order of their ends: with each, its series hide all later ones. */
export class PastBars {
  readonly #calendar: TradingCalendar;
  /** Number of bars that have not ended yet, per series: always the latest ones. */
  readonly #ahead = new Map<BarSeries, number>();

  constructor({ market, calendar }: EngineContext, { needs }: Pick<StrategySetup, 'needs'>) {
    this.#calendar = calendar;
    for (const need of needs.bars ?? []) {
      const series = market.series(setOf(need));
      this.#ahead.set(series, series.length);
    }
  }

  /** Runs work as at the end of a bar, which must not be earlier than that of the bar before. */
  show(bar: Bar, work: () => void): void {
    const end = barEnd(bar, this.#calendar);
    for (const [series, ahead] of this.#ahead) this.#ahead.set(series, this.#countAfter(end, series, ahead));
    for (const [series, ahead] of this.#ahead) series.hide(ahead);
    try {
      work();
    } finally {
      for (const [series, ahead] of this.#ahead) series.hide(-ahead);
    }
  }

  /** Number of bars that end after a time, at most `most`. Tries the next bars first, which usually suffices. */
  #countAfter(end: EpochMs, series: BarSeries, most: number): number {
    const isAhead = (back: number) => {
      const bar = series.at(back);
      return bar !== undefined && barEnd(bar, this.#calendar) > end;
    };
    let step = 1;
    while (step <= most && !isAhead(most - step)) step *= 2;
    let [few, many] = [Math.max(most - step, 0), most - Math.floor(step / 2)];
    while (few < many) {
      const middle = Math.floor((few + many) / 2);
      if (isAhead(middle)) few = middle + 1;
      else many = middle;
    }
    return few;
  }
}

type Series = Pick<WarmUpGap, 'symbol' | 'interval' | 'needed' | 'had'>;

/** Text such as `AAPL 1d has 12 of 30 bars`. */
export const gapText = ({ symbol, interval, needed, had }: Series): string =>
  `${symbol} ${interval} has ${had} of ${needed} bars`;

/** Longest time ahead in ms for which the end of a bar is computed: five years. */
const FORESEEN_MS = 5 * 365 * DAY_MS;

/** End of the bar that completes the warm-up of these series if none is missed; null if that is years ahead. */
export function completeAt(
  { needs }: Pick<StrategySetup, 'needs'>,
  series: readonly Series[],
  { now, calendar }: Readonly<{ now: EpochMs; calendar: TradingCalendar }>,
): EpochMs | null {
  let latest: EpochMs = now;
  for (const { symbol, interval, needed, had } of series) {
    const need = needs.bars?.find((each) => each.symbol === symbol && each.interval === interval);
    const hours = need?.phases ? phaseHours(calendar, new Set(need.phases)) : calendar;
    const end = endOfBar(interval, { count: needed - had, now }, hours);
    if (end === null) return null;
    if (end > latest) latest = end;
  }
  return latest;
}

/** End of the bar `count` bars ahead, counted from the one forming now; null if that is years ahead. */
function endOfBar(
  interval: Interval,
  { count, now }: Readonly<{ count: number; now: EpochMs }>,
  calendar: TradingCalendar | PhaseCalendar,
): EpochMs | null {
  let end = now;
  for (let left = count; left > 0; left--) {
    const session = calendar.sessionAt(end) ?? calendar.nextSession(end);
    const from = end > session.open ? end : session.open;
    const step = INTERVAL_MS[interval];
    const start = isIntraday(interval)
      ? epochMs(session.open + Math.floor((from - session.open) / step) * step)
      : from;
    end = barEnd({ start, interval }, calendar);
    if (end - now > FORESEEN_MS) return null;
  }
  return end;
}
