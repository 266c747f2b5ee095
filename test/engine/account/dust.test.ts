import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { cash, formatDecimal, parseCash, parseDecimal, shares } from '../../../src/core/amount.ts';
import { DAY_MS, epochMs } from '../../../src/core/brand.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import type { AccountReport } from '../../../src/domain/venue.ts';
import { Dust } from '../../../src/engine/account/dust.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { AAPL } from '../../domain/orders.ts';
import { MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const amount = (text: string): bigint => parseDecimal(text, { signed: true });
const account = (money: string, stock: string): AccountReport => ({
  cash: cash(amount('1000') + amount(money)),
  holdings: new Map([[AAPL, { exchange: shares(amount(stock)), wallet: shares(0n) }]]),
});

/** A kernel that opens with 1000 mUSD and some AAPL, and reads the account every 20 s. */
function looking(held = '10') {
  const rules = { limits: {}, ownLimits: new Map(), collarBps: 0, deadlineMs: 0, fees: DOCUMENTED_FEES };
  const obstacles = { reason: () => null };
  const kernel = new Kernel({ calendar: tradingCalendar, rules, strategies: [], obstacles });
  let at = MORNING;
  kernel.handle({ kind: 'opened', account: account('0', held) }, at);
  const look = (money: string, stock = '0'): void => {
    at = epochMs(at + 20 * SECOND);
    kernel.handle(
      { kind: 'account', asked: at, report: account(money, formatDecimal(amount(held) + amount(stock))) },
      at,
    );
  };
  const { context, reconciliation } = kernel;
  const state = () => ({
    counted: reconciliation.found,
    stopped: [
      ...(context.holds.onCash === null ? [] : ['mUSD']),
      ...(context.holds.against(AAPL) === null ? [] : [AAPL]),
    ],
    dust: reconciliation.dust.all.map(
      ({ key, gap, moved, looks }) => `${key} ${formatDecimal(gap)} ${formatDecimal(moved)} ${looks}`,
    ),
  });
  const skip = (ms: number): void => {
    at = epochMs(at + ms);
  };
  return { look, state, skip };
}

const times = (count: number, step: string, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => formatDecimal(amount(step) * BigInt(from + index)));

describe('a balance that drifts by a millionth with each read', () => {
  test.each(['0.000001', '-0.000001'])(
    'by %s stops nothing for 200 reads, and is counted as dust',
    (step) => {
      const { look, state } = looking();
      for (const gap of times(200, step)) {
        look(gap, gap);
        expect(state()).toMatchObject({ counted: 0, stopped: [] });
      }
      const gap = step.replace('000001', '0002');
      expect(state().dust).toEqual([`mUSD ${gap} 0.0002 200`, `AAPL ${gap} 0.0002 200`]);
    },
  );

  test('is a difference once an order needs the missing amount', async () => {
    const hooks = {
      solo: {
        onQuote({ order, view }: HookContext) {
          if (view.position('AAPL') > 0) order.sell('AAPL', { all: true });
          else order.buy('AAPL', { notional: '100' });
        },
      },
    };
    const stage = await new Stage({ hooks, data: { quotes: ['AAPL'] } }).play(SECOND);
    const priced = async (price: string): Promise<void> => {
      stage.venue.prices.set('AAPL', parseCash(price));
      await stage.pass(5 * MINUTE);
    };
    await priced('100.5');
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    const held = stage.venue.holdings.get('AAPL') ?? 0n;
    stage.venue.holdings.set('AAPL', held - amount('0.000001'));
    await stage.pass(5 * MINUTE);
    expect(stage.alarms).toEqual([]);
    await priced('101');
    expect(stage.alarms.join()).toContain('difference in AAPL');
  });

  test('does not stop a run from buying', async () => {
    const hooks = {
      solo: { onQuote: ({ order }: HookContext) => void order.buy('AAPL', { notional: '10' }) },
    };
    const stage = await new Stage({ hooks, data: { quotes: ['AAPL'] } }).play(SECOND);
    for (let count = 0; count < 200; count++) {
      stage.venue.cash -= amount('0.000001');
      await stage.pass(20 * SECOND);
      for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.fill(row);
      stage.venue.prices.set('AAPL', ((stage.venue.prices.get('AAPL') ?? 0n) * 10_001n) / 10_000n);
    }
    expect(stage.venue.sends).toBeGreaterThan(50);
    expect(stage.alarms.filter((text) => text.includes('difference'))).toEqual([]);
  });
});

describe('dust', () => {
  test('does not stop a start, and does not keep the end of a larger order from being confirmed', async () => {
    for (const isLate of [false, true]) {
      const rests = ({ order }: HookContext) =>
        void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 });
      const first = await new Stage({ hooks: { solo: { onStart: rests } } }).play(MINUTE);
      if (!isLate) first.venue.cash += amount('0.001');
      await first.pass(2 * MINUTE);
      const stage = await new Stage({ hooks: { solo: {} }, after: first }).play(MINUTE);
      if (isLate) stage.venue.cash += amount('0.001');
      await stage.pass(2 * MINUTE);
      expect([stage.runner.phase, stage.states]).toEqual(['running', ['working']]);
      stage.venue.end(stage.venue.last, 'expired');
      await stage.pass(5 * MINUTE);
      expect([stage.states, stage.alarms]).toEqual([['closed'], []]);
    }
  });

  test('keeps the end of an equally small order from being confirmed', async () => {
    const rests = ({ order }: HookContext) =>
      void order.limit('AAPL', { side: 'buy', shares: 0.02, price: 90 });
    const stage = await new Stage({ hooks: { solo: { onStart: rests } } }).play(MINUTE);
    stage.venue.cash += amount('0.009');
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(5 * MINUTE);
    expect(stage.states).toEqual(['working']);
  });

  test('is a difference once it adds up to more than 0.01 mUSD or 0.0005 shares', () => {
    const { look, state } = looking();
    for (const gap of times(10, '0.001')) look(gap);
    expect(state()).toMatchObject({ counted: 0, stopped: [] });
    look('0.011');
    expect(state()).toMatchObject({ counted: 0, stopped: ['mUSD'] });
    for (const gap of times(3, '0', 1)) look('0.011', gap);
    expect(state()).toMatchObject({ counted: 1, stopped: ['mUSD'] });
    look('0', '0.0006');
    expect(state()).toMatchObject({ stopped: [AAPL] });
  });

  test('adds up its changes over the day, in both directions, and starts from zero the next day', () => {
    const { look, state, skip } = looking();
    for (const gap of ['0.004', '0', '0.002']) look(gap);
    expect(state()).toMatchObject({ stopped: [], dust: ['mUSD 0.002 0.01 3'] });
    look('0.001');
    expect(state()).toMatchObject({ stopped: ['mUSD'] });
    skip(DAY_MS);
    look('0.001');
    expect(state()).toMatchObject({ stopped: [], dust: ['mUSD 0.001 0 0'] });
  });

  test('is a difference once it exceeds a thousandth of a small holding', () => {
    const { look, state } = looking('0.2');
    look('0', '0.0002');
    expect(state().stopped).toEqual([]);
    look('0', '0.0003');
    expect(state().stopped).toEqual([AAPL]);
  });

  test('does not add up the small gaps of orders on their way', () => {
    const dust = new Dust();
    const look = (gap: string, explainable: boolean) => {
      const [expected, actual] = [amount('1000'), amount('1000') + amount(gap)];
      const mismatch = {
        side: 'venue',
        asset: 'mUSD',
        expected,
        actual,
        explainable,
        shortfall: 0n,
        surplus: 0n,
      } as const;
      return dust.sift([mismatch], { now: MORNING, needed: new Set() });
    };
    for (const gap of ['0.006', '0.002', '-0.006', '0.006']) expect(look(gap, true)).toEqual([]);
    expect(dust.all).toEqual([]);
    expect(look('0.006', false)).toEqual([]);
    expect(look('-0.006', false)).toHaveLength(1);
  });

  test('does not add up while orders under way explain a difference', () => {
    const { look, state } = looking();
    for (let count = 0; count < 50; count++) {
      look('0.005');
      look('-100');
    }
    look('0.005');
    expect(state()).toMatchObject({ dust: ['mUSD 0.005 0.005 1'] });
  });
});
