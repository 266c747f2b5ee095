import { describe, expect, test } from 'vitest';
import { formatDecimal } from '../../../src/core/amount.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import {
  armed,
  bracketed,
  bracketing,
  buys,
  expectRestSold,
  held,
  heldShares,
  holding,
  part,
  price,
  sells,
  syntheticsOf,
} from './play.ts';

const OCO = { limit: { all: true, price: 110 }, stop: { stop: 95 } } as const;

test('a stop sells once its price is touched, once and not before', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  await price(stage, '96');
  expect(sells(stage)).toEqual([]);
  await price(stage, '95');
  expect(sells(stage)).toEqual(['market 10 working']);
  await price(stage, '90');
  expect(sells(stage)).toHaveLength(1);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(armed(stage)).toBe(0);
});

test('a stop with a limit price sells as a limit order, again in the next session', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95, limit: 94 }));
  await price(stage, '95');
  expect(sells(stage)).toEqual(['limit 10 working']);
  stage.venue.end(stage.venue.last, 'expired');
  await stage.pass(24 * 60 * MINUTE);
  expect(sells(stage)).toEqual(['limit 10 expired', 'limit 10 working']);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(armed(stage)).toBe(0);
});

test('a trailing stop follows the highest price, over a kill too', async () => {
  const protect = (order: HookContext['order']) => order.trail('AAPL', { all: true, by: { percent: 10 } });
  const stage = await held(protect);
  await price(stage, '110');
  await price(stage, '100');
  expect(sells(stage)).toEqual([]);
  const next = await new Stage({ hooks: { solo: holding(protect) }, after: stage }).play(MINUTE);
  await price(next, '99');
  expect(sells(next)).toEqual(['market 10 working']);
});

test('one-cancels-other ends its take-profit before its stop sells', async () => {
  const stage = await held((order) => order.oco('AAPL', OCO));
  expect(sells(stage)).toEqual(['limit 10 working']);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 10 working']);
});

test('the stop of one-cancels-other sells less what the take-profit filled before its cancel', async () => {
  const stage = await held((order) => order.oco('AAPL', OCO));
  stage.venue.cancelFates.push('late');
  await price(stage, '94', 5 * SECOND);
  await expectRestSold(stage, '0');
});

test('a take-profit that does not end within 10 s of its cancel raises an alarm, and the stop waits for it', async () => {
  const stage = await held((order) => order.oco('AAPL', OCO));
  stage.venue.cancelFates.push('lostBefore');
  await price(stage, '94', 8 * SECOND);
  expect(stage.alarms.filter((text) => text.includes('once its resting order has ended'))).toEqual([]);
  await stage.pass(12 * SECOND);
  expect(stage.alarms.filter((text) => text.includes('once its resting order has ended'))).toHaveLength(1);
  expect(sells(stage)).toEqual(['limit 10 working']);
  stage.venue.end(stage.venue.last, 'cancelled');
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 10 working']);
  expect(
    stage.notices.filter(({ kind, text }) => kind === 'clear' && text.includes('continues')),
  ).toHaveLength(1);
});

test('an exit without a response is not sent again', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  stage.venue.indexed = false;
  stage.venue.fates.push('lostAfter');
  await price(stage, '94', 20 * MINUTE);
  expect([stage.venue.sends, sells(stage)]).toEqual([2, ['market 10 unknown']]);
});

test('an exit that is refused is sent again, at growing intervals', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  stage.venue.fates.push('refuse', 'refuse');
  await price(stage, '94', 20 * MINUTE);
  expect(sells(stage)).toEqual(['market 10 refused', 'market 10 refused', 'market 10 working']);
  const [first = 0, second = 0, third = 0] = stage.orders.slice(1).map(({ plannedAt }) => plannedAt);
  expect(third - second).toBeGreaterThan(second - first);
  expect(stage.alarms.filter((text) => text.includes('its sale has failed'))).toHaveLength(2);
});

test('a take-profit expires with the session, and is placed again in the next', async () => {
  const stage = await held((order) => order.oco('AAPL', OCO));
  await stage.pass(6 * 60 * MINUTE);
  stage.venue.fill(stage.venue.last, 'expired', part('3'));
  await stage.pass(18 * 60 * MINUTE);
  expect(sells(stage)).toEqual(['limit 10 expired', 'limit 7 working']);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 10 expired', 'limit 7 cancelled', 'market 7 working']);
});

test('a stop is triggered at the open by a price that has not changed since the night', async () => {
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }));
  await stage.pass(8 * 60 * MINUTE);
  await price(stage, '94', 60 * MINUTE);
  expect(sells(stage)).toEqual([]);
  await stage.pass(16 * 60 * MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
});

test('an exit above the limit of one order is sold in parts', async () => {
  const options = { rules: { collarBps: 50 } };
  const stage = await held((order) => order.stop('AAPL', { all: true, stop: 95 }), {}, options);
  stage.runner.kernel.context.rules = {
    ...stage.runner.kernel.context.rules,
    limits: { orderNotional: 500n * 10n ** 18n } as never,
  };
  await price(stage, '94');
  expect(sells(stage)).toEqual([expect.stringMatching(/^market 5\.\d+ working$/)]);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage)).toHaveLength(2);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect([armed(stage), heldShares(stage)]).toEqual([0, '0']);
});

test('a bracket protects its fill by the average price', async () => {
  const stage = await bracketed({
    entry: { shares: 10 },
    takeProfit: { percent: 10 },
    stopLoss: { percent: 5 },
  });
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 10 working']);
  const [state] = syntheticsOf(stage);
  expect([state?.takeProfit, state?.stop].map((each) => formatDecimal(each ?? 0n))).toEqual([
    '110.55',
    '95.48',
  ]);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(armed(stage)).toBe(0);
});

test('a bracket whose stop is touched while its entry is open cancels it and sells what it has bought', async () => {
  const stage = await bracketed({ entry: { shares: 10, limit: 99 }, stopLoss: 95 });
  expect(buys(stage)).toEqual(['limit 10 working']);
  stage.venue.cancelFates.push('late');
  await price(stage, '94', 5 * SECOND);
  stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
  await price(stage, '97');
  expect([buys(stage), sells(stage)]).toEqual([['limit 10 cancelled'], ['market 4 working']]);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect([armed(stage), heldShares(stage)]).toEqual([0, '0']);
});

test('a bracket whose stop is touched before its entry has bought anything ends', async () => {
  const stage = await bracketed({ entry: { shares: 10, limit: 99 }, stopLoss: 95 });
  await price(stage, '94');
  await price(stage, '98');
  expect([buys(stage), sells(stage), armed(stage)]).toEqual([['limit 10 cancelled'], [], 0]);
  expect(stage.said(/its stop was touched before it had filled/)).toBe(true);
});

test('a bracket with only `exitAfter` sells at that time', async () => {
  const stage = await bracketed({ entry: { shares: 10 }, exitAfter: { minutes: 10 } });
  stage.venue.fill(stage.venue.last);
  await stage.pass(9 * MINUTE);
  expect(sells(stage)).toEqual([]);
  await stage.pass(2 * MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
});

test('a bracket that expires cancels its entry, and protects what that has bought', async () => {
  const stage = await bracketed({
    entry: { shares: 10, limit: 99 },
    stopLoss: 95,
    expires: { minutes: 10 },
  });
  stage.venue.cancelFates.push('late');
  await stage.pass(10 * MINUTE);
  stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
  await stage.pass(MINUTE);
  expect([buys(stage), armed(stage)]).toEqual([['limit 10 cancelled'], 1]);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['market 4 working']);
});

test('a bracket that expires before its entry has bought anything ends', async () => {
  const terms = { entry: { shares: 10, limit: 99 }, stopLoss: 95, expires: { minutes: 10 } };
  const stage = await bracketed(terms);
  await stage.pass(11 * MINUTE);
  expect([buys(stage), armed(stage)]).toEqual([['limit 10 cancelled'], 0]);
  expect(stage.said(/expired/)).toBe(true);
});

test('an entry is placed again in the next session, and cancelled once the exit has sold', async () => {
  const stage = await bracketed({ entry: { shares: 10, limit: 99 }, takeProfit: 110, stopLoss: 95 });
  await stage.pass(6 * 60 * MINUTE);
  stage.venue.fill(stage.venue.last, 'expired', part('6'));
  await stage.pass(18 * 60 * MINUTE);
  expect([buys(stage), sells(stage)]).toEqual([['limit 10 expired', 'limit 4 working'], ['limit 6 working']]);
  for (const row of stage.venue.rows) if (row.order.side === 'sell') stage.venue.fill(row);
  await stage.pass(2 * MINUTE);
  expect([buys(stage)[1], armed(stage), heldShares(stage)]).toEqual(['limit 4 cancelled', 0, '0']);
});

test('a bracket with `exitAfter: close` sells a minute before the close', async () => {
  const stage = await bracketed({ entry: { shares: 10 }, exitAfter: 'close' });
  stage.venue.fill(stage.venue.last);
  await stage.pass(357 * MINUTE);
  expect(sells(stage)).toEqual([]);
  await stage.pass(2 * MINUTE + 30 * SECOND);
  expect(sells(stage)).toEqual(['market 10 working']);
  expect(stage.said(/triggered by its time/)).toBe(true);
});

test.each([
  ['wholly', '10', 'filled'],
  ['in part', '6', 'expired'],
] as const)(
  'a bracket whose entry has filled %s by the close ends with that session, not with the next',
  async (_how, bought, how) => {
    const stage = await bracketed({ entry: { shares: 10, limit: 99 }, exitAfter: 'close-5m' });
    await stage.pass(6 * 60 * MINUTE);
    stage.venue.fill(stage.venue.last, how, part(bought));
    await stage.pass(17.7 * 60 * MINUTE);
    expect(sells(stage)).toEqual([`market ${bought} working`]);
  },
);

describe('a bracket with a fixed and a trailing stop', () => {
  const BOTH = { entry: { shares: 10 }, stopLoss: { percent: 3, trail: { percent: 5 } } } as const;
  const stopOf = (stage: Stage) => syntheticsOf(stage).map(({ stop }) => stop && formatDecimal(stop));

  test('starts at the fixed stop, and follows the trailing one once it is higher, over a kill too', async () => {
    const stage = await bracketed(BOTH);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stopOf(stage)).toEqual(['97.49']);
    await price(stage, '102');
    expect(stopOf(stage)).toEqual(['97.49']);
    const next = await new Stage({ hooks: { solo: bracketing(BOTH) }, after: stage }).play(MINUTE);
    await price(next, '110');
    expect(stopOf(next)).toEqual(['104.5']);
    await price(next, '105');
    expect(sells(next)).toEqual([]);
    await price(next, '104.5');
    expect(sells(next)).toEqual(['market 10 working']);
  });

  test('sells at the fixed stop before the price has risen', async () => {
    const stage = await bracketed(BOTH);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    await price(stage, '97.5');
    expect(sells(stage)).toEqual([]);
    await price(stage, '97.49');
    expect(sells(stage)).toEqual(['market 10 working']);
  });
});

test('a bracket with only dust left cancels its entry before it ends', async () => {
  const stage = await bracketed({ entry: { shares: 10, limit: 99 }, takeProfit: 110, stopLoss: 95 });
  await stage.pass(6 * 60 * MINUTE);
  stage.venue.fill(stage.venue.last, 'expired', part('6'));
  await stage.pass(18 * 60 * MINUTE);
  expect([buys(stage), sells(stage)]).toEqual([['limit 10 expired', 'limit 4 working'], ['limit 6 working']]);
  stage.venue.cancelFates.push('late');
  for (const row of stage.venue.rows)
    if (row.order.side === 'sell') stage.venue.fill(row, 'cancelled', part('5.995'));
  await stage.pass(2 * MINUTE);
  expect([buys(stage)[1], armed(stage)]).toEqual(['limit 4 working', 1]);
  for (const row of stage.venue.rows)
    if (row.status === 'open') stage.venue.fill(row, 'cancelled', part('3'));
  await stage.pass(2 * MINUTE);
  expect([heldShares(stage), armed(stage), sells(stage).at(-1)]).toEqual(['3.005', 1, 'limit 3.005 working']);
});
