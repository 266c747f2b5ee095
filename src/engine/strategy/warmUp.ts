import type { TradingCalendar } from '../../calendar/index.ts';
import { DAY_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import { INTERVAL_MS, isIntraday, type Bar, type Interval } from '../../domain/bar.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import { barEnd } from '../../market/series.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { StrategySetup } from './strategyInstance.ts';

/**
 * Consequence of a warm-up that is incomplete when a run starts. `require`: the run does not start; `wait`: the strategy is shown
 * bars until it is complete, and decides nothing before; `allow`: it decides at once.
 */
export const WARM_UP_POLICIES = ['require', 'wait', 'allow'] as const;
export type WarmUpPolicy = (typeof WARM_UP_POLICIES)[number];

/** Series of which fewer bars come before the start than a strategy declares as its warm-up. */
export type WarmUpGap = Readonly<{
  strategy: string;
  symbol: string;
  interval: Interval;
  /** Bars that its `data` asks for. */
  needed: number;
  had: number;
  missing: number;
}>;

/** Incomplete warm-ups, in the order of strategies and of their needs. `hadOf`: bars of a series before the start. */
export const warmUpGaps = (
  setups: readonly Pick<StrategySetup, 'id' | 'needs'>[],
  hadOf: (symbol: string, interval: Interval) => number,
): WarmUpGap[] =>
  setups.flatMap(({ id, needs }) =>
    (needs.bars ?? []).flatMap(({ symbol, interval, warmUp = 0 }) => {
      const had = Math.min(hadOf(symbol, interval), warmUp);
      const missing = warmUp - had;
      return missing > 0 ? [{ strategy: id, symbol, interval, needed: warmUp, had, missing }] : [];
    }),
  );

/** Incomplete warm-up of a strategy by the bars that are kept now. */
export const gapsNow = (
  market: EngineContext['market'],
  setup: Pick<StrategySetup, 'id' | 'needs'>,
): WarmUpGap[] => warmUpGaps([setup], (symbol, interval) => market.series(symbol as Ticker, interval).length);

/** Journal event of a strategy that waits for these series. */
export const awaitedEvent = (strategyId: string, gaps: readonly WarmUpGap[]): JournalEvent => ({
  kind: 'warmUpAwaited',
  strategyId,
  series: gaps.map(({ symbol, interval, needed, had }) => ({ symbol, interval, needed, had })),
});

/** The bars that a strategy is warmed up with, in the order in which they ended, without one that it has not been shown. */
export function historyOf(
  { market, calendar }: EngineContext,
  { needs }: Pick<StrategySetup, 'needs'>,
  unseen?: Bar,
): Bar[] {
  const bars = (needs.bars ?? []).flatMap(({ symbol, interval, warmUp = 0 }) => {
    const series = market.series(symbol as Ticker, interval);
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

type Series = Pick<WarmUpGap, 'symbol' | 'interval' | 'needed' | 'had'>;

/** `AAPL 1d has 12 of 30 bars`. */
export const gapText = ({ symbol, interval, needed, had }: Series): string =>
  `${symbol} ${interval} has ${had} of ${needed} bars`;

/** Longest time ahead in ms for which the end of a bar is foretold: five years. */
const FORESEEN_MS = 5 * 365 * DAY_MS;

/** End of the bar that completes the last of these series if none is left out; null for one that is years ahead. */
export function completeAt(
  series: readonly Series[],
  now: EpochMs,
  calendar: TradingCalendar,
): EpochMs | null {
  let latest: EpochMs = now;
  for (const { interval, needed, had } of series) {
    const end = endOfBar(interval, { count: needed - had, now }, calendar);
    if (end === null) return null;
    if (end > latest) latest = end;
  }
  return latest;
}

type Ahead = Readonly<{ count: number; now: EpochMs }>;

/** End of the bar that is `count` bars ahead, counted from the one that forms now; null when that is years ahead. */
function endOfBar(interval: Interval, { count, now }: Ahead, calendar: TradingCalendar): EpochMs | null {
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
