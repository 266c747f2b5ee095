import { expect, test } from 'vitest';
import type { BacktestOptions, BacktestStrategy } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { recordOf } from '../../../src/app/backtest/record.ts';
import { toJson } from '../../../src/process/output.ts';
import { cash, parseCash, toNumber } from '../../../src/core/amount.ts';
import { comparisonOf } from '../../../src/report/comparison.ts';
import { parseRunRecord, type RunRecord } from '../../../src/report/runRecord.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';

const one: BacktestStrategy = {
  definition: strategyOf({}, { bars: [{ symbol: 'X', interval: '1d' }] }),
  id: 'one',
  codeHash: 'a',
  capital: '100',
};
const bars = [barsFrom('2026-06-15', [100, 101, 102], '1d')];
const other = [barsFrom('2026-06-15', [100, 101, 103], '1d')];
const split = { symbol: 'X', type: 'forward_split', exDate: '2026-06-16', oldRate: '1', newRate: '2' };

async function recorded(options: Partial<BacktestOptions>): Promise<RunRecord> {
  const all = plainly({ strategies: [one], bars, ...options });
  return recordOf(await runBacktest(all), all);
}

test.each<[what: string, options: Partial<BacktestOptions>, name: string]>([
  ['bars', { bars: other }, 'data X 1d'],
  ['corporate actions', { actions: [split] }, 'actions'],
  ['limits', { limits: { orderNotional: parseCash('5') } }, 'limits.orderNotional'],
  ['limits of a strategy', { strategies: [{ ...one, limits: { dayLoss: cash(1n) } }] }, 'limits one.dayLoss'],
  ['capital', { strategies: [{ ...one, capital: '99' }] }, 'capital one'],
  ['the collar', { collarBps: 60 }, 'collarBps'],
  ['code', { strategies: [{ ...one, codeHash: 'b' }] }, 'code one'],
])('the comparison of two runs that differ only in %s names that setting', async (_what, options, name) => {
  const { same, settings } = comparisonOf(await recorded({}), await recorded(options));
  expect(same).toBe(false);
  expect(settings.map((difference) => difference.name)).toEqual([name]);
});

test('the comparison of two identical runs finds no difference', async () => {
  const { same, settings } = comparisonOf(
    await recorded({ actions: [split] }),
    await recorded({ actions: [split] }),
  );
  expect({ same, settings }).toEqual({ same: true, settings: [] });
});

test('a saved record has every field of each fill, trade and limit order, and reads back unchanged', async () => {
  const strategy = strategyOf(
    {
      onBar({ order, view }) {
        if (view.position('X') === 0) order.buy('X', { shares: 3 }, 'in');
        else order.limit('X', { side: 'sell', shares: 3, price: 102.5 }, 'out');
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const options = plainly({
    strategy,
    bars: [barsFrom('2026-06-15', [100, 101, 102, [102, 103, 101, 102]], '1d')],
  });
  const result = await runBacktest(options);
  const record = recordOf(result, options);
  const saved = parseRunRecord(toJson(record), 'saved.json');
  expect(result.fills.map(({ decidedAt }) => decidedAt)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(saved.fills).toEqual(result.fills);
  expect(saved.limitOrders).toEqual(result.limitOrders);
  expect(saved.trades).toEqual(result.tradeList.map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) })));
  expect(saved).toEqual(record);
});
