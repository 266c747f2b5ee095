import type { RunFigures, TradeFigures } from './figures.ts';
import { missing, NOTHING, quotient, type Measure } from './measure.ts';
import { deviationOf, meanOf } from './moments.ts';
import { TRADES_MIN } from './trades.ts';

/** What trades went through while they were held. */
export function excursionMetrics({ trades, closes = {} }: Pick<RunFigures, 'trades' | 'closes'>) {
  const of = (measure: () => Measure): Measure =>
    trades.length < TRADES_MIN
      ? missing(`${trades.length} trades, of which it takes ${TRADES_MIN}`)
      : measure();
  return {
    averageMae: of(() => meanOf(trades.map(({ mae }) => mae))),
    averageMfe: of(() => meanOf(trades.map(({ mfe }) => mfe))),
    endTradeDrawdown: of(() =>
      meanOf(trades.map((trade) => trade.mfe - (trade.exitPrice / trade.entryPrice - 1))),
    ),
    edgeRatio: of(() => edgeRatio(trades, closes)),
  };
}

/** Each trade's excursions over the volatility of its symbol, so that wild symbols do not outweigh quiet ones. */
function edgeRatio(trades: readonly TradeFigures[], closes: NonNullable<RunFigures['closes']>): Measure {
  const deviations = new Map(
    Object.entries(closes).map(([symbol, prices]) => [symbol, deviationOf(changes(prices))]),
  );
  const scales = trades.map(({ symbol }) => deviations.get(symbol) ?? NaN);
  if (scales.some((deviation) => !(deviation > NOTHING)))
    return missing('the volatility of a symbol is not known');
  return quotient(
    meanOf(trades.map(({ mfe }, index) => mfe / (scales[index] ?? NaN))),
    meanOf(trades.map(({ mae }, index) => -mae / (scales[index] ?? NaN))),
    'the mean adverse excursion',
  );
}

const changes = (prices: readonly (number | null)[]): number[] =>
  prices.flatMap((price, index) => {
    const before = prices[index - 1] ?? null;
    return price === null || before === null ? [] : [price / before - 1];
  });
