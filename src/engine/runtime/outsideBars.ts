import type { TradingCalendar } from '../../calendar/index.ts';
import { barSetName, type Bar, type BarSet } from '../../domain/bar.ts';
import type { FeedNeed } from '../../market/feed.ts';
import { outsideSets } from '../../market/quoteBars.ts';
import { barEnd } from '../../market/series.ts';
import type { Notify } from '../state/notice.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { barNeeds } from './runOptions.ts';

/** Parts of a run that know bars outside the session. `recallBars`: those of earlier runs on its journal, oldest first. */
type Recalling = Readonly<{
  strategies: readonly StrategySetup[];
  calendar: TradingCalendar;
  recallBars?: (sets: readonly FeedNeed[]) => readonly Bar[];
}>;

/** Bars of a warm-up in the order of their ends: those of the venue, and those outside the session of earlier runs. */
export function withRecalled(bars: Bar[], options: Recalling, notify: Notify): Bar[] {
  const { strategies, calendar, recallBars } = options;
  const needs = strategies.flatMap(barNeeds);
  const sets = outsideSets(needs).map((set) => ({ ...set, warmUp: longestOf(needs, set) }));
  if (sets.length === 0) return bars;
  const recalled = recallBars?.(sets) ?? [];
  const known =
    recalled.length === 0 ? 'none is known from before' : `${recalled.length} of earlier runs are known`;
  const text = `bars outside the session are made from the quotes that the run reads (${sets.map(barSetName).join('; ')}): ${known}`;
  notify('strategy', text);
  const endOf = (bar: Bar) => barEnd(bar, calendar);
  return [...recalled, ...bars].sort((a, b) => endOf(a) - endOf(b));
}

/** Longest warm-up with bars of a set; one bar where there is none. */
const longestOf = (needs: readonly FeedNeed[], { symbol, interval }: BarSet): number =>
  Math.max(
    1,
    ...needs
      .filter((need) => need.phases && need.symbol === symbol && need.interval === interval)
      .map(({ warmUp }) => warmUp),
  );
