import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, Stage, type StageOptions } from '../stage.ts';
import { partingOf, sells, syntheticsOf } from './play.ts';

type Protect = (order: HookContext['order']) => void;

/** Ten minutes before the close of Monday, 15 June. */
const EVENING = epochMs(Date.parse('2026-06-15T19:50:00Z'));
const UNTIL_NINE = (17 * 60 + 10) * MINUTE;
const UNTIL_THE_OPEN = 30 * MINUTE;

/** Holds 10 AAPL, and protects them at the first close. */
const atClose = (protect: Protect): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
  },
  onSession: ({ change, order, view }) => {
    if (change === 'closed' && view.orders().length === 0) protect(order);
  },
});

/** A stage that has closed at 100 with 10 AAPL, at 20:00 UTC of Monday. */
async function closed(protect: Protect, options: StageOptions = {}): Promise<Stage> {
  const stage = await new Stage({ start: EVENING, hooks: { solo: atClose(protect) }, ...options }).play(
    MINUTE,
  );
  stage.venue.fill(stage.venue.last);
  return stage.pass(10 * MINUTE);
}

/** Moves the price at night, and ends a minute after the open. */
async function openAt(stage: Stage, to: string): Promise<Stage> {
  stage.venue.prices.set('AAPL', parseCash(to));
  return stage.pass(UNTIL_THE_OPEN + MINUTE);
}

const TRAIL: Protect = (order) => order.trail('AAPL', { all: true, by: { amount: 5 } });
const EXITS: [string, Protect][] = [
  ['trail by 5', TRAIL],
  ['trail by 5 %', (order) => order.trail('AAPL', { all: true, by: { percent: 5 } })],
  ['stop at 95', (order) => order.stop('AAPL', { all: true, stop: 95 })],
  [
    'oco of 110 and 95',
    (order) => order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95 } }),
  ],
];

describe.each(EXITS)('%s, placed after a close of 100', (_name, protect) => {
  test('sells at the next open of 90', async () => {
    const stage = await closed(protect);
    await openAt(await stage.pass(UNTIL_NINE), '90');
    expect(sells(stage).at(-1)).toBe('market 10 working');
    expect(partingOf(stage, { hooks: { solo: atClose(protect) } })).toBeNull();
  });

  test('sells at the next open of 90 after a kill in the night', async () => {
    const stage = await closed(protect);
    stage.venue.prices.set('AAPL', parseCash('90'));
    const next = await new Stage({ hooks: { solo: atClose(protect) }, after: stage }).play(UNTIL_NINE);
    await next.pass(UNTIL_THE_OPEN + MINUTE);
    expect(sells(next).at(-1)).toBe('market 10 working');
    expect(partingOf(next, { hooks: { solo: atClose(protect) } })).toBeNull();
  });

  test('is converted by an overnight split: 10 at 95 become 20 at 47.5', async () => {
    const stage = await closed(protect, {
      as: (venue) => {
        const split = { kind: 'split', symbol: ticker('AAPL'), name: 'forward_split' } as const;
        venue.corporateActions = () =>
          Promise.resolve([{ ...split, exDate: '2026-06-16', oldRate: 1n, newRate: 2n }]);
        return venue;
      },
    });
    await openAt(await stage.pass(UNTIL_NINE), '48');
    stage.venue.holdings.set('AAPL', parseShares('20'));
    await stage.pass(5 * MINUTE);
    expect(syntheticsOf(stage).map(({ stop }) => formatDecimal(stop ?? 0n))).toEqual(['47.5']);
    stage.venue.prices.set('AAPL', parseCash('47'));
    await stage.pass(MINUTE);
    expect(sells(stage).at(-1)).toBe('market 20 working');
  });
});

test('a trailing stop does not follow prices outside the session', async () => {
  const stage = await closed(TRAIL);
  stage.venue.prices.set('AAPL', parseCash('115'));
  await stage.pass(UNTIL_NINE);
  await openAt(stage, '101');
  expect(sells(stage)).toEqual([]);
  expect(syntheticsOf(stage).map(({ mark }) => formatDecimal(mark ?? 0n))).toEqual(['101']);
});

test('a trailing stop with `at: open` starts at the first price of the session', async () => {
  const stage = await closed((order) => order.trail('AAPL', { all: true, by: { amount: 5 }, at: 'open' }));
  await openAt(await stage.pass(UNTIL_NINE), '90');
  expect(syntheticsOf(stage).map(({ mark }) => formatDecimal(mark ?? 0n))).toEqual(['90']);
});

/** Acts at the first close, for the next open. */
const buyingAtClose = (act: Protect): StageOptions => ({
  start: EVENING,
  hooks: {
    solo: {
      onSession: ({ change, order, view }) => {
        if (change === 'closed' && view.orders().length === 0) act(order);
      },
    },
  },
});

test('a bracket placed after the close trails from the price its entry paid', async () => {
  const options = buyingAtClose((order) =>
    order.bracket('AAPL', { entry: { shares: 10 }, stopLoss: { trail: { percent: 5 } } }),
  );
  const stage = await new Stage(options).play(10 * MINUTE + UNTIL_NINE);
  await openAt(stage, '90');
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(syntheticsOf(stage).map(({ stop }) => formatDecimal(stop ?? 0n))).toEqual(['85.93']);
  stage.venue.prices.set('AAPL', parseCash('85'));
  await stage.pass(MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
});

test('`expires` in minutes counts from the decision, the span of a working order from the open', async () => {
  const options = buyingAtClose((order) => {
    order.limit('AAPL', { side: 'buy', shares: 1, price: 90, expires: { minutes: 30 }, tag: 'short' });
    order.limit('AAPL', { side: 'buy', shares: 1, price: 90, expires: { minutes: 18 * 60 }, tag: 'long' });
    order.work('MSFT', { side: 'buy', shares: 60, style: 'twap', over: { minutes: 60 } });
  });
  const stage = await new Stage(options).play(10 * MINUTE + UNTIL_NINE);
  await stage.pass(UNTIL_THE_OPEN + MINUTE);
  const { intents } = stage.runner.kernel.context.accountState;
  expect([...intents.values()].map(({ tag, symbol }) => tag ?? symbol)).toEqual(['long', 'MSFT']);
  const [work] = syntheticsOf(stage).map(({ order: { terms } }) => terms);
  expect(work).toMatchObject({
    from: Date.parse('2026-06-16T13:30:00Z'),
    until: Date.parse('2026-06-16T14:30:00Z'),
  });
});
