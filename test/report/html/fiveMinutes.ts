import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { recordOf } from '../../../src/app/backtest/record.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';

const SESSIONS = 60;
/** Bars of five minutes in a session. */
const SLOTS = 78;

/** The record of sixty sessions of five-minute bars, in each of which a strategy holds the stock from 10:05 to 14:15. */
export async function fiveMinutes(): Promise<RunRecord> {
  let bar = -1;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        bar++;
        if (bar % SLOTS === 6) order.buy('X', { shares: 10 }, 'morning');
        if (bar % SLOTS === 56) order.sell('X', { all: true }, 'afternoon');
      },
    },
    { bars: [{ symbol: 'X', interval: '5m' }] },
  );
  const rows = Array.from({ length: SESSIONS * SLOTS }, (_, index) => {
    const price = 100 + Math.round(500 * Math.sin(index / 40)) / 100;
    return [price, price + 0.4, price - 0.3, price + 0.1, 100 + (index % SLOTS)] as const;
  });
  const options = plainly({ strategy, bars: [barsFrom('2026-03-02', rows, '5m')] });
  return recordOf(await runBacktest(options), options);
}
