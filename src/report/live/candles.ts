import type { TradingCalendar } from '../../calendar/index.ts';
import { INTERVAL_MS, type Bar } from '../../domain/bar.ts';
import { CandleSeries, intradayCandles } from '../candleSeries.ts';
import type { RunRecord } from '../runRecord.ts';
import type { LiveHistory } from './liveHistory.ts';

/** One candle per session of a stock, from its shortest bars in the journal; none for a stock without bars. */
export const candlesOf = (
  history: Pick<LiveHistory, 'steps'>,
  calendar: TradingCalendar,
): RunRecord['candles'] =>
  [...shortestBars(history)].map(([symbol, bars]) => {
    const series = new CandleSeries(symbol, calendar);
    for (const bar of bars) series.add(bar);
    return series.candles;
  });

/** Intraday candles of the sessions in which a record has fills. */
export function intradayOf(
  history: Pick<LiveHistory, 'steps'>,
  calendar: TradingCalendar,
  record: Pick<RunRecord, 'marks' | 'fills'>,
): Pick<RunRecord, 'intraday'> {
  const stocks = [...shortestBars(history)].flatMap(([symbol, bars]) =>
    bars[0] ? [{ symbol, intervalMs: INTERVAL_MS[bars[0].interval], bars: () => bars }] : [],
  );
  const intraday = intradayCandles(stocks, record, calendar);
  return intraday.length === 0 ? {} : { intraday };
}

/** Bars of each stock, of the shortest length available. */
function shortestBars({ steps }: Pick<LiveHistory, 'steps'>): ReadonlyMap<string, readonly Bar[]> {
  const shortest = new Map<string, Bar[]>();
  for (const step of steps) {
    if (step.kind !== 'bar') continue;
    const { bar } = step;
    const known = shortest.get(bar.symbol);
    const [first] = known ?? [];
    if (!known || !first || INTERVAL_MS[bar.interval] < INTERVAL_MS[first.interval])
      shortest.set(bar.symbol, [bar]);
    else if (bar.interval === first.interval) known.push(bar);
  }
  return shortest;
}
