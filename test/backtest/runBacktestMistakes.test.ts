import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { ConfigError, StrategyError } from '../../src/core/errors.ts';
import {
  sma,
  type DataNeeds,
  type HookContext,
  type OrderView,
  type StrategyDefinition,
  type StrategyState,
} from '../../src/strategy/index.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const DAY = '2026-06-15';
const bars = [barsFrom(DAY, [100, 101, 102, 103])];
const fail = (): never => {
  throw new Error('of my own');
};

describe('a strategy that throws ends the run', () => {
  test.each<[string, StrategyDefinition]>([
    ['when it is created', { ...strategyOf({}), create: fail }],
    ['when it starts', strategyOf({ onStart: fail })],
    [
      'when it is warmed up',
      strategyOf({ onBar: fail }, { bars: [{ symbol: 'X', interval: '1m', warmUp: 1 }] }),
    ],
    ['when it stops', strategyOf({ onStop: fail })],
    ['by an unknown hook', strategyOf({ onTick: () => undefined } as object)],
  ])('%s', async (_name, strategy) => {
    const from = Date.parse('2026-06-15T13:32:00Z');
    const running = runBacktest(plainly({ strategy, bars, from }));
    await expect(running).rejects.toThrow(StrategyError);
    await expect(running).rejects.toThrow(/threw at .*(of my own|onTick is no hook)/);
  });
});

test.each([
  ['a negative price', [100, 101, -102, -102], 'a price is not above 0'],
  ['a price that is not a number', [NaN, 101, 99, 100], 'a price is not above 0'],
  ['a high below the low', [100, 99, 101, 100], 'high and low do not enclose open and close'],
  ['a volume below 0', [100, 101, 99, 100, -1], 'the volume is below 0'],
] as const)('bars with %s are refused, with their place', async (_what, row, why) => {
  const running = runBacktest(plainly({ strategy: strategyOf({}), bars: [barsFrom(DAY, [100, row])] }));
  await expect(running).rejects.toThrow(
    `bar 2 of X 1m: 2026-06-15T13:31:00Z is wrong: ${why}. Correct it, or leave it out`,
  );
});

describe('invalid data needs', () => {
  test.each<[string, unknown, RegExp]>([
    ['a time outside every session', { timers: [{ name: 'a', at: '9:45' }] }, /test, data\.timers\.0\.at: /],
    ['an unknown bar length', { bars: [{ symbol: 'X', interval: '7m' }] }, /test, data\.bars\.0\.interval: /],
    ['half a bar', { bars: [{ symbol: 'X', interval: '1m', warmUp: 2.5 }] }, /test, data\.bars\.0\.warmUp: /],
    [
      'more bars than the venue gives',
      { bars: [{ symbol: 'X', interval: '1m', warmUp: 5_001 }] },
      /test, data\.bars\.0\.warmUp: /,
    ],
    ['a symbol in lower case', { quotes: ['x'] }, /test, data\.quotes\.0: expected a stock symbol/],
    ['text in place of a list', { quotes: 'X' }, /test, data\.quotes: /],
    [
      'a number in place of a symbol',
      { quotes: [7] },
      /test, data\.quotes\.0: expected a symbol, or \{ symbol: 'MSFT', phases: \['regular', 'post'\] \}/,
    ],
    [
      'an unknown phase',
      { quotes: ['X', { symbol: 'X', phases: ['regular', 'closed'] }] },
      /test, data\.quotes\.1\.phases\.1: expected a phase in which prices move: overnight, pre, regular, post/,
    ],
    [
      'a phase instead of a list',
      { quotes: [{ symbol: 'X', phases: 'post' }] },
      /test, data\.quotes\.0\.phases: expected a list of phases, such as \["regular"\]/,
    ],
    [
      'an empty list of phases',
      { quotes: [{ symbol: 'X', phases: [] }] },
      /test, data\.quotes\.0\.phases: expected at least one phase of overnight, pre, regular, post/,
    ],
    ['phases without a symbol', { quotes: [{ phases: ['regular'] }] }, /test, data\.quotes\.0\.symbol: /],
    [
      'phase in place of phases',
      { quotes: [{ symbol: 'X', phase: ['post'] }] },
      /test, data\.quotes\.0: .*phase/,
    ],
    ['an unknown field', { timer: [] }, /test, data: .*timer/],
    [
      'the same bars twice',
      { bars: [3, 10].map((warmUp) => ({ symbol: 'X', interval: '1m', warmUp })) },
      /test, data\.bars: asks for X 1m twice/,
    ],
    ['the same address twice', { fetch: ['mood', 'mood'] }, /test, data\.fetch: asks for mood twice/],
    [
      'an address to fetch, which a study cannot do',
      { fetch: ['mood', 'news'] },
      /^test asks to fetch mood, news, which a study cannot do: what was there at the time is unknown.*docs\/series\.md/,
    ],
    ['nothing', null, /test, data: /],
  ])('are refused: %s', async (_name, needs, message) => {
    const strategy = { ...strategyOf({}), data: () => needs as DataNeeds };
    const running = runBacktest(plainly({ strategy, bars }));
    await expect(running).rejects.toThrow(ConfigError);
    await expect(running).rejects.toThrow(message);
  });
});

describe('shorter bars that cover only part of the longer ones', () => {
  const days = barsFrom('2026-06-11', [100, 101, 102, 103], '1d');
  const strategy = strategyOf({}, { bars: [{ symbol: 'X', interval: '1d' }] });
  const run = (minutes: string, from?: string) =>
    runBacktest(
      plainly({
        strategy,
        bars: [days, barsFrom(minutes, [100, 101])],
        ...(from === undefined ? {} : { from: Date.parse(from) }),
      }),
    );

  test('are refused when they begin later, unless that part only warms up', async () => {
    await expect(run('2026-06-16')).rejects.toThrow(
      /the 1m bars of X make its prices, and there are none before 2026-06-16, where there are 1d bars of it/,
    );
    expect((await run('2026-06-16', '2026-06-16T04:00:00Z')).sessions).toBe(1);
  });

  test('are refused when they end earlier', async () => {
    await expect(run('2026-06-11')).rejects.toThrow(/there are none after 2026-06-11/);
  });
});

/** Result of such a call by a strategy: `thrown` ends its backtest, after `refused` it continues. */
async function answerTo(act: (context: HookContext) => unknown): Promise<string> {
  const why: string[] = [];
  const onFact = ({ fact }: JournalEntry) => {
    if (fact.kind === 'intentRefused') why.push(fact.why);
  };
  const strategy = strategyOf({ onBar: (context) => void act(context) });
  return runBacktest(plainly({ strategy, bars, onFact })).then(
    () => `refused ${why.join()}`,
    (thrown: unknown) => `thrown ${String(thrown)}`,
  );
}

describe('an invalid weight', () => {
  const wrong = [NaN, Infinity, -Infinity, -0.1, 1.1, null, undefined, 1n] as number[];
  test.each(wrong)('of %s is refused with the name of its stock', async (weight) => {
    const how = typeof weight === 'number' ? 'refused' : 'thrown';
    const text = new RegExp(`^${how} .*weight of X: ${String(weight)} is not between 0 and 1`);
    expect(await answerTo(({ order }) => order.target('X', { weight }))).toMatch(text);
    expect(await answerTo(({ order }) => order.rebalance({ X: weight }))).toMatch(text);
  });

  test('of text is refused as text', async () => {
    const weight = '0.5' as unknown as number;
    const text = /^thrown .*weight of X: "0.5" is text: write a number, such as 0\.5/;
    expect(await answerTo(({ order }) => order.target('X', { weight }))).toMatch(text);
    expect(await answerTo(({ order }) => order.rebalance({ X: weight }))).toMatch(text);
  });

  test.each([null, 5, [0.5]] as unknown as Record<string, number>[])(
    'in place of the weights of a rebalance is refused: %j',
    (weights) =>
      expect(answerTo(({ order }) => order.rebalance(weights))).resolves.toMatch(
        /^thrown .*weights of a rebalance: .* is no object of weights by symbol, such as \{ AAPL: 0\.5 \}/,
      ),
  );
});

describe('an invalid call of an order function is refused', () => {
  test.each<[string, (context: HookContext) => unknown, RegExp]>([
    [
      'a number in place of terms',
      ({ order }) => order.buy('X', 100 as unknown as { shares: 1 }),
      /order\.buy: 100 is none of its terms: an object with notional, shares, at, outside/,
    ],
    [
      'an unknown name',
      ({ order }) => order.limit('X', { side: 'buy', shares: 1, price: 90, gtc: true } as never),
      /order\.limit: there is no "gtc", but side, shares, price, goodTill, at, outside/,
    ],
    [
      'two sizes',
      ({ order }) => order.buy('X', { shares: 1, notional: 5 }),
      /order\.buy: give one of notional, shares/,
    ],
    ['no size', ({ order }) => order.sell('X', {} as never), /order\.sell: give one of shares, all/],
    [
      'a band in place of the options',
      ({ order }) => order.rebalance({ X: 0.5 }, 0.02 as never),
      /order\.rebalance: 0\.02 is none of its terms/,
    ],
    [
      'a cancel of nothing',
      ({ order }) => order.cancel(undefined as unknown as string),
      /order\.cancel: undefined is none of its terms: an object with symbol, side/,
    ],
    ['an empty target', ({ order }) => order.target('X', { shares: '' }), /refused shares of X: "" is not/],
    [
      'a target of null',
      ({ order }) => order.target('X', { shares: null as unknown as number }),
      /shares of X: null/,
    ],
    [
      'not all of it',
      ({ order }) => order.sell('X', { all: false as unknown as true }),
      /all is false\. Write \{ all: true \}/,
    ],
    [
      'a session time in capitals',
      ({ order }) => order.buy('X', { notional: 100, at: 'Open' }),
      /refused at of an order: "Open" is not a time of a session/,
    ],
    [
      'an unknown word in place of refuse',
      ({ order }) => order.buy('X', { notional: 100, outside: 'drop' as 'refuse' }),
      /outside of an order: "drop"/,
    ],
    [
      'a side in capitals',
      ({ order }) => order.limit('X', { side: 'BUY' as 'buy', shares: 1, price: 90 }),
      /side of an order: "BUY"/,
    ],
    [
      'an unknown word in place of cancelled',
      ({ order }) => order.limit('X', { side: 'buy', shares: 1, price: 90, goodTill: 'gtc' as 'cancelled' }),
      /goodTill of an order: "gtc"/,
    ],
    [
      'a side to cancel in capitals',
      ({ order }) => order.cancel({ side: 'BUY' as 'buy' }),
      /side of an order: "BUY"/,
    ],
  ])('%s', async (_name, act, message) => {
    const answer = await answerTo(act);
    expect(answer).toMatch(message);
    expect(answer.startsWith('refused')).toBe(message.source.startsWith('refused'));
  });
});

describe('a state that cannot be saved', () => {
  test.each<[string, unknown, RegExp]>([
    ['NaN', NaN, /cannot keep NaN, which "average" is/],
    ['a bigint', 5n, /cannot keep a bigint, which "average" is/],
    ['a map', new Map(), /cannot keep a Map, a Set, a Date or another object of a class, which "average" is/],
    [
      'a date, which would become text',
      new Date(0),
      /cannot keep a Map, a Set, a Date .* which "average" is/,
    ],
    ['an object with toJSON', { toJSON: () => 5 }, /cannot keep a Map, a Set, a Date .* which "average"/],
  ])('is refused by name: %s', async (_name, average, message) => {
    const strategy: StrategyDefinition = {
      ...strategyOf({}),
      create: ({ state }: { state: StrategyState }) => ({
        onBar: ({ order }) => {
          state['average'] = average;
          order.buy('X', { shares: 1 });
        },
      }),
    };
    await expect(runBacktest(plainly({ strategy, bars }))).rejects.toThrow(message);
  });
});

test('the state of a warm-up may hold values that cannot be saved', async () => {
  const kept: unknown[] = [];
  const strategy: StrategyDefinition = {
    ...strategyOf({}, { bars: [{ symbol: 'X', interval: '1m', warmUp: 2 }] }),
    create({ state }: { state: StrategyState }) {
      const average = sma(3);
      return {
        onBar({ bar }) {
          state['average'] = average.next(bar.close);
          kept.push(state['average']);
        },
      };
    },
  };
  await runBacktest(plainly({ strategy, bars, from: Date.parse('2026-06-15T13:32:00Z') }));
  expect(kept).toEqual([NaN, NaN, 101, 102]);
});

test('an order that is never sent is reported as dropped', async () => {
  const updates: OrderView[] = [];
  let asked = false;
  const strategy = strategyOf({
    onBar({ order }) {
      if (asked) return;
      asked = true;
      order.sell('X', { all: true });
      order.buy('X', { shares: 0.001 });
      order.limit('X', { side: 'buy', shares: 0.001, price: 90 });
    },
    onOrder: ({ update }) => void updates.push(update),
  });
  const { orders, dropped } = await runBacktest(plainly({ strategy, bars }));
  expect(updates.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'test-1 dropped',
    'test-2 dropped',
    'test-3 dropped',
  ]);
  expect(orders.dropped).toBe(3);
  expect(Object.keys(dropped)).toEqual(['no X to sell', "less than the venue's minimum of …"]);
});

test('a symbol that a strategy does not ask for is unknown to it, even if another strategy has its bars', async () => {
  const prices: unknown[] = [];
  const looking = strategyOf({ onBar: ({ view }) => void prices.push(view.price('Y')) });
  const both = [...bars, { ...barsFrom(DAY, [50, 51, 52, 53]), symbol: 'Y' }];
  await runBacktest(plainly({ strategy: looking, bars: both }));
  expect(new Set(prices)).toEqual(new Set([null]));
  const buying = strategyOf({ onBar: ({ order }) => void order.buy('Y', { shares: 1 }) });
  await expect(runBacktest(plainly({ strategy: buying, bars: both }))).rejects.toThrow(
    /"Y" is none of the symbols that the strategy asks for in data\(\): X/,
  );
});

test('the bars of one strategy are not shown to another', async () => {
  const lengths: number[] = [];
  const looking = strategyOf({ onBar: ({ view }) => void lengths.push(view.bars('Y', '1m').length) });
  const other = strategyOf({}, { bars: [{ symbol: 'Y', interval: '1m' }] });
  const both = [...bars, { ...barsFrom(DAY, [50, 51, 52, 53]), symbol: 'Y' }];
  const strategies = [
    { definition: looking, id: 'looking' },
    { definition: other, id: 'other' },
  ];
  await runBacktest({ cash: '1000', bars: both, strategies });
  expect(new Set(lengths)).toEqual(new Set([0]));
});

test('a target that sells counts as a sell, and is cancelled as one', async () => {
  const seen: unknown[] = [];
  let count = 0;
  const strategy = strategyOf({
    onBar({ order, view }) {
      count++;
      if (count === 1) order.buy('X', { shares: 10 });
      if (count === 3) order.target('X', { weight: 0, at: 'open' });
      if (count === 3) seen.push(view.orders().map(({ side }) => side));
      if (count === 4) order.cancel({ side: 'buy' });
      if (count === 4) seen.push(view.orders().length);
      if (count === 4) order.cancel({ side: 'sell' });
      if (count === 4) seen.push(view.orders().length);
    },
  });
  await runBacktest(plainly({ strategy, bars }));
  expect(seen).toEqual([['sell'], 1, 0]);
});
