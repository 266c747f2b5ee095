import { describe, expect, test } from 'vitest';
import type { HookContext } from '../../../src/strategy/index.ts';
import { AAPL, give } from '../operator/commands.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { armed, bracketed, buys, held, heldShares, holding, part, partingOf, price, sells } from './play.ts';

const OCO = { limit: { all: true, price: 110 }, stop: { stop: 95 } } as const;
const oco = (order: HookContext['order']) => void order.oco('AAPL', OCO);
const stop = (order: HookContext['order']) => void order.stop('AAPL', { all: true, stop: 95 }, 'loss');
const alarmsAbout = (stage: Stage, pattern: RegExp) => stage.alarms.filter((text) => pattern.test(text));

/** Ends the market order under way, and expects that nothing is held, armed or open. */
async function soldOut(stage: Stage): Promise<void> {
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect([heldShares(stage), armed(stage)]).toEqual(['0', 0]);
}

describe('an exit that may not be sent', () => {
  test('stays triggered during a halt with an alarm at once, and continues after `resume`', async () => {
    const stage = await held(oco);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    await price(stage, '94', 6 * SECOND);
    expect(alarmsAbout(stage, /its stop was touched, and it cannot be sold: trading is halted/)).toHaveLength(
      1,
    );
    await price(stage, '97');
    expect(sells(stage)).toEqual(['limit 10 cancelled']);
    await give(stage, { kind: 'trade', state: 'active', scope: {} });
    await stage.pass(30 * SECOND);
    expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 10 working']);
    await soldOut(stage);
    expect(partingOf(stage, { hooks: { solo: holding(oco) } })).toBeNull();
  });

  test('continues after a halt over a restart', async () => {
    const stage = await held(stop);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    await price(stage, '94');
    const next = await new Stage({ hooks: { solo: holding(stop) }, after: stage }).play(MINUTE);
    expect(alarmsAbout(next, /cannot be sold: trading is halted/)).toHaveLength(1);
    await give(next, { kind: 'trade', state: 'active', scope: {} });
    await next.pass(30 * SECOND);
    expect(sells(next)).toEqual(['market 10 working']);
  });

  test('is sold while trading is reducing, which drops entries', async () => {
    const stage = await held((order) => {
      stop(order);
      order.stop('AAPL', { side: 'buy', shares: 1, stop: 104 });
    });
    await give(stage, { kind: 'trade', state: 'reducing', scope: {} });
    await price(stage, '104');
    expect([buys(stage).length, armed(stage)]).toEqual([1, 1]);
    expect(stage.said(/buy stop at 104 of 1 AAPL: dropped, .*trading is reducing/)).toBe(true);
    await price(stage, '94');
    expect(sells(stage)).toEqual(['market 10 working']);
  });

  test.each([
    ['One Click is off', (stage: Stage) => void (stage.venue.delegationOn = false), /One Click is off/],
    [
      'the stock is frozen',
      (stage: Stage) => give(stage, { kind: 'freeze', symbol: AAPL }),
      /AAPL is frozen/,
    ],
  ])('raises an alarm while %s', async (_, obstruct, why) => {
    const stage = await held(stop);
    await obstruct(stage);
    await stage.pass(2 * MINUTE);
    await price(stage, '94');
    expect(sells(stage)).toEqual([]);
    expect(alarmsAbout(stage, /its stop was touched/)).toEqual([expect.stringMatching(why)]);
  });

  test('waits while the account cannot be read, and is sold once it is', async () => {
    const options: StageOptions = { rules: { stateAgeMs: 60_000 } };
    const stage = await held(stop, {}, options);
    stage.venue.readsFail = true;
    await stage.pass(2 * MINUTE);
    stage.venue.readsFail = false;
    await price(stage, '94', 2 * MINUTE);
    expect(sells(stage)).toEqual(['market 10 working']);
    expect(alarmsAbout(stage, /cannot be sold: orders and account/)).toHaveLength(1);
  });

  test('waits ten seconds for the account to show its ended orders before it raises an alarm', async () => {
    const stage = await held(oco);
    stage.venue.cancelFates.push('late');
    const why = 'an order has ended with AAPL left over: the account is read first';
    stage.runner.kernel.context.holds.put('end', why, AAPL);
    await price(stage, '94', 9 * SECOND);
    expect(alarmsAbout(stage, /its stop was touched/)).toEqual([]);
    await stage.pass(10 * SECOND);
    expect(alarmsAbout(stage, /it cannot be sold: an order has ended/)).toHaveLength(1);
    expect(sells(stage)).toEqual(['limit 10 working']);
  });

  test('waits another ten seconds for the account after a late cancel', async () => {
    const stage = await held(oco);
    stage.venue.cancelFates.push('late');
    await price(stage, '94', 20 * SECOND);
    expect(alarmsAbout(stage, /it is sold once its resting order has ended/)).toHaveLength(1);
    stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 6 working']);
    expect(alarmsAbout(stage, /cannot be sold/)).toEqual([]);
    expect(stage.said(/triggered at its stop, by a price of 94/)).toBe(true);
  });
});

describe('the operator command `cancel` with a held order', () => {
  test.each([
    ['of everything', {}],
    ['of its strategy', { scope: { strategyId: 'solo' } }],
    ['of its own id', { orders: ['solo-2'] }],
    ['of the intent of its take-profit', { orders: ['solo-3'] }],
    ['of the order of its take-profit', { orders: ['solo-3.1'] }],
  ] as const)('%s ends the whole held order, and no leg is placed again', async (_, what) => {
    const stage = await held(oco);
    const answer = await give(stage, { kind: 'cancel', scope: {}, ...what });
    expect(answer).toMatchObject({
      kind: 'done',
      text: expect.stringMatching(/^1 order is cancelled; this bot holds no more: /) as string,
    });
    await stage.pass(2 * MINUTE);
    expect([sells(stage), armed(stage)]).toEqual([['limit 10 cancelled'], 0]);
    expect(stage.said(/10 AAPL are not protected any more/)).toBe(true);
    await price(stage, '90', 2 * MINUTE);
    expect(sells(stage)).toEqual(['limit 10 cancelled']);
    expect(partingOf(stage, { hooks: { solo: holding(oco) } })).toBeNull();
  });

  test('of an exit that could not sell reports that it ends, not that it continues', async () => {
    const stage = await held(oco);
    stage.venue.cancelFates.push('lostBefore');
    await price(stage, '94');
    expect(alarmsAbout(stage, /it is sold once its resting order has ended/)).toHaveLength(1);
    await give(stage, { kind: 'cancel', scope: {}, orders: ['solo-2'] });
    await stage.pass(10 * SECOND);
    const cleared = stage.notices.filter(({ about }) => about === 'synthetic solo-2').map(({ text }) => text);
    expect(cleared.slice(1)).toEqual([expect.stringMatching(/: is ending, nothing more is sent for it$/)]);
    expect(sells(stage)).toEqual(['limit 10 working']);
  });

  test('of an unknown id is refused', async () => {
    const answer = await give(await held(oco), { kind: 'cancel', scope: {}, orders: ['solo-9'] });
    expect(answer).toMatchObject({ kind: 'refused', because: 'usage' });
  });
});

test('`reduce` with `cancel` ends entries, and leaves exits armed', async () => {
  const stage = await held((order) => {
    oco(order);
    order.bracket('MSFT', { entry: { shares: 1, limit: 40 }, stopLoss: 30 });
  });
  await give(stage, { kind: 'trade', state: 'reducing', scope: {}, cancel: true });
  await stage.pass(2 * MINUTE);
  expect([armed(stage), sells(stage)]).toEqual([1, ['limit 10 working']]);
});

test('a flatten ends the held orders in its scope, and sells once', async () => {
  const stage = await held(oco);
  await give(stage, { kind: 'flatten', scope: {} });
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 10 working']);
  await price(stage, '90');
  expect(sells(stage)).toHaveLength(2);
  await soldOut(stage);
});

test('a flatten of a position whose exit is under way sells only the remaining shares', async () => {
  const stage = await held(stop);
  await price(stage, '94', 6 * SECOND);
  await give(stage, { kind: 'flatten', scope: {} });
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
  await soldOut(stage);
  expect(sells(stage)).toEqual(['market 10 filled']);
});

describe('another sell of shares that an exit protects', () => {
  test('by a manual order is the only sell', async () => {
    const stage = await held(stop);
    await give(stage, {
      kind: 'order',
      symbol: AAPL,
      strategyId: 'solo',
      terms: { kind: 'sell', quantity: 'all' },
    });
    await stage.pass(10 * SECOND);
    await soldOut(stage);
    expect(sells(stage)).toEqual(['market 10 filled']);
  });

  test('by a manual order waits for the cancel of the take-profit, which is placed again for the rest', async () => {
    const stage = await held(oco);
    const terms = { kind: 'sell', quantity: 4n * 10n ** 18n } as never;
    const answer = await give(stage, { kind: 'order', symbol: AAPL, strategyId: 'solo', terms });
    expect(answer.kind).toBe('done');
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 4 working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 4 filled', 'limit 6 working']);
  });

  test.each([
    ['a sell', (order: HookContext['order']) => void order.sell('AAPL', { shares: 4 })],
    ['a target', (order: HookContext['order']) => order.target('AAPL', { shares: 6 })],
    [
      'a limit',
      (order: HookContext['order']) => void order.limit('AAPL', { side: 'sell', shares: 4, price: 100 }),
    ],
  ])(
    'by %s of the strategy comes first, and the take-profit is placed again for the rest',
    async (_, act) => {
      const hooks = holding(oco, {
        onQuote: ({ order, price: now }) => (now === 105 ? act(order) : undefined),
      });
      const stage = await held(oco, hooks);
      await price(stage, '105', MINUTE);
      expect(sells(stage).slice(0, 2)).toEqual(['limit 10 cancelled', expect.stringMatching(/ 4 working$/)]);
      const own = stage.venue.rows.at(2);
      if (own) stage.venue.fill(own);
      await stage.pass(MINUTE);
      expect(sells(stage).at(-1)).toBe('limit 6 working');
      expect([armed(stage), heldShares(stage)]).toEqual([1, '6']);
      expect(
        partingOf(stage, { hooks: { solo: { ...hooks, ...holding(oco), onQuote: hooks.onQuote } as never } }),
      ).toBeNull();
    },
  );

  test('does not count as under way for a target while only a take-profit is open', async () => {
    const stage = await held(oco, {
      onQuote: ({ order, price: now }) => (now === 101 ? order.target('AAPL', { shares: 10 }) : undefined),
    });
    await price(stage, '101', MINUTE);
    expect([buys(stage), sells(stage)]).toEqual([['limit 10 filled'], ['limit 10 working']]);
  });
});

test('an error of the strategy ends its entries, and leaves its exits armed', async () => {
  const stage = await held(
    (order) => {
      oco(order);
      order.bracket('MSFT', { entry: { shares: 1, limit: 40 }, stopLoss: 30 });
    },
    {
      onQuote: () => {
        throw new Error('oops');
      },
    },
  );
  await price(stage, '104');
  expect(stage.said(/^this bot keeps watching: limit at 110 or stop at 95 of all AAPL/)).toBe(true);
  expect([armed(stage), sells(stage)]).toEqual([1, ['limit 10 working']]);
  await price(stage, '94');
  expect(sells(stage)).toEqual(['limit 10 cancelled', 'market 10 working']);
});

test('exits of a strategy that is no longer run are watched, with an alarm', async () => {
  const stage = await held(oco);
  const next = await new Stage({ hooks: { other: {} }, after: stage }).play(MINUTE);
  expect(alarmsAbout(next, /its strategy is not run any more.*drover cancel solo-2/)).toHaveLength(1);
  expect(sells(next)).toEqual(['limit 10 working']);
  await price(next, '94');
  expect(sells(next)).toEqual(['limit 10 cancelled', 'market 10 working']);
});

test('the end of a run names its armed stop, and the next start names it again', async () => {
  const stage = await held(stop);
  await stage.stop();
  expect(stage.said(/stop at 95 of all AAPL \(loss\) \(order solo-2\) stays armed; nothing watches it/)).toBe(
    true,
  );
  stage.venue.prices.set('AAPL', 94n * 10n ** 18n);
  const next = await new Stage({ hooks: { solo: holding(stop) }, after: stage }).play(MINUTE);
  expect(next.said(/held by this bot, not by the venue: solo stop at 95 of all AAPL/)).toBe(true);
  expect(sells(next)).toEqual(['market 10 working']);
});

test('the end of a run reports that a working order pauses', async () => {
  const stage = await held((order) =>
    order.work('AAPL', { side: 'sell', shares: 10, style: 'twap', over: { minutes: 60 } }),
  );
  await stage.stop();
  expect(
    stage.said(/sell 10 AAPL in 12 parts over time \(order solo-2\) pauses: the next start continues/),
  ).toBe(true);
});

test('a stop with `atStop: cancel` ends entries, and leaves exits armed with their orders cancelled', async () => {
  const stage = await held(
    (order) => {
      oco(order);
      order.bracket('MSFT', { entry: { shares: 1, limit: 40 }, stopLoss: 30 });
    },
    {},
    { more: { atStop: 'cancel' } },
  );
  await stage.stop();
  expect([armed(stage), sells(stage)]).toEqual([1, ['limit 10 cancelled']]);
  const next = await new Stage({ hooks: { solo: holding(oco) }, after: stage }).play(MINUTE);
  expect(sells(next)).toEqual(['limit 10 cancelled', 'limit 10 working']);
});

test('a stop entry whose price has jumped beyond its collar is reported, and ends unfilled', async () => {
  const stage = await new Stage({
    hooks: { solo: atStart((order) => void order.stop('AAPL', { side: 'buy', shares: 1, stop: 104 })) },
  }).play(MINUTE);
  await price(stage, '110');
  expect(buys(stage)).toEqual(['limit 1 working']);
  expect(stage.said(/jumped beyond its collar/)).toBe(true);
  stage.venue.end(stage.venue.last, 'expired');
  await stage.pass(MINUTE);
  expect([armed(stage), buys(stage)]).toEqual([0, ['limit 1 expired']]);
});

test('a bracket above the limit of one order is dropped with the reason', async () => {
  const stage = await bracketed(
    { entry: { shares: 10, limit: 99 }, stopLoss: 95 },
    { limits: { orderNotional: 1n as never } },
  );
  expect([armed(stage), buys(stage)]).toEqual([0, []]);
  expect(stage.said(/bracket.*dropped.*orderNotional/)).toBe(true);
});
