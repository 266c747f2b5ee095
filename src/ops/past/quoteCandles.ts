import { toNumber } from '../../core/amount.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { QuoteCandles } from '../model/past.ts';
import type { CandleQuery } from './question.ts';

/** Most candles of an answer: those before are left out. */
const CANDLES_MAX = 5_000;

/** Candles of a stock from the quotes that the run has seen: also of stocks and intervals without bars. */
export function quoteCandles(
  reader: Pick<JournalReader, 'pricesBackwards'>,
  { symbol, intervalMs, from, to }: CandleQuery,
): QuoteCandles {
  const [start, open, high, low, close]: number[][] = [[], [], [], [], []] as const;
  const columns = { start, open, high, low, close } as Omit<QuoteCandles, 'symbol' | 'intervalMs'>;
  for (const { at, price } of reader.pricesBackwards(symbol)) {
    if (at < from) break;
    if (at < to && !takeEarlier(columns, at - (at % intervalMs), toNumber(price))) break;
  }
  for (const column of Object.values(columns)) column.reverse();
  return { symbol, intervalMs, ...columns };
}

/** Puts a price before all that were taken, newest candle first; false when there are enough candles. */
function takeEarlier(
  { start, open, high, low, close }: Omit<QuoteCandles, 'symbol' | 'intervalMs'>,
  begins: number,
  price: number,
): boolean {
  const last = start.length - 1;
  if (start[last] === begins) {
    open[last] = price;
    high[last] = Math.max(high[last] ?? price, price);
    low[last] = Math.min(low[last] ?? price, price);
    return true;
  }
  if (start.length === CANDLES_MAX) return false;
  start.push(begins);
  for (const column of [open, high, low, close]) column.push(price);
  return true;
}
