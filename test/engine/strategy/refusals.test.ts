import { describe, expect, test } from 'vitest';
import type { HookContext, OrderView } from '../../../src/strategy/index.ts';
import { eventsOf, partingOf } from '../operator/commands.ts';
import { MINUTE, Stage } from '../stage.ts';
import { holding } from '../synthetic/play.ts';

type Order = HookContext['order'];
type Call = readonly [title: string, call: (order: Order) => unknown, code: string];

const AAPL = 'AAPL';

/** Calls refused because of account, market, time or a number, while 10 AAPL are held at 100 and no MSFT. */
const STATE: readonly Call[] = [
  ['stop: nothing held', (order) => order.stop('MSFT', { all: true, stop: 40 }), 'NO_SHARES'],
  ['trail: nothing held', (order) => order.trail('MSFT', { all: true, by: { percent: 5 } }), 'NO_SHARES'],
  [
    'oco: nothing held',
    (order) => order.oco('MSFT', { limit: { all: true, price: 900 }, stop: { stop: 1 } }),
    'NO_SHARES',
  ],
  [
    'work: nothing held',
    (order) => order.work('MSFT', { side: 'sell', shares: 5, style: 'twap', over: { minutes: 9 } }),
    'NO_SHARES',
  ],
  ['stop: passed already', (order) => order.stop(AAPL, { all: true, stop: 105 }), 'WRONG_SIDE'],
  [
    'bracket: take-profit below the price',
    (order) => order.bracket(AAPL, { entry: { shares: 1 }, takeProfit: 90 }),
    'WRONG_SIDE',
  ],
  ['work: its time is over', (order) => order.work(AAPL, { ...WORKED, until: '09:45' }), 'EXPIRED'],
  [
    'work: too little',
    (order) => order.work(AAPL, { ...WORKED, shares: 0.001, until: 'close' }),
    'TOO_SMALL',
  ],
  [
    'sell: not allowed by the config',
    (order) => order.sell(AAPL, { shares: 1, deferred: true }),
    'NOT_ALLOWED',
  ],
  ['buy: at the close itself', (order) => order.buy(AAPL, { shares: 1, at: 'close' }), 'OUT_OF_RANGE'],
  ['target: no such time', (order) => order.target(AAPL, { shares: 1, at: 'open+900m' }), 'OUT_OF_RANGE'],
  ['rebalance: more than 1', (order) => order.rebalance({ AAPL: 0.9, MSFT: 0.2 }), 'OUT_OF_RANGE'],
  ['rebalance: band', (order) => order.rebalance({ AAPL: 0.9 }, { band: 2 }), 'OUT_OF_RANGE'],
];

const WORKED = { side: 'buy', shares: 5, style: 'twap' } as const;

/** Each call with a number argument. */
const NUMBERS: Readonly<Record<string, (order: Order, value: never) => unknown>> = {
  'target weight': (order, weight) => order.target(AAPL, { weight }),
  'rebalance weight': (order, weight) => order.rebalance({ AAPL: weight }),
  'rebalance band': (order, band) => order.rebalance({ AAPL: 0.5 }, { band }),
  'trail percent': (order, percent) => order.trail(AAPL, { all: true, by: { percent } }),
  'bracket takeProfit': (order, percent) =>
    order.bracket(AAPL, { entry: { shares: 1 }, takeProfit: { percent } }),
  'bracket stopLoss': (order, percent) =>
    order.bracket(AAPL, { entry: { shares: 1 }, stopLoss: { percent } }),
  'bracket both': (order, percent) =>
    order.bracket(AAPL, { entry: { shares: 1 }, stopLoss: { percent, trail: { percent: 2 } } }),
  'bracket days': (order, days) => order.bracket(AAPL, { entry: { shares: 1 }, exitAfter: { days } }),
  'work minutes': (order, minutes) => order.work(AAPL, { ...WORKED, over: { minutes } }),
  'work every': (order, minutes) => order.work(AAPL, { ...WORKED, until: 'close', every: { minutes } }),
  expires: (order, minutes) => order.buy(AAPL, { shares: 1, expires: { minutes } }),
};

/** Each call with an amount: a number, or a text. */
const DECIMALS: Readonly<Record<string, (order: Order, value: never) => unknown>> = {
  'buy notional': (order, notional) => order.buy(AAPL, { notional }),
  'buy shares': (order, shares) => order.buy(AAPL, { shares }),
  'sell shares': (order, shares) => order.sell(AAPL, { shares }),
  'limit shares': (order, shares) => order.limit(AAPL, { side: 'buy', shares, price: 90 }),
  'limit price': (order, price) => order.limit(AAPL, { side: 'sell', shares: 1, price }),
  'target notional': (order, notional) => order.target(AAPL, { notional }),
  'stop stop': (order, stop) => order.stop(AAPL, { all: true, stop }),
  'stop shares': (order, shares) => order.stop(AAPL, { shares, stop: 90 }),
  'stop limit': (order, limit) => order.stop(AAPL, { all: true, stop: 90, limit }),
  'trail amount': (order, amount) => order.trail(AAPL, { all: true, by: { amount } }),
  'bracket entry': (order, shares) => order.bracket(AAPL, { entry: { shares }, stopLoss: 80 }),
  'oco price': (order, price) => order.oco(AAPL, { limit: { all: true, price }, stop: { stop: 90 } }),
  'work shares': (order, shares) => order.work(AAPL, { ...WORKED, shares, until: 'close' }),
};

const VALUES = [NaN, Infinity, -Infinity, -1, 0, -0, 1e-30, 1e300, Number.MAX_VALUE, 1.0000000000000002];
const TEXTS = ['0', '-1', 'five', '1e5', '', '0.0000000000000000001', '99999999999999999999999999'];

/** Runs a call on 10 AAPL, and returns what its strategy receives. */
async function heard(call: (order: Order) => unknown) {
  const updates: OrderView[] = [];
  const hooks = { solo: holding(call, { onOrder: ({ update }) => void updates.push(update) }) };
  const stage = await new Stage({ hooks }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(2 * MINUTE);
  return { stage, hooks, dropped: updates.filter(({ status }) => status === 'dropped') };
}

describe('a call that is refused', () => {
  test.each(STATE)('gives the strategy a code and does not stop it: %s', async (_, call, code) => {
    const { stage, hooks, dropped } = await heard(call);
    expect(eventsOf(stage, 'strategyStopped')).toEqual([]);
    expect(new Set(dropped.map((update) => update.code))).toEqual(new Set([code]));
    expect(eventsOf(stage, 'intentRefused').map(({ id }) => id)).toEqual(dropped.map(({ id }) => id));
    expect(stage.notices.some(({ text }) => /^order\.\w+ of \w+: refused, /.test(text))).toBe(true);
    expect(partingOf(stage, { hooks })).toBeNull();
  });

  test.each([
    ...Object.entries(NUMBERS).map(([name, call]) => [name, call, VALUES] as const),
    ...Object.entries(DECIMALS).map(([name, call]) => [name, call, [...VALUES, ...TEXTS]] as const),
  ])('never stops the strategy, whatever the value: %s', async (_, call, values) => {
    const { stage } = await heard((order) => {
      for (const value of values) call(order, value as never);
    });
    expect(eventsOf(stage, 'strategyStopped')).toEqual([]);
    expect(stage.failure).toBeNull();
  });

  test('names in onOrder the id that the call returned, which is not used again', async () => {
    const ids: string[] = [];
    const { dropped } = await heard((order) => {
      ids.push(order.stop('MSFT', { all: true, stop: 40 }), order.stop(AAPL, { all: true, stop: 90 }));
    });
    expect(dropped.map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(new Set(ids).size).toBe(2);
  });

  test('raises an alarm when it is a stop and shares are held', async () => {
    const { stage } = await heard((order) => order.stop(AAPL, { all: true, stop: 105 }));
    expect(stage.alarms.join()).toMatch(/order\.stop of AAPL: refused, .* is held without it/);
  });

  test('leaves a waiting target in place when it is a newer target', async () => {
    const { stage } = await heard((order) => {
      order.target(AAPL, { shares: 20, at: 'close-5m' });
      order.target(AAPL, { weight: NaN });
    });
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(1);
  });
});

test('a target weight of a rounding error above 1 counts as 1', async () => {
  const { stage } = await heard((order) =>
    order.target(AAPL, { weight: 1 + Number.EPSILON, at: 'close-5m' }),
  );
  const [intent] = stage.runner.kernel.context.accountState.intents.values();
  expect(intent?.terms).toMatchObject({ to: { weight: 1 } });
});

test.each<readonly [string, (order: Order) => unknown]>([
  [
    'weight of AAPL: "0.5" is text: write a number',
    (order) => order.target(AAPL, { weight: '0.5' as never }),
  ],
  ['shares of AAPL: 5n is not a number', (order) => order.buy(AAPL, { shares: 5n as never })],
])('a value of the wrong type stops the strategy with its field: %s', async (why, call) => {
  const { stage } = await heard(call);
  expect(eventsOf(stage, 'strategyStopped').map(({ error }) => error)).toEqual([
    expect.stringContaining(why),
  ]);
});

test.each<readonly [string, (order: Order) => unknown]>([
  ['a number instead of an object', (order) => order.buy(AAPL, 5 as never)],
  ['nothing', (order) => order.stop(AAPL, null as never)],
  ['an unknown field', (order) => order.sell(AAPL, { shares: 1, price: 5 } as never)],
  ['a symbol that data does not name', (order) => order.buy('TSLA', { shares: 1 })],
])('an order call with %s stops the strategy', async (_, call) => {
  const { stage } = await heard(call);
  expect(eventsOf(stage, 'strategyStopped')).toHaveLength(1);
});
