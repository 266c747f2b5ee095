import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { Orders, StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, MORNING, SECOND, Stage } from '../stage.ts';

const buyAapl = atStart((order) => order.buy('AAPL', { notional: '1000' }, 'because'));

describe('a send', () => {
  test('reaches the venue once, is found in the order list, and settles to the last digit', async () => {
    const stage = await new Stage({ hooks: { solo: buyAapl } }).play(10 * SECOND);
    expect(stage.states).toEqual(['working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
    expect(stage.venue.sends).toBe(1);
    const { ledger } = stage.runner.kernel.context.accountState;
    expect(ledger.held('solo', 'mUSD')).toBe(parseCash('8998.9'));
    expect(await stage.stop()).toMatchObject({
      orders: { sent: 1, filled: 1 },
      reconciliation: { differences: 0 },
    });
  });

  test('is journaled with its exact request before its outcome', async () => {
    const stage = await new Stage({ hooks: { solo: buyAapl } }).play(10 * SECOND);
    const kinds = stage.lines.map((line) => /"event":\{"kind":"(\w+)"/.exec(line)?.[1]).filter(Boolean);
    expect(kinds).toEqual(['sent', 'accepted', 'reported']);
    expect(stage.lines.find((line) => line.includes('"sent"'))).toContain('"nonce":"nonce-0"');
  });

  test('whose response was lost is found by its terms and never sent again', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.venue.fates.push('lostAfter');
    await stage.play(2 * MINUTE);
    expect(stage.states).toEqual(['working']);
    expect(stage.venue.sends).toBe(1);
  });

  test('that never arrived keeps its reserve until the fence is passed', async () => {
    const other: StrategyHooks = { onTimer: ({ order }) => void order.buy('MSFT', { shares: 1 }) };
    const hooks = { solo: buyAapl, other };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 'later', at: '10:05' }] };
    const stage = new Stage({ hooks, data });
    stage.venue.fates.push('lostBefore');
    await stage.play(4 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    expect(stage.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(
      parseCash('1001.1'),
    );
    await stage.pass(4 * MINUTE);
    expect(stage.states).toEqual(['neverExisted', 'working']);
    expect(stage.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  });

  test('that is never proved absent raises one alarm and stays unknown', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.venue.fates.push('lostBefore');
    await stage.play(30 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    expect(stage.alarms.filter((text) => text.includes('still unresolved'))).toHaveLength(1);
    expect(stage.runner.alarms.all.map(({ code, count }) => [code, count])).toEqual([['ORDER_UNKNOWN', 2]]);
  });

  test('that was accepted, and is shown after its alarm, ends that alarm', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.venue.indexed = false;
    await stage.play(15 * MINUTE);
    expect(stage.states).toEqual(['acknowledged']);
    const open = () => stage.runner.alarms.all.filter(({ code }) => code === 'ORDER_UNKNOWN');
    expect(open()).toHaveLength(1);
    stage.venue.last.shown = true;
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['working']);
    expect(open()).toEqual([]);
  });

  test('that the venue shows before its lost answer raises no alarm', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.venue.signsHere = true;
    stage.venue.fates.push('lostAfter');
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = async (terms, gate) => {
      const outcome = await place(terms, gate);
      await stage.clock.sleep(20 * SECOND);
      return outcome;
    };
    await stage.play(MINUTE);
    expect(stage.states).toEqual(['working']);
    expect(stage.runner.alarms.all).toEqual([]);
  });

  test('is assumed never placed after the configured grace, and counted separately', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl }, rules: { assumeGoneAfterMs: 5 * MINUTE } });
    stage.venue.fates.push('lostBefore');
    await stage.play(8 * MINUTE);
    expect(await stage.stop()).toMatchObject({ orders: { neverExisted: 0, neverExistedAssumed: 1 } });
  });

  test('is not assumed never placed by an account read that began before the grace was over', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl }, rules: { assumeGoneAfterMs: 5 * MINUTE } });
    stage.venue.fates.push('lostBefore');
    await stage.play(5 * MINUTE);
    const account = stage.venue.account.bind(stage.venue);
    stage.venue.account = async () => {
      const report = await account();
      await stage.clock.sleep(4 * MINUTE);
      return report;
    };
    await stage.pass(5 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
    await stage.pass(6 * MINUTE);
    expect(stage.states).toEqual(['neverExisted']);
  });

  test('is not assumed never placed while the list has a mined order that may be it', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl }, rules: { assumeGoneAfterMs: 5 * MINUTE } });
    stage.venue.fates.push('lostAfter');
    stage.venue.indexed = false;
    await stage.play(SECOND);
    const { last } = stage.venue;
    Object.assign(last, { shown: true, terms: last.terms && { ...last.terms, notional: null } });
    stage.venue.indexed = true;
    await stage.pass(20 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
  });

  test('is not followed by another for the same stock and side while it is unknown', async () => {
    const stage = await twoBuysAndNoAnswer(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(
      stage.said(/^buy AAPL for \d+: waits for order solo-1\.1 on the same side: it has no answer yet$/),
    ).toBe(true);
    show(stage);
    await stage.pass(30 * SECOND);
    expect(stage.venue.sends).toBe(2);
  });

  test('is not followed by an order decided long before it was found', async () => {
    const stage = await twoBuysAndNoAnswer(3 * MINUTE);
    expect(
      stage.said(/AAPL.*: dropped, order solo-1\.1 on the same side comes first: it has no answer yet/),
    ).toBe(true);
    show(stage);
    await stage.pass(10 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect([...stage.runner.kernel.context.accountState.intents.keys()]).toEqual(['solo-1']);
  });

  test('of an earlier run is followed only by its good-till-cancelled limit order, not by its market order', async () => {
    const first = await twoBuysAndNoAnswer(MINUTE, (order) =>
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled' }),
    );
    await first.stop();
    await first.clock.advanceBy(30 * MINUTE);
    const next = new Stage({ hooks: { solo: {} }, after: first });
    show(next);
    await next.play(5 * MINUTE);
    expect(next.said(/AAPL.*: dropped, it was decided before the runner was restarted/)).toBe(true);
    expect(next.venue.sends).toBe(2);
  });

  test('is blocked while a kill file exists', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.killed = true;
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.states).toEqual(['abandoned']);
    expect(stage.said(/kill file/)).toBe(true);
  });

  test('is blocked while One Click is off', async () => {
    const stage = new Stage({ hooks: { solo: buyAapl } });
    stage.venue.delegationOn = false;
    await stage.play(MINUTE);
    expect(stage.venue.sends).toBe(0);
  });

  test('is blocked when the venue shows too little cash, whatever the ledger says', async () => {
    const later: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };
    const stage = new Stage({
      hooks: { solo: later },
      data: { quotes: ['AAPL'], timers: [{ name: 't', at: '10:02' }] },
    });
    await stage.play(MINUTE);
    stage.venue.cash = parseCash('500');
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.alarms.join()).toMatch(/difference in mUSD: the ledger says 100000, the venue 500/);
  });
});

describe('the limit', () => {
  const bySize = ['orderNotional', 'positionNotional', 'grossExposure'] as const;
  const buys = (count: number) =>
    atStart((order) => order.limit('AAPL', { side: 'buy', shares: count, price: 99 }));

  test.each(bySize)('%s refuses an order above it and passes one below it', async (name) => {
    const limits: Limits = { [name]: parseCash('1000') };
    const refused = await new Stage({ hooks: { solo: buys(11) }, limits }).play(MINUTE);
    expect(refused.venue.sends).toBe(0);
    expect(refused.said(new RegExp(name))).toBe(true);
    const passed = await new Stage({ hooks: { solo: buys(9) }, limits }).play(MINUTE);
    expect(passed.venue.sends).toBe(1);
  });

  test('positionNotional counts the orders of several strategies at one instant', async () => {
    const limits = { positionNotional: parseCash('1500') };
    const stage = await new Stage({ hooks: { one: buyAapl, two: buyAapl }, limits }).play(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.orders.map(({ strategyId }) => strategyId)).toEqual(['one']);
    expect(stage.said(/positionNotional/)).toBe(true);
  });

  test('of a single strategy refuses its order above it', async () => {
    const stage = await new Stage({
      hooks: { solo: buys(11) },
      ownLimits: { orderNotional: parseCash('1000') },
    }).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
  });

  test('ordersPerMinute holds further orders back', async () => {
    const many = atStart((order) => {
      for (const price of [99, 98, 97]) order.limit('AAPL', { side: 'buy', shares: 1, price });
    });
    const stage = await new Stage({ hooks: { solo: many }, limits: { ordersPerMinute: 2 } }).play(MINUTE / 2);
    expect(stage.venue.sends).toBe(2);
    expect(stage.said(/ordersPerMinute/)).toBe(true);
  });

  test('ordersPerMinute of a single strategy does not count the orders of others', async () => {
    const hooks = { one: buys(1), two: buys(1) };
    const stage = await new Stage({ hooks, ownLimits: { ordersPerMinute: 1 } }).play(MINUTE / 2);
    expect(stage.venue.sends).toBe(2);
    expect(stage.said(/ordersPerMinute/)).toBe(false);
  });

  test('priceBandBps refuses a price too far on the harmful side', async () => {
    const dear = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 110 }));
    const stage = await new Stage({ hooks: { solo: dear }, limits: { priceBandBps: 500 } }).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/priceBandBps/)).toBe(true);
  });

  test('quoteAgeMs refuses an order on an old price', async () => {
    const late: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }) };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:02' }] };
    const stage = new Stage({ hooks: { solo: late }, data, limits: { quoteAgeMs: 30_000 } });
    await stage.play(MINUTE);
    stage.venue.listings = () => Promise.reject(new UnreachableError('connection refused'));
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/quoteAgeMs/)).toBe(true);
  });

  test('quoteAgeMs refuses an order on a standing price with a future time', async () => {
    const late: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }) };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:02' }] };
    const stage = new Stage({ hooks: { solo: late }, data, limits: { quoteAgeMs: 30_000 } });
    stage.venue.haltedAt.set('AAPL', epochMs(MORNING * 1000));
    await stage.play(3 * MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/quoteAgeMs/)).toBe(true);
  });

  test('dayLoss stops buys after a loss, and passes sells', async () => {
    const both: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '5000' }),
      onTimer({ order }) {
        order.buy('MSFT', { shares: 1 });
        order.sell('AAPL', { all: true });
      },
    };
    const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:02' }] };
    const stage = new Stage({ hooks: { solo: both }, data, limits: { dayLoss: parseCash('100') } });
    await stage.play(20 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(20 * SECOND);
    stage.venue.prices.set('AAPL', 90n * 10n ** 18n);
    await stage.pass(2 * MINUTE);
    expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`)).toEqual([
      'buy AAPL',
      'sell AAPL',
    ]);
    expect(stage.said(/dayLoss/)).toBe(true);
  });
});

/** The venue accepts the first buy, and neither responds nor shows it. */
async function twoBuysAndNoAnswer(ms: number, more: (order: Orders) => unknown = () => undefined) {
  const twice = atStart((order) => {
    order.buy('AAPL', { notional: '1000' });
    order.buy('AAPL', { notional: '2000' });
    more(order);
  });
  const stage = new Stage({ hooks: { solo: twice } });
  stage.venue.fates.push('lostAfter');
  stage.venue.indexed = false;
  return stage.play(ms);
}

function show({ venue }: Stage): void {
  for (const row of venue.rows) row.shown = true;
  venue.indexed = true;
}
