import { describe, expect, test } from 'vitest';
import { parseCash, parseShares, WAD } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { exposureOf } from '../../../src/engine/state/exposure.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { expectSound, settleAll } from '../invariants.ts';
import type { Row } from '../fakeVenue.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const CLOSE = Date.parse('2026-06-15T20:00:00Z');
const rest = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));
const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
const heldIn = (stage: Stage) => stage.runner.kernel.context.holds.against(AAPL);

describe('a response after its time limit', () => {
  test('acknowledges the order once, and is journaled', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('answeredLate');
    stage.venue.indexed = false;
    await stage.play(20 * SECOND);
    expect(stage.states).toEqual(['unknown']);
    await stage.pass(20 * SECOND);
    expect(stage.states).toEqual(['acknowledged']);
    expect(stage.lines.filter((line) => line.includes('"kind":"accepted"'))).toHaveLength(1);
    expect(stage.venue.sends).toBe(1);
  });

  test('changes nothing for an order the list has shown, and nothing after the end of the run', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('answeredLate');
    await stage.play(10 * SECOND);
    expect(stage.states).toEqual(['working']);
    await stage.pass(MINUTE);
    expect([stage.states, stage.alarms.length]).toEqual([['working'], 1]);
    const ending = new Stage({ hooks: { solo: buy } });
    ending.venue.fates.push('answeredLate');
    ending.venue.indexed = false;
    await ending.play(5 * SECOND);
    await ending.stop();
    await ending.pass(MINUTE);
    expect(ending.states).toEqual(['unknown']);
    expect(ending.failure).toBeNull();
  });
});

describe('an open order', () => {
  test('that vanishes from list and detail holds its stock until it is shown again', async () => {
    const stage = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
    stage.venue.last.shown = false;
    await stage.pass(MINUTE);
    expect(heldIn(stage)).toMatch(/shows it no longer/);
    expect(stage.states).toEqual(['working']);
    expect(stage.alarms).toHaveLength(1);
    stage.venue.last.shown = true;
    await stage.pass(MINUTE);
    expect(heldIn(stage)).toBeNull();
    expect([...stage.runner.kernel.context.accountState.frozen]).toEqual([]);
  });

  test('past its close holds its stock until the venue reports its end', async () => {
    const stage = await new Stage({ hooks: { solo: rest }, start: CLOSE - 5 * MINUTE }).play(12 * MINUTE);
    expect([stage.states, heldIn(stage)]).toEqual([['working'], null]);
    await stage.pass(10 * MINUTE);
    expect(heldIn(stage)).toMatch(/its session has closed/);
    expect(stage.states).toEqual(['working']);
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'expired' } }]);
    expect(heldIn(stage)).toBeNull();
  });

  test('with a cancel that has no effect raises an alarm after five minutes, and stays live', async () => {
    const twice: StrategyHooks = { ...rest, onTimer: ({ order }) => order.cancel({ symbol: 'AAPL' }) };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };
    const stage = new Stage({ hooks: { solo: twice }, data });
    stage.venue.cancelFates.push('late');
    await stage.play(50 * SECOND);
    Object.assign(stage.venue.last, { status: 'canceling', rawStatus: 'New' });
    await stage.pass(10 * MINUTE);
    expect(stage.alarms).toEqual([expect.stringMatching(/its cancel has had no effect for 5 min/)]);
    expect(stage.states).toEqual(['working']);
  });
});

test('an external cancel of an order raises an alarm when it has no effect for five minutes', async () => {
  const stage = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
  Object.assign(stage.venue.last, { status: 'canceling', rawStatus: 'New' });
  await stage.pass(10 * MINUTE);
  expect(stage.alarms).toEqual([expect.stringMatching(/its cancel has had no effect for 5 min/)]);
});

test.each(['cancelled', 'expired'] as const)(
  'an order reported as %s without a fill waits for its settlement while the account does not agree',
  async (how) => {
    const stage = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
    const row = stage.venue.last;
    Object.assign(row, { status: how, rawStatus: how });
    await stage.pass(20 * SECOND);
    expect(stage.orders).toMatchObject([
      { state: { kind: 'working' }, claim: { end: { report: { status: how } } } },
    ]);
    stage.venue.fill(row, how, parseShares('4'));
    row.locked = null;
    await stage.pass(MINUTE);
    expect([...stage.runner.kernel.context.accountState.frozen]).toEqual([]);
    expect(stage.runner.kernel.context.accountState.ledger.held('solo', AAPL)).toBe(parseShares('4'));
    await settleAll(stage, MINUTE);
    expectSound(stage);
  },
);

test('a settlement that changes later freezes the stock and is not booked again', async () => {
  const stage = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(20 * SECOND);
  const cashAfter = stage.runner.kernel.context.accountState.ledger.total('mUSD');
  const { settlement } = stage.venue.last;
  if (settlement) stage.venue.last.settlement = { ...settlement, pay: settlement.pay - 1n };
  await stage.pass(2 * MINUTE);
  expect(stage.runner.kernel.context.accountState.frozen.get(AAPL)).toMatch(/settled order has changed/);
  expect(stage.runner.kernel.context.accountState.ledger.total('mUSD')).toBe(cashAfter);
});

test('a settlement that changes together with the account is booked again, and the stock stays frozen', async () => {
  const stage = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(20 * SECOND);
  const { accountState } = stage.runner.kernel.context;
  const cashAfter = accountState.ledger.total('mUSD');
  const { settlement } = stage.venue.last;
  if (settlement) stage.venue.last.settlement = { ...settlement, pay: settlement.pay - 7n * WAD };
  stage.venue.cash += 7n * WAD;
  await stage.pass(2 * MINUTE);
  expect(accountState.ledger.total('mUSD')).toBe(cashAfter + 7n * WAD);
  expect(accountState.frozen.get(AAPL)).toMatch(/settled order has changed/);
  expect(
    stage.alarms.filter((text) => /has settled again, otherwise: what it had settled/.test(text)),
  ).toHaveLength(1);
  await settleAll(stage, MINUTE);
  expectSound(stage);
});

test('a stock released from a changed settlement is frozen again only by another change', async () => {
  const first = await new Stage({ hooks: { solo: rest } }).play(10 * SECOND);
  const row = first.venue.last;
  const restate = () => {
    if (row.settlement) row.settlement = { ...row.settlement, price: (row.settlement.price - 1n) as never };
  };
  first.venue.fill(row);
  await first.pass(20 * SECOND);
  restate();
  await first.pass(2 * MINUTE);
  const shown = first.runner.kernel.context.accountState.freezes.causes(AAPL)[0]?.shown;
  expect(shown).toMatch(/a settled order has changed: .* at /);
  const again = new Stage({ hooks: { solo: rest }, after: first });
  const released = { kind: 'released', symbol: AAPL, reason: 'looked at', shown: shown ?? '' } as const;
  again.options.journal.commit([{ at: again.clock.now(), fact: released }]);
  await again.play(2 * MINUTE);
  const { accountState } = again.runner.kernel.context;
  expect([...accountState.frozen]).toEqual([]);
  restate();
  await again.pass(2 * MINUTE);
  expect(accountState.frozen.get(AAPL)).toMatch(/settled order has changed/);
  expect(accountState.freezes.causes(AAPL)[0]?.shown).not.toBe(shown);
});

test('a settlement above the reserve by dust is booked, and owed when the strategy has nothing left', async () => {
  const all = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));
  const stage = new Stage({ hooks: { solo: all }, capital: '900.99' });
  await stage.play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  const { settlement } = stage.venue.last;
  if (settlement) stage.venue.last.settlement = { ...settlement, pay: settlement.pay + 10n ** 12n };
  stage.venue.cash -= 10n ** 12n;
  await stage.pass(2 * MINUTE);
  expect(stage.failure).toBeNull();
  expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
  expect([...stage.runner.kernel.context.accountState.frozen]).toEqual([]);
  expect(stage.runner.kernel.reconciliation.clean).toBe(true);
});

test('an order that exists twice at the venue freezes its stock, and nothing is sent to correct it', async () => {
  const stage = new Stage({ hooks: { solo: buy } });
  stage.venue.fates.push('twice');
  await stage.play(MINUTE);
  expect(stage.runner.kernel.context.accountState.frozen.get(AAPL)).toMatch(
    /a second order just like solo-1\.1/,
  );
  expect([...stage.runner.kernel.context.accountState.external.values()]).toHaveLength(1);
  expect(stage.venue.sends).toBe(1);
});

test('a second copy of an order, first shown only as a link, counts against the limits once its terms are shown', async () => {
  const stage = new Stage({ hooks: { solo: rest } });
  const orders = stage.venue.orders.bind(stage.venue);
  stage.venue.orders = async (query) => structuredClone(await orders(query));
  stage.venue.fates.push('twice');
  await stage.play(SECOND);
  const { accountState } = stage.runner.kernel.context;
  const { orderId, terms, status, locked } = stage.venue.last;
  Object.assign(stage.venue.last, { orderId: null, terms: null, status: 'pending', locked: null });
  const gross = () => exposureOf(stage.runner.kernel.context, { symbol: AAPL })?.gross ?? 0n;
  await stage.pass(MINUTE);
  const once = gross();
  Object.assign(stage.venue.last, { orderId, terms, status, locked });
  await stage.pass(MINUTE);
  expect(accountState.frozen.get(AAPL)).toMatch(/a second order just like solo-1\.1/);
  // An external order counts with its fees, as the venue has locked it.
  expect(gross()).toBe(once + (locked ?? 0n));
  expect(stage.alarms.filter((text) => text.includes('external order'))).toHaveLength(1);
});

test('a refusal for another session stops market orders for the day, and limit orders continue', async () => {
  const hooks: StrategyHooks = {
    onTimer({ order, timer }) {
      if (timer === 'limit') order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
      else order.buy('AAPL', { notional: '1000' });
    },
  };
  const timers = ['one', 'two', 'limit'].map((name, index) => ({ name, at: `10:0${index + 1}` }));
  const stage = new Stage({ hooks: { solo: hooks }, data: { quotes: ['AAPL', 'MSFT'], timers } });
  stage.venue.fates.push('otherSession');
  await stage.play(5 * MINUTE);
  expect(stage.alarms.join()).toMatch(/another session \(after-hours\).*no more market orders today/);
  expect(stage.venue.sends).toBe(2);
  await stage.pass(23.6 * 60 * MINUTE);
  expect(stage.venue.sends).toBe(3);
});

test('the stop of market orders for a day holds over a restart and ends the day after', async () => {
  const hooks: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };
  const timers = ['10:01', '10:05'].map((at) => ({ name: at, at }));
  const setup = { hooks: { solo: hooks }, data: { quotes: ['AAPL'], timers } };
  const first = new Stage(setup);
  first.venue.fates.push('otherSession');
  await first.play(2 * MINUTE);
  const second = await new Stage({ ...setup, after: first }).play(5 * MINUTE);
  expect(second.said(/the session takes no more market orders, will be sent at 09:30 on /)).toBe(true);
  expect(second.venue.sends).toBe(1);
  await second.pass(24 * 60 * MINUTE);
  expect(second.venue.sends).toBeGreaterThan(1);
});

test('an unreadable row of an own order freezes its stock, and other stocks continue', async () => {
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
    onTimer({ order }) {
      order.buy('AAPL', { notional: '1000' });
      order.buy('MSFT', { shares: 1 });
    },
  };
  const timers = [{ name: 't', at: '10:02' }];
  const stage = new Stage({ hooks: { solo: hooks }, data: { quotes: ['AAPL', 'MSFT'], timers } });
  await stage.play(20 * SECOND);
  const [own] = stage.venue.rows;
  const orders = stage.venue.orders.bind(stage.venue);
  const spoilt = async (...asked: Parameters<typeof orders>) => {
    const page = await orders(...asked);
    const reason = 'status: not a text';
    const spoil = ({ txHash }: Row) => ({ unreadable: `${reason}: ${stage.clock.now()}`, reason, txHash });
    return { ...page, rows: page.rows.map((row) => (row.txHash === own?.txHash ? spoil(row) : row)) };
  };
  stage.venue.orders = spoilt as never;
  await stage.pass(3 * MINUTE);
  const { accountState } = stage.runner.kernel.context;
  expect(accountState.frozen.get(AAPL)).toMatch(/unreadable: status: not a text: \d/);
  expect(accountState.freezes.causes(AAPL)[0]?.shown).toMatch(/unreadable: status: not a text$/);
  expect(stage.orders.map(({ terms }) => terms.symbol)).toEqual(['AAPL', 'MSFT']);
  expect(stage.venue.sends).toBe(2);
});

test('order pages that shift while they are read prove no absence', async () => {
  const stage = new Stage({ hooks: { solo: buy } });
  stage.venue.fates.push('lostBefore');
  await stage.play(10 * SECOND);
  stage.venue.foreign(stage.orders[0]?.terms as never);
  const foreign = stage.venue.last;
  foreign.terms = {
    symbol: ticker('MSFT'),
    side: 'sell',
    type: 'market',
    quantity: parseShares('1'),
    notional: null,
    price: null,
  };
  foreign.createdAt = (foreign.createdAt + 200_000) as never;
  stage.venue.end(foreign, 'filled');
  stage.venue.shortRows = 1;
  await stage.pass(8 * MINUTE);
  expect(stage.states).toEqual(['unknown']);
  stage.venue.shortRows = 0;
  await stage.pass(2 * MINUTE);
  expect(stage.states).toEqual(['neverExisted']);
});

test('the proceeds of a sell are spent only once the balance shows them', async () => {
  const turn: StrategyHooks = {
    onStart: ({ order }) => void order.sell('AAPL', { shares: 90 }),
    onFill: ({ order }) => void order.buy('MSFT', { shares: 170 }),
  };
  const first = new Stage({ hooks: { solo: atStart((order) => order.buy('AAPL', { notional: '9000' })) } });
  first.venue.cash = parseCash('10000');
  await first.play(10 * SECOND);
  first.venue.fill(first.venue.last);
  await first.pass(MINUTE);
  const stage = new Stage({ hooks: { solo: turn }, after: first, rules: { confirmsBalance: true } });
  await stage.play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  const late = stage.venue.last.settlement?.receive ?? 0n;
  stage.venue.cash -= late;
  await stage.pass(35 * SECOND);
  expect(stage.venue.sends).toBe(2);
  stage.venue.cash += late;
  await stage.pass(70 * SECOND);
  expect(stage.venue.sends).toBe(3);
});
