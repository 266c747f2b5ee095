import { describe, expect, test } from 'vitest';
import { cash, formatDecimal, parseCash, shares as sharesOf } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { CorporateAction } from '../../../src/domain/corporateAction.ts';
import type { DrawdownLimit } from '../../../src/domain/limits.ts';
import { peakOf } from '../../../src/engine/risk/drawdowns.ts';
import { summarise } from '../../../src/engine/runtime/summary.ts';
import { accountValues, bookedEquityOf, dayProfit } from '../../../src/engine/state/exposure.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, eventsOf, give, partingOf } from '../operator/commands.ts';

const HOUR = 60 * MINUTE;

/** Buys 5000 mUSD of AAPL at 100 once, and places a resting buy of MSFT. */
const holder: StrategyHooks = {
  onStart({ order, view }) {
    if (view.position('AAPL') > 0 || view.orders().length > 0) return;
    order.buy('AAPL', { notional: '5000' });
    order.limit('MSFT', { side: 'buy', shares: 2, price: 40, goodTill: 'cancelled' });
  },
};
const reduce: DrawdownLimit = { percent: 10, action: 'reduce' };
const flatten: DrawdownLimit = { percent: 10, action: 'flatten' };
const optionsOf = (drawdown: DrawdownLimit, more: StageOptions = {}): StageOptions => ({
  hooks: { solo: holder },
  ownLimits: { drawdown },
  ...more,
});

async function holding(options: StageOptions): Promise<Stage> {
  const stage = await new Stage(options).play(10 * SECOND);
  for (const row of stage.venue.rows) if (row.order.symbol === 'AAPL') stage.venue.fill(row);
  return stage.pass(MINUTE);
}

const priced = (stage: Stage, price: string, ms = 20 * SECOND) => {
  stage.venue.prices.set('AAPL', parseCash(price));
  return stage.pass(ms);
};
const restrictions = ({ runner }: Stage) => runner.kernel.context.accountState.trading.all;
const peak = ({ runner }: Stage, owner = 'solo') =>
  formatDecimal(runner.kernel.context.accountState.peaks.of(owner)?.equity ?? 0n);
const held = ({ runner }: Stage) => runner.kernel.context.accountState.ledger.held('solo', AAPL);

describe('the drawdown limit', () => {
  test('counts from the peak, and lets only sells continue once it is reached', async () => {
    const options = optionsOf(reduce);
    const stage = await holding(options);
    await priced(stage, '115');
    await priced(stage, '96');
    expect(restrictions(stage)).toEqual([]);
    const top = Number(peak(stage));
    expect(top).toBeGreaterThan(10_740);
    await priced(stage, '92');
    expect(restrictions(stage)).toMatchObject([
      { state: 'reducing', cause: 'drawdown', scope: { strategyId: 'solo' }, by: 'drawdown limit' },
    ]);
    expect(stage.alarms.join()).toMatch(
      /the equity of solo, \d+\.\d\d mUSD, is 10\.\d* % below its peak of 107\d\d\.\d\d: the limit is 10 % \(drawdown\.percent\)\. From now on open buys/,
    );
    expect(stage.venue.rows.find(({ order }) => order.symbol === 'MSFT')?.status).toBe('cancelled');
    await priced(stage, '130');
    expect(restrictions(stage)).toHaveLength(1);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('of all strategies flattens under its own halt', async () => {
    const options: StageOptions = { hooks: { solo: holder }, limits: { drawdown: flatten } };
    const stage = await holding(options);
    await priced(stage, '84');
    await priced(stage, '78', 10 * SECOND);
    expect(restrictions(stage)).toMatchObject([{ state: 'halted', cause: 'drawdown', scope: {} }]);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(held(stage)).toBe(0n);
    expect(eventsOf(stage, 'flattened')).toMatchObject([{ why: 'nothing is left to sell' }]);
    expect(restrictions(stage)).toHaveLength(1);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('keeps its peak and its restriction over a kill', async () => {
    const options = optionsOf(reduce);
    const stage = await holding(options);
    await priced(stage, '115', MINUTE);
    const next = await new Stage({ ...options, after: stage }).play(20 * SECOND);
    expect(peak(next)).toBe(peak(stage));
    await priced(next, '92');
    expect(restrictions(next)).toHaveLength(1);
    const last = await new Stage({ ...options, after: next }).play(20 * SECOND);
    expect(restrictions(last)).toMatchObject([{ cause: 'drawdown' }]);
    expect(eventsOf(last, 'restricted')).toHaveLength(1);
    expect(last.alarms.join()).toMatch(/reducing: the equity of solo/);
  });

  test('is lifted only by `resume`, which starts a new peak', async () => {
    const options = optionsOf({ ...reduce, percent: 5 });
    const stage = await holding(options);
    await priced(stage, '88');
    expect(restrictions(stage)).toHaveLength(1);
    const answer = await give(stage, { kind: 'trade', state: 'active', scope: { strategyId: 'solo' } });
    expect(answer).toMatchObject({ kind: 'done' });
    expect(JSON.stringify(answer)).toContain('the drawdown counts from a new peak: what is there now');
    await stage.pass(10 * SECOND);
    expect(restrictions(stage)).toEqual([]);
    expect(Number(peak(stage))).toBeLessThan(9_500);
    await priced(stage, '86');
    expect(restrictions(stage)).toEqual([]);
    await priced(stage, '75');
    expect(restrictions(stage)).toHaveLength(1);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('counts added or removed capital neither as profit nor as loss', async () => {
    const options = optionsOf(reduce);
    const stage = await holding(options);
    await priced(stage, '90');
    const before = Number(peak(stage));
    const less = { ...options, capital: '7000', after: stage };
    const next = await new Stage(less).play(20 * SECOND);
    expect(restrictions(next)).toEqual([]);
    expect(Number(peak(next)) / before).toBeCloseTo(6_500 / 9_500, 2);
    await priced(next, '86');
    expect(restrictions(next)).toEqual([]);
    await priced(next, '80');
    expect(restrictions(next)).toHaveLength(1);
  });

  test('ignores unconfirmed prices and prices outside the session', async () => {
    const stage = await holding(optionsOf(reduce));
    stage.venue.prices.set('AAPL', parseCash('30'));
    await stage.pass(6 * SECOND);
    await priced(stage, '100');
    expect(restrictions(stage)).toEqual([]);
    await stage.pass(7 * HOUR);
    await priced(stage, '81', MINUTE);
    await priced(stage, '70', MINUTE);
    expect(restrictions(stage)).toEqual([]);
  });

  test('journals no equity peaks when it is not set', async () => {
    const stage = await holding({ hooks: { solo: holder } });
    await priced(stage, '80');
    expect(eventsOf(stage, 'equityPeaks')).toEqual([]);
  });
});

describe('the equity peak after a flow of capital', () => {
  const at = (flow: string, equity: string, limit: DrawdownLimit) =>
    formatDecimal(
      peakOf(
        { equity: parseCash('1000'), flow: cash(parseCash(flow, { signed: true })) },
        parseCash(equity),
        limit,
      ),
    );
  const inMusd: DrawdownLimit = { amount: parseCash('100'), action: 'reduce' };

  test.each([
    [['0', '900'], reduce, '1000'],
    [['0', '1100'], reduce, '1100'],
    [['-450', '450'], reduce, '500'],
    [['900', '1800'], reduce, '2000'],
    [['-450', '450'], inMusd, '550'],
    [['900', '1800'], inMusd, '1900'],
    [['500', '500'], reduce, '500'],
  ] as const)('is scaled or shifted by the flow: %s', ([flow, equity], limit, expected) => {
    expect(at(flow, equity, limit)).toBe(expected);
  });

  test('is not changed by a split, whenever price and shares change', async () => {
    const split = { name: 'forward_split', exDate: '2026-06-16', oldRate: 1n, newRate: 4n } as const;
    const options = optionsOf(reduce, {
      start: epochMs(Date.parse('2026-06-15T19:50:00Z')),
      as: (venue) => {
        venue.corporateActions = () => Promise.resolve([{ kind: 'split', symbol: AAPL, ...split }]);
        return venue;
      },
    });
    const stage = await holding(options);
    const shares = stage.venue.holdings.get(AAPL) ?? 0n;
    await stage.pass(17 * HOUR + 39 * MINUTE);
    await priced(stage, '25', 3 * MINUTE);
    stage.venue.holdings.set(AAPL, sharesOf(shares * 4n));
    await stage.pass(5 * MINUTE);
    expect(held(stage)).toBe(shares * 4n);
    expect(Number(peak(stage))).toBeLessThan(10_010);
    expect(restrictions(stage)).toEqual([]);
  });
});

describe('a dividend that is due', () => {
  /** Half an hour before the open of Tuesday, an ex-date; paid on Wednesday. */
  const START = epochMs(Date.parse('2026-06-15T19:30:00Z'));
  const dividend: CorporateAction = {
    kind: 'payment',
    symbol: AAPL,
    name: 'cash_dividend',
    exDate: '2026-06-16',
    payableDate: '2026-06-17',
    perShare: parseCash('15'),
  };
  const options = (actions: readonly CorporateAction[]): StageOptions => ({
    hooks: { solo: { onStart: ({ order }) => void order.buy('AAPL', { notional: '5000' }) } },
    ownLimits: { drawdown: { percent: 5, action: 'reduce' }, dayLoss: parseCash('200') },
    start: START,
    as: (venue) => {
      venue.corporateActions = () => Promise.resolve(actions);
      return venue;
    },
  });
  /** Ten minutes after the open at which the price has fallen from 100 to 85. */
  async function exDate(given: StageOptions): Promise<Stage> {
    const stage = await holding(given);
    await stage.pass(18 * HOUR - 2 * MINUTE);
    stage.venue.prices.set('AAPL', parseCash('85'));
    return stage.pass(12 * MINUTE);
  }
  const stateOf = ({ runner }: Stage) => runner.kernel.context.accountState;

  test("does not count as a loss for the drawdown limit or the day's profit on its ex-date", async () => {
    const given = options([dividend]);
    const stage = await exDate(given);
    const due = stateOf(stage).actions.receivable('solo');
    expect(Number(formatDecimal(due))).toBeCloseTo((5_000 / 100) * 15, 0);
    expect(restrictions(stage)).toEqual([]);
    const { context } = stage.runner.kernel;
    expect(Number(formatDecimal(dayProfit(context, 'solo')))).toBeCloseTo(0, 6);
    expect(summarise(stage.runner.kernel, context.now).equity.receivable).toBe(formatDecimal(due));
    const before = bookedEquityOf(context, 'solo');
    stage.venue.cash += due;
    await stage.pass(2 * MINUTE);
    expect(stateOf(stage).actions.unpaid.size).toBe(0);
    expect(bookedEquityOf(context, 'solo')).toBe(before);
    expect(partingOf(stage, given)).toBeNull();
  });

  test('is neither peak nor profit while the price is still the old one, as for a stock that opens late', async () => {
    const given = options([dividend]);
    const stage = await holding(given);
    await stage.pass(18 * HOUR - 2 * MINUTE);
    stage.venue.haltedAt.set('AAPL', epochMs(START + 20 * MINUTE));
    await stage.pass(20 * MINUTE);
    expect(Number(peak(stage))).toBe(10_000);
    const { context } = stage.runner.kernel;
    const { today, owners } = accountValues(context, ['solo']);
    for (const profit of [dayProfit(context), today, owners.get('solo')?.today ?? 1n])
      expect(Number(formatDecimal(cash(profit)))).toBeCloseTo(0, 6);
    stage.venue.haltedAt.delete('AAPL');
    stage.venue.prices.set('AAPL', parseCash('85'));
    await stage.pass(5 * MINUTE);
    expect(restrictions(stage)).toEqual([]);
  });

  test('does not count as a loss when a start within the day still has the old price', async () => {
    const given = options([dividend]);
    const first = await holding(given);
    first.crash();
    first.venue.haltedAt.set('AAPL', epochMs(START + 20 * MINUTE));
    await first.pass(18 * HOUR + 10 * MINUTE);
    const stage = await new Stage({ ...given, after: first }).play(5 * MINUTE);
    stage.venue.haltedAt.delete('AAPL');
    stage.venue.prices.set('AAPL', parseCash('85'));
    await stage.pass(5 * MINUTE);
    const { context } = stage.runner.kernel;
    expect(stateOf(stage).sessionDate).toBe('2026-06-16');
    expect(Number(formatDecimal(dayProfit(context, 'solo')))).toBeCloseTo(0, 6);
  });

  test('makes the difference: without it the same price fall restricts trading', async () => {
    expect(restrictions(await exDate(options([])))).toMatchObject([{ cause: 'drawdown' }]);
  });
});
