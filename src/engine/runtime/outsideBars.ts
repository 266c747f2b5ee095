import type { TradingCalendar } from '../../calendar/index.ts';
import { barSetName, type Bar, type BarSet } from '../../domain/bar.ts';
import { outsideSets } from '../../market/quoteBars.ts';
import { barEnd } from '../../market/series.ts';
import type { Notify } from '../state/notice.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import { barNeeds } from './runOptions.ts';

/** Parts of a run that know bars outside the session. `recallBars`: those of earlier runs on its journal, oldest first. */
type Recalling = Readonly<{
  strategies: readonly StrategySetup[];
  calendar: TradingCalendar;
  recallBars?: (sets: readonly BarSet[]) => readonly Bar[];
}>;

/** Bars of a warm-up in the order of their ends: those of the venue, and those outside the session of earlier runs. */
export function withRecalled(bars: Bar[], options: Recalling, notify: Notify): Bar[] {
  const { strategies, calendar, recallBars } = options;
  const sets = outsideSets(strategies.flatMap(barNeeds));
  if (sets.length === 0) return bars;
  const recalled = recallBars?.(sets) ?? [];
  const known =
    recalled.length === 0 ? 'none is known from before' : `${recalled.length} of earlier runs are known`;
  const text = `bars outside the session are made from the quotes that the run reads (${sets.map(barSetName).join('; ')}): ${known}`;
  notify('strategy', text);
  const endOf = (bar: Bar) => barEnd(bar, calendar);
  return [...recalled, ...bars].sort((a, b) => endOf(a) - endOf(b));
}
