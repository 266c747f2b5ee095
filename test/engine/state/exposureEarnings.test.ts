import { describe, expect, test } from 'vitest';
import {
  cash,
  formatDecimal,
  notionalOf,
  parseCash,
  parseDecimal,
  parsePrice,
  parseShares,
  shares,
} from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { TransferId } from '../../../src/domain/transfers/transfer.ts';
import { bookedEquityOf, earningsOf, equityOf } from '../../../src/engine/state/exposure.ts';
import type { RunSummary } from '../../../src/engine/runtime/summary.ts';
import { EmulatedWorld } from '../emulated.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const WAD = 10n ** 18n;
const MSFT = ticker('MSFT');
const CAPITAL = parseCash('10000');
const LATE = epochMs(Date.parse('2026-06-15T19:30:00Z'));
const exact = (text = '0'): bigint => parseDecimal(text, { signed: true });

/** Sum of the profits of strategies, the unallocated part and external flows, next to the change of equity. */
function sumOf({ equity, strategies, former = [], unallocated }: RunSummary) {
  const earned = [...strategies, ...former, unallocated].reduce((sum, { pnl }) => sum + exact(pnl), 0n);
  const brought = exact(equity.deposited) - exact(equity.withdrawn) + exact(equity.adopted);
  return { parts: earned + brought, change: exact(equity.end) - exact(equity.start) };
}

function expectAddedUp(summary: RunSummary): void {
  const { parts, change } = sumOf(summary);
  expect(parts).toBe(change);
  for (const { pnl, realisedPnl, unrealisedPnl } of [...summary.strategies, ...(summary.former ?? [])])
    expect(exact(realisedPnl) + exact(unrealisedPnl)).toBe(exact(pnl));
}

/** Two strategies buy, and fill; then prices move. The account held 20 AAPL before. */
async function traded(): Promise<Stage> {
  const stage = new Stage({
    hooks: {
      one: atStart((order) => void order.buy('AAPL', { notional: 1_000 })),
      two: atStart((order) => void order.buy('MSFT', { shares: 10 })),
    },
  });
  stage.venue.holdings.set('AAPL', 20n * WAD);
  await stage.play(10 * SECOND);
  for (const row of stage.venue.rows) stage.venue.fill(row);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', 103n * WAD);
  stage.venue.prices.set('MSFT', 49n * WAD);
  return stage.pass(2 * MINUTE);
}

describe('the change of equity is the sum of strategies, unallocated and transfers', () => {
  test('with stock held before the first start', async () => {
    const stage = await traded();
    const summary = await stage.stop();
    expectAddedUp(summary);
    expect(summary.unallocated.pnl).toBe('60');
    const [one, two] = summary.strategies;
    expect(exact(one?.pnl)).toBeGreaterThan(0n);
    expect(exact(two?.pnl)).toBeLessThan(0n);
    expect(one).toMatchObject({ orders: 1, counts: { planned: 1, sent: 1, filled: 1, unknown: 0 } });
    expect(summary.strategies.map(({ counts }) => counts.filled).reduce((a, b) => a + b)).toBe(
      summary.orders.filled,
    );
  });

  test('with a strategy that has left the config', async () => {
    const before = await traded();
    await before.stop();
    const after = await new Stage({ after: before, hooks: { two: {} } }).play(MINUTE);
    const summary = await after.stop();
    expectAddedUp(summary);
    expect(summary.unallocated.pnl).toBe('60');
    expect(summary.former?.map(({ id, orders }) => [id, orders])).toEqual([['one', 1]]);
    expect(summary.strategies.map(({ id }) => id)).toEqual(['two']);
  });

  test('with a stock without a price, which counts at its cost', async () => {
    const before = await traded();
    await before.stop();
    before.venue.prices.delete('MSFT');
    const data = { quotes: ['AAPL'] };
    const after = await new Stage({ after: before, data, hooks: { one: {}, two: {} } }).play(MINUTE);
    const { context } = after.runner.kernel;
    const { cost } = context.accountState.positions.of('two', MSFT);
    expect(cost).toBeGreaterThan(parseCash('499'));
    expect(bookedEquityOf(context, 'two')).toBe(equityOf(context, 'two') + cost);
    const summary = await after.stop();
    expectAddedUp(summary);
    expect(summary.equity.unpriced).toEqual(['MSFT']);
    expect(summary.unallocated.pnl).toBe('60');
    expect(exact(summary.strategies[1]?.unrealisedPnl)).toBe(0n);
  });

  test('with a dividend and a split overnight', async () => {
    const world = new EmulatedWorld({ start: LATE });
    const action = (body: Readonly<Record<string, string>>) =>
      world.command({ kind: 'corporate-action', body: { ...body, exDate: '2026-06-16' } as never });
    action({ type: 'cash_dividend', symbol: 'AAPL', cashPerShare: '0.26' });
    action({ type: 'forward_split', symbol: 'MSFT', oldRate: '1', newRate: '4' });
    const before = new Map(world.truth().stocks.map((stock) => [stock.symbol as string, stock]));
    const sharesOf = (symbol: string, place: 'exchange' | 'wallet') =>
      parseShares(before.get(symbol)?.[place] ?? '0');
    await world.run(18.2 * 60, { hooks: atStart((order) => void order.buy('AAPL', { shares: 10 })) });
    const { summary, runner } = world;
    if (!summary || !runner) throw new Error('nothing ran');
    expectAddedUp(summary);
    const { context } = runner.kernel;
    const { ledger, opened } = context.accountState;
    expect(summary.strategies[0]?.realisedPnl).toBe('2.6');
    expect(sharesOf('MSFT', 'exchange')).toBeGreaterThan(0n);
    expect(ledger.held('', MSFT)).toBe(sharesOf('MSFT', 'exchange') * 4n);
    const entitled = shares(sharesOf('AAPL', 'exchange') + sharesOf('AAPL', 'wallet'));
    const dividend = notionalOf(entitled, parsePrice('0.26'), 'down');
    expect(ledger.held('', 'mUSD')).toBe(100_000n * WAD - CAPITAL + dividend);
    // Computed from the unallocated part itself: it owned everything, and has given the strategy its capital.
    const unallocated = equityOf(context, '') + CAPITAL - (opened?.equity ?? 0n);
    const rounding = exact(summary.unallocated.pnl) - unallocated;
    expect(rounding < 1_000n && rounding > -1_000n).toBe(true);
  });

  test('with a withdrawal under way, which is no loss', async () => {
    const stage = await traded();
    stage.runner.kernel.context.record({
      kind: 'transferPlanned',
      transfer: {
        id: 'op-1' as TransferId,
        terms: { kind: 'cashWithdrawal', token: `0x${'1'.repeat(40)}`, amount: parseCash('700') },
        strategyId: '',
        cause: 'by hand',
        value: parseCash('700'),
        plannedAt: stage.clock.now(),
        state: { kind: 'planned' },
      },
    });
    const summary = await stage.stop();
    expect(summary.equity.withdrawn).toBe('700');
    expectAddedUp(summary);
    expect(summary.unallocated.pnl).toBe('60');
  });

  test('with stock written off by an operator, whose strategy keeps its earlier profit', async () => {
    const stage = await traded();
    const { context } = stage.runner.kernel;
    const before = earningsOf(context, 'one').pnl;
    const [amount, value] = [-4n * WAD, parseDecimal('-412', { signed: true })];
    context.record({
      kind: 'balanceAccepted',
      side: 'venue',
      asset: ticker('AAPL'),
      strategyId: 'one',
      amount,
      value: cash(value),
      reason: 'gone',
    });
    const summary = await stage.stop();
    expectAddedUp(summary);
    expect(summary.equity.adopted).toBe('-412');
    expect(summary.strategies[0]?.pnl).toBe(formatDecimal(before));
    expect(summary.unallocated.pnl).toBe('60');
  });

  test('with a deposit, which is no profit', async () => {
    const world = new EmulatedWorld();
    await world.run(30, {
      treasury: {
        cashBuffer: {
          below: parseCash('120000'),
          upTo: parseCash('130000'),
          atLeast: parseCash('100'),
          maxPerDay: parseCash('45000'),
        },
      },
      hooks: atStart((order) => void order.buy('AAPL', { shares: 3 })),
    });
    if (!world.summary) throw new Error('nothing ran');
    expect(exact(world.summary.equity.deposited)).toBeGreaterThan(0n);
    expectAddedUp(world.summary);
  });
});
