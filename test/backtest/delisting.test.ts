import { describe, expect, test } from 'vitest';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import { checkLookahead } from '../../src/backtest/checks/lookahead.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { backtestText } from '../../src/cli/commands/backtest/summary.ts';
import { recordOf } from '../../src/app/backtest/record.ts';
import { pageOf } from '../report/html/pageOf.ts';
import { rowsOf } from '../report/html/reading.ts';
import { ConfigError } from '../../src/core/errors.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { BarColumns } from '../../src/domain/barColumns.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';
import { barsOfDays } from './phaseStage.ts';

/** Ten X at 100, whose bars end on the 17th, at 90; Y continues until the 22nd. */
const X = barsFrom('2026-06-15', [100, 100, 90], '1d');
const Y = { ...barsFrom('2026-06-15', [50, 50, 50, 50, 50], '1d'), symbol: 'Y' };

async function run(options: Partial<BacktestOptions> = {}) {
  const facts: JournalEntry[] = [];
  const positions: number[] = [];
  let seen = 0;
  const strategy = strategyOf(
    {
      onBar({ bar, order, view }) {
        if (bar.symbol === 'Y') positions.push(view.position('X'));
        else if (++seen === 1) order.buy('X', { shares: 10 });
        else if (seen === 3)
          order.limit('X', { side: 'sell', shares: 4, price: 80, goodTill: 'cancelled' }, 'leave');
      },
    },
    { bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '1d' as const })) },
  );
  const onFact = (entry: JournalEntry) => void facts.push(entry);
  const all = plainly({ strategy, bars: [X, Y], benchmark: 'Y', onFact, ...options });
  const result = await runBacktest(all);
  return { result, facts, positions, options: all };
}

describe('a symbol whose bars end before the run does', () => {
  test('is reported with its last price, its shares and its pending orders, and valued at that price by default', async () => {
    const { result } = await run();
    const decidedAt = '2026-06-17T20:00:00Z';
    expect(result.ended).toEqual([
      { symbol: 'X', lastBar: decidedAt, price: 90, quantity: '10', pending: 1, writtenOff: null },
    ]);
    expect(result.pending).toEqual([
      {
        strategy: 'test',
        symbol: 'X',
        decidedAt,
        reason: 'leave',
        order: 'limit X, side sell, quantity 4, price 80, goodTill cancelled',
      },
    ]);
    expect(result.orders).toMatchObject({ filled: 1, pending: 1, dropped: 0 });
    expect([result.equity.end, result.writtenOff, result.trades]).toEqual(['9900', '0', 0]);
    expect(backtestText(result, { colour: false, out: () => undefined, err: () => undefined })).toContain(
      '\nended    X ends on 2026-06-17 at 90, before the run: 10 shares valued at that price; 1 order pending\n',
    );
  });

  test('is worth 0 from the next session on with delisted: zero, as a separate loss', async () => {
    const { result, facts, positions, options } = await run({ delisted: 'zero' });
    expect(result).toMatchObject({ pnl: '-1000', writtenOff: '900', open: [], pending: [] });
    expect(result.strategies).toMatchObject([{ realisedPnl: '-1000', unrealisedPnl: '0', pnl: '-1000' }]);
    expect(result.unallocated.pnl).toBe('0');
    expect(result.ended).toMatchObject([{ symbol: 'X', quantity: '0', pending: 0, writtenOff: '900' }]);
    expect(result.marks.map(({ equity }) => equity)).toEqual([10_000, 10_000, 9_900, 9_000, 9_000]);
    expect(positions).toEqual([0, 10, 10, 0, 0]);
    const why = 'delisted, the last bar is of 2026-06-17';
    expect(facts.flatMap(({ fact }) => (fact.kind === 'writtenOff' ? [fact] : []))).toMatchObject([
      { strategyId: 'test', symbol: 'X', quantity: 10n * 10n ** 18n, value: 900n * 10n ** 18n, why },
    ]);
    expect(result.events).toMatchObject([
      { kind: 'writeOff', at: Date.parse('2026-06-18T13:30:00Z'), text: `900 mUSD of X written off: ${why}` },
    ]);
    const page = pageOf(recordOf(result, options));
    expect(page).toContain(
      '<dt>ended</dt><dd>X ends on 2026-06-17 at 90, before the run: written off, 900 mUSD lost</dd>',
    );
    expect(rowsOf(page, 'costs')).toContainEqual(['Written off', '−900.00']);
    expect(page).toContain('900.00 written off');
    expect(result.dropped).toEqual({ 'X: delisted, the last bar is of …': 1 });
  });

  test('ends its round trip with delisted: zero, so that trades and metrics agree with the equity', async () => {
    const { tradeList, metrics } = (await run({ delisted: 'zero' })).result;
    expect(tradeList).toMatchObject([
      {
        entryPrice: 100,
        exitPrice: 0,
        shares: 10,
        pnl: -1_000n * 10n ** 18n,
        mae: -1,
        bars: 2,
        exitAt: Date.parse('2026-06-18T13:30:00Z'),
        exitReason: expect.stringMatching(/^delisted/) as string,
      },
    ]);
    expect(metrics).toMatchObject({ trades: 1, losses: 1 });
    expect(metrics.totalReturn).toBeCloseTo(-0.1, 12);
  });

  test('is refused with delisted: error, with the alternatives', async () => {
    const refused = run({ delisted: 'error' });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      /the bars of X end on 2026-06-17, and the run goes on until 2026-06-22.*--to.*--delisted last .* or zero/,
    );
  });

  test('makes the rule part of the run id only if bars end early', async () => {
    const [last, zero] = [await run(), await run({ delisted: 'zero' })];
    expect(zero.result.runId).not.toBe(last.result.runId);
    const until = { to: Date.parse('2026-06-18T00:00:00Z'), delisted: 'error' } as const;
    expect((await run(until)).result.ended).toEqual([]);
  });
});

test.each(['zero', 'error'] as const)(
  'a missing last day in a shorter history is not a delisting: --delisted %s finds no look-ahead',
  async (delisted) => {
    const whole = barsFrom('2026-06-15', [100, 100, 90, 90, 90], '1d');
    const cut = (column: Float64Array) => column.filter((_, index) => index !== 2);
    const prices = {
      open: cut(whole.open),
      high: cut(whole.high),
      low: cut(whole.low),
      close: cut(whole.close),
    };
    const halted = { ...whole, ...prices, start: cut(whole.start), volume: cut(whole.volume) };
    const strategy = strategyOf(
      {
        onBar({ bar, order, view }) {
          if (bar.symbol === 'X') order.target('X', { shares: 10 });
          else if (view.position('X') > 0) order.buy('Y', { shares: 1 });
        },
      },
      { bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '1d' as const })) },
    );
    const check = await checkLookahead(plainly({ strategy, bars: [halted, Y], delisted }), 50);
    expect(check).toMatchObject({ found: null });
    expect(check.histories).toBeGreaterThan(2);
  },
);

test.each(['venue', 'next-open'] as const)(
  'where phases are traded, shares of an order that ends with the last bar are worth 0, too: %s',
  async (fill) => {
    const [day, days] = [
      barsOfDays('2026-06-15', '2026-06-15', {}),
      barsOfDays('2026-06-15', '2026-06-17', {}),
    ];
    const set = (symbol: string, columns: BarColumns) => ({ symbol, interval: '15m' as const, ...columns });
    let seen = 0;
    const strategy = strategyOf(
      {
        onBar({ bar, order }) {
          if (bar.symbol !== 'X') return;
          if (++seen === 1) order.buy('X', { notional: 1_000 });
          if (seen === 20) order.limit('X', { side: 'sell', shares: 9, price: 120 });
        },
      },
      { bars: ['X', 'Y'].map((symbol) => ({ symbol, interval: '15m' as const })) },
    );
    const { open, marks, writtenOff } = await runBacktest(
      plainly({
        strategy,
        fill,
        slippage: 'none',
        delisted: 'zero',
        bars: [set('X', day.regular), set('Y', days.regular)],
        outside: { trade: ['overnight', 'pre', 'regular', 'post'], bars: [set('Y', days.outside)] },
      }),
    );
    expect(open).toEqual([]);
    expect(writtenOff).toBe('1000');
    expect(marks.map(({ equity }) => equity)).toEqual([10_000, 9_000, 9_000]);
  },
);
