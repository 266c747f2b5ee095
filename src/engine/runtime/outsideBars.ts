import type { TradingCalendar } from '../../calendar/index.ts';
import { barSetName, type Bar, type BarSet } from '../../domain/bar.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { FeedNeed } from '../../market/feed.ts';
import { outsideSets } from '../../market/quoteBars.ts';
import { barEnd } from '../../market/series.ts';
import type { Notify } from '../state/notice.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { barNeeds } from './runOptions.ts';

/** Inputs for bars outside the session. `recallBars`: such bars of earlier runs on the journal, oldest first. */
export type Recalling = Readonly<{
  strategies: readonly StrategySetup[];
  calendar: TradingCalendar;
  recallBars?: (sets: readonly FeedNeed[]) => readonly Bar[];
}>;

/** Warm-up bars in the order of their ends: the venue's, and those outside the session from earlier runs. */
export function withRecalled(bars: Bar[], options: Recalling, notify: Notify): Bar[] {
  const sets = setsOf(options);
  if (sets.length === 0) return bars;
  const recalled = options.recallBars?.(sets) ?? [];
  const known =
    recalled.length === 0 ? 'none is known from before' : `${recalled.length} of earlier runs are known`;
  const text = `bars outside the session are made from the quotes that the run reads (${sets.map(barSetName).join('; ')}): ${known}`;
  notify('strategy', text);
  return inOrder([...recalled, ...bars], options);
}

/** Warm-up bars of one stock whose bars are read again. */
export function withRecalledOf(symbol: Ticker, bars: Bar[], options: Recalling): Bar[] {
  const sets = setsOf(options).filter((set) => set.symbol === symbol);
  return sets.length === 0 ? bars : inOrder([...(options.recallBars?.(sets) ?? []), ...bars], options);
}

function setsOf({ strategies }: Recalling): FeedNeed[] {
  const needs = strategies.flatMap(barNeeds);
  return outsideSets(needs).map((set) => ({ ...set, warmUp: longestOf(needs, set) }));
}

function inOrder(bars: Bar[], { calendar }: Recalling): Bar[] {
  const endOf = (bar: Bar) => barEnd(bar, calendar);
  return bars.sort((a, b) => endOf(a) - endOf(b));
}

/** Longest warm-up in bars of a set; 1 if there is none. */
const longestOf = (needs: readonly FeedNeed[], { symbol, interval }: BarSet): number =>
  Math.max(
    1,
    ...needs
      .filter((need) => need.phases && need.symbol === symbol && need.interval === interval)
      .map(({ warmUp }) => warmUp),
  );
