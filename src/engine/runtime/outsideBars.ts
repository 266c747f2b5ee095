import type { TradingCalendar } from '../../calendar/index.ts';
import { barSetName, type Bar, type BarSet } from '../../domain/bar.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { FeedNeed } from '../../market/feed.ts';
import { outsideSets } from '../../market/quoteBars.ts';
import { barEnd } from '../../market/series.ts';
import type { Notify } from '../state/notice.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { barNeeds } from './runOptions.ts';

/** Parts of a run that know bars outside the session. `recallBars`: those of earlier runs on its journal, oldest first. */
export type Recalling = Readonly<{
  strategies: readonly StrategySetup[];
  calendar: TradingCalendar;
  recallBars?: (sets: readonly FeedNeed[]) => readonly Bar[];
}>;

/** Bars of a warm-up in the order of their ends: those of the venue, and those outside the session of earlier runs. */
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

/** The same of one stock, whose bars are read again. */
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

/** Longest warm-up with bars of a set; one bar if there is none. */
const longestOf = (needs: readonly FeedNeed[], { symbol, interval }: BarSet): number =>
  Math.max(
    1,
    ...needs
      .filter((need) => need.phases && need.symbol === symbol && need.interval === interval)
      .map(({ warmUp }) => warmUp),
  );
