import { describe, expect, test } from 'vitest';
import { cash, parseCash, parseShares, toNumber } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { AccountHistory } from '../../../src/domain/account/history.ts';
import { UNALLOCATED, WALLET } from '../../../src/domain/account/ledger.ts';
import { dividendRulesOf, type DividendWay } from '../../../src/domain/corporateAction.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { lotsOf } from '../../../src/domain/lots/lotBook.ts';
import { entryOf } from '../../store/memoryJournal.ts';
import { EmulatedWorld } from '../emulated.ts';

const MINUTE = 60_000;
const START = epochMs(Date.parse('2026-07-01T14:00:00Z'));
const DAYS = 91;
/** Dividend per share by stock, one every sixth session of the quarter. */
const DIVIDENDS: readonly (readonly [string, string])[] = [
  ['AAPL', '0.26'],
  ['MSFT', '0.83'],
  ['NVDA', '0.10'],
  ['AMZN', '0.55'],
  ['GOOGL', '0.21'],
  ['META', '0.525'],
  ['SPY', '1.76'],
  ['QQQ', '0.69'],
  ['KO', '0.51'],
  ['JPM', '1.5'],
];
const SYMBOLS = DIVIDENDS.map(([symbol]) => symbol);

/** A quarter of one strategy that buys each stock for 900 at its start, at a venue that pays in tokens less 15 %. */
async function quarter(dividends: DividendWay, days = DAYS) {
  const world = new EmulatedWorld({ start: START });
  world.command({ kind: 'constants', body: { dividends: { pays: 'tokens', withheldBps: 1_500 } } });
  const sessions = tradingCalendar.sessions('2026-07-02', '2026-09-29');
  for (const [index, [symbol, cashPerShare]] of DIVIDENDS.entries()) {
    const { date: exDate } = sessions[6 * index + 2] ?? {};
    const body = { type: 'cash_dividend', symbol, cashPerShare, ...(exDate ? { exDate } : {}) } as const;
    world.command({ kind: 'corporate-action', body });
  }
  await world.run(days * 24 * 60, {
    quotes: SYMBOLS,
    hooks: {
      onStart: ({ order }) => {
        for (const symbol of SYMBOLS) order.buy(symbol, { notional: 900 });
      },
    },
    rules: { dividends: dividendRulesOf({ dividends, withheldPercent: 15 }), readsActions: true },
    periods: { quotesMs: 20 * MINUTE, ordersMs: 5_000, restingMs: MINUTE, accountMs: 20 * MINUTE },
  });
  const history = new AccountHistory();
  const changes = world.lines.flatMap((line) => history.apply(entryOf(line)));
  return { world, changes, account: history.account };
}

describe('a quarter of ten stocks at a venue that pays in tokens', () => {
  test('has each dividend once as income and as a lot, and freezes nothing', async () => {
    const { world, changes, account } = await quarter('tokens');
    expect(world.alarms).toEqual([]);
    expect([account.frozen.size, account.actions.unpaid.size, account.actions.booked.size]).toEqual([
      0, 0, 10,
    ]);
    expect(world.summary?.reconciliation).toMatchObject({ differences: 0, open: [] });
    const { stocks } = world.truth();
    const lots = lotsOf(changes, { method: 'fifo' });
    for (const [symbol, perShare] of DIVIDENDS) {
      const own = changes.flatMap((change) =>
        change.symbol === symbol && change.strategyId === 'solo' && change.kind !== 'entitled'
          ? [change]
          : [],
      );
      const [bought, paid, ...others] = own;
      if (paid?.kind !== 'paid') throw new Error(`${symbol}: no dividend`);
      expect(others).toEqual([]);
      // By hand: shares bought, times the dividend, less 15 %; their value is that except for price moves since the open.
      const due = toNumber(bought?.shares ?? parseShares('0')) * Number(perShare) * 0.85;
      expect(toNumber(paid.amount) / due).toBeGreaterThan(0.97);
      expect(toNumber(paid.amount) / due).toBeLessThan(1.03);
      const lot = lots.open.find(
        (one) => one.source === 'dividend' && one.symbol === symbol && one.strategyId === 'solo',
      );
      expect([lot?.shares, lot?.basis]).toEqual([paid.shares, paid.amount]);
      const truth = stocks.find((one) => one.symbol === symbol);
      expect(account.ledger.total(ticker(symbol))).toBe(parseShares(truth?.exchange ?? ''));
      expect(account.positions.of('solo', ticker(symbol)).quantity).toBe(
        cash((bought?.shares ?? 0n) + paid.shares),
      );
      expect(account.ledger.at(WALLET, ticker(symbol)), symbol).toBe(parseShares(truth?.wallet ?? ''));
    }
    const unallocated = changes.filter(
      (change) => change.kind === 'paid' && change.strategyId === UNALLOCATED,
    );
    expect(unallocated.filter(({ shares }) => shares > 10n ** 6n).map(({ symbol }) => symbol)).toEqual([
      'AAPL',
      'MSFT',
    ]);
    expect(account.ledger.total('mUSD')).toBe(parseCash(world.truth().mUsd));
  });

  test('is reported at the first stock if cash is configured, and that stock is not traded', async () => {
    const { world, changes } = await quarter('cash', 6);
    expect(world.alarms.join('\n')).toContain('due are');
    expect(world.alarms.join('\n')).toContain(
      'if they come in tokens here, set venue.dividends (or stocks.AAPL.dividends) to tokens',
    );
    expect(changes.some(({ kind }) => kind === 'paid')).toBe(false);
    expect(world.orders()).toHaveLength(SYMBOLS.length);
    expect(world.runner?.kernel.context.accountState.frozen.has(ticker('AAPL'))).toBe(true);
  });
});
