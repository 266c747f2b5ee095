import { columns, defineSignals, interval, roc, ticker } from 'drover/strategy';
import { z } from 'zod';

export default defineSignals({
  name: 'strongest',
  description: 'Holds the stock of a list that has risen most, and no stock while all fall.',
  params: z.strictObject({
    symbols: z.array(ticker()).min(2).describe('The stocks to choose from.'),
    length: z.int().min(1).default(60).describe('Bars over which the rise counts.'),
    interval: interval().default('1d').describe('Length of a bar.'),
  }),
  data: ({ symbols, interval, length }) => ({
    bars: symbols.map((symbol) => ({ symbol, interval, warmUp: length + 1 })),
  }),
  signals(bars, { symbols, length }) {
    const rows = bars.start.length;
    const stocks = symbols.map((symbol) => ({
      symbol,
      rise: bars.onRows(symbol, columns(roc(length), bars.of(symbol).close)),
      weights: new Float64Array(rows),
    }));
    for (let row = 0; row < rows; row++) {
      const rises = stocks.map(({ rise }) => Number(rise[row])).filter((rise) => rise > 0);
      const best = stocks.find(({ rise }) => rise[row] === Math.max(...rises));
      if (best) best.weights[row] = 1;
    }
    return Object.fromEntries(stocks.map(({ symbol, weights }) => [symbol, weights]));
  },
});
