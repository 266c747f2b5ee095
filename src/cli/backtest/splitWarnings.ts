import type { BacktestOptions } from '../../backtest/options.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import { splitFindings } from '../../market/inspectBars.ts';
import { iso } from '../data/words.ts';

type Told = Readonly<{
  calendar: TradingCalendar;
  /** Where the backtest ends: what comes later does not matter to it. */
  to: BacktestOptions['to'];
  warn: (text: string) => void;
}>;

/** Tells of each set of bars where its prices and the splits of its symbol contradict each other: no result shows it. */
export function warnOfSplits(
  { bars, actions }: Required<Pick<BacktestOptions, 'bars' | 'actions'>>,
  { calendar, to = Infinity, warn }: Told,
): void {
  for (const { symbol, interval, ...columns } of bars) {
    const own = actions.filter((action) => action.symbol === symbol);
    const found = splitFindings(columns, { interval, calendar, actions: own }).filter(({ at }) => at < to);
    const [first] = found;
    if (!first) continue;
    const others = found.length > 1 ? `. It is the first of ${found.length} such places` : '';
    warn(
      `${symbol} ${interval} ${iso(first.at)}: ${first.what}; raw prices need their splits ` +
        `(--actions ${symbol}=FILE), adjusted ones must have none${others}`,
    );
  }
}
