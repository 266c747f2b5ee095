import { describe, expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import { hashHex } from '../../../src/core/random.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { txHashOf } from '../../../src/domain/orders/order.ts';
import type { OrderTerms } from '../../../src/domain/venue.ts';
import { fundsFor } from '../../../src/engine/risk/limits.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const buyAapl = atStart((order) => order.buy('AAPL', { notional: '1000' }));
const buyMsft: StrategyHooks = { onTimer: ({ order }) => void order.buy('MSFT', { shares: 20 }) };
const at = (...times: string[]) => ({
  quotes: ['AAPL', 'MSFT'],
  timers: times.map((time) => ({ name: time, at: time })),
});

/** A buy of AAPL that never arrived; the strategy's other orders come with a timer. */
function lost({ later, ...rest }: Omit<StageOptions, 'hooks'> & { later?: StrategyHooks } = {}): Stage {
  const stage = new Stage({ ...rest, hooks: { solo: { ...buyAapl, ...later } } });
  stage.venue.fates.push('lostBefore');
  return stage;
}

const aLimit: OrderTerms = {
  symbol: ticker('MSFT'),
  stock: `0x${'1'.repeat(40)}`,
  type: 'limit',
  side: 'buy',
  quantity: parseShares('1'),
  price: parsePrice('40'),
};

/** Adds a transaction linked to the key that the indexer has not processed. */
function link(stage: Stage, createdAt: number): void {
  const { order } = stage.venue.foreign({ ...stage.orders[0]?.terms } as Row['order']);
  stage.venue.rows.pop();
  stage.venue.cash = parseCash('100000');
  stage.venue.rows.push({
    txHash: hashHex(`link ${createdAt}`),
    orderId: null,
    status: 'pending',
    rawStatus: 'Pending',
    createdAt: epochMs(Math.floor(createdAt / SECOND) * SECOND),
    terms: null,
    locked: null,
    settlement: null,
    order,
    shown: true,
  });
}

describe('an unknown order', () => {
  test('counts against the limits of the account', async () => {
    const limits = { grossExposure: parseCash('1500') };
    const stage = await lost({ later: buyMsft, data: at('10:01'), limits }).play(90 * SECOND);
    expect(stage.venue.sends).toBe(1);
    expect(stage.said(/grossExposure/)).toBe(true);
  });

  test('keeps its reserve from other orders', async () => {
    const stage = await lost().play(30 * SECOND);
    const { context } = stage.runner.kernel;
    const [order] = context.accountState.live.values();
    expect(order?.state.kind).toBe('unknown');
    expect(fundsFor(context, 'mUSD')?.available).toBe(
      context.accountState.ledger.total('mUSD') - (order?.reserve ?? 0n),
    );
  });

  test('keeps its reserve out of the cash the venue shows, in addition to a difference', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:02') }).play(30 * SECOND);
    stage.venue.cash = parseCash('500');
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.alarms.join()).toMatch(/difference in mUSD: .* no buy is sent until they agree/);
  });

  test('is not closed while the order list cannot be read', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:02') }).play(150 * SECOND);
    const orders = stage.venue.orders.bind(stage.venue);
    stage.venue.orders = () => Promise.reject(new UnreachableError('connection refused'));
    await stage.pass(5 * MINUTE);
    expect(stage.states).toEqual(['unknown', 'working']);
    stage.venue.orders = orders;
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['neverExisted', 'working']);
  });

  test('is not closed while a link in the list may still get its order', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:02') }).play(SECOND);
    link(stage, stage.clock.now());
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['unknown', 'working']);
  });

  test('is closed despite a link the indexer has passed, since nothing of it was mined', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:03') }).play(SECOND);
    link(stage, stage.clock.now());
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['neverExisted', 'working']);
  });

  test('is not closed despite a passed link that has an order id', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:03') }).play(SECOND);
    link(stage, stage.clock.now());
    Object.assign(stage.venue.last, { orderId: hashHex('an order') });
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['unknown', 'working']);
  });

  test.each<[string, Partial<Row>]>([
    ['a link with an order id and an unknown status', { status: 'unrecognised', rawStatus: 'Sealed' }],
    [
      'a row without its notional',
      {
        status: 'open',
        rawStatus: 'placing',
        terms: {
          symbol: ticker('AAPL'),
          side: 'buy',
          type: 'market',
          quantity: null,
          notional: null,
          price: null,
        },
      },
    ],
    ['a row without its time', { createdAt: epochMs(0) }],
  ])('is not closed while the list has %s', async (_name, row) => {
    const stage = await lost({ later: buyMsft, data: at('10:03') }).play(SECOND);
    link(stage, stage.clock.now());
    Object.assign(stage.venue.last, { orderId: hashHex('an order'), ...row });
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['unknown', 'working']);
  });

  /** Adds an unreadable row to the list, at place `at`, the oldest first. */
  const unreadable = (stage: Stage, at: number, txHash: string | null): void =>
    void stage.venue.rows.splice(at, 0, {
      unreadable: 'a side that is not known',
      txHash,
      shown: true,
    } as never);

  test.each<[string, place: number, txHash: string | null, state: string]>([
    ['without its transaction', 1, null, 'unknown'],
    ['of an unknown transaction', 1, hashHex('nobody’s'), 'unknown'],
    ['older than the send', 0, null, 'neverExisted'],
  ])(
    'is closed despite an unreadable row only if that row is older than the send: %s',
    async (...[, place, txHash, state]) => {
      const stage = lost({ later: buyMsft, data: at('10:03') });
      const { order } = stage.venue.foreign(aLimit);
      stage.venue.cash = parseCash('100000');
      Object.assign(stage.venue.last, {
        order,
        status: 'cancelled',
        createdAt: epochMs(stage.clock.now() - 60 * SECOND),
      });
      await stage.play(SECOND);
      unreadable(stage, place, txHash);
      await stage.pass(8 * MINUTE);
      expect(stage.states).toEqual([state, 'working']);
    },
  );

  test('is not closed by a row with a time in the future', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:01') }).play(90 * SECOND);
    Object.assign(stage.venue.last, { createdAt: epochMs(stage.clock.now() + 8 * 60 * MINUTE) });
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['unknown', 'working']);
  });

  test('is closed despite a link whose transaction has failed', async () => {
    const stage = await lost({ later: buyMsft, data: at('10:03') }).play(SECOND);
    link(stage, stage.clock.now());
    Object.assign(stage.venue.last, { status: 'reverted', rawStatus: 'Failed' });
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['neverExisted', 'working']);
  });

  test('is not closed by a link alone, which proves nothing about the indexer', async () => {
    const stage = await lost().play(4 * MINUTE);
    link(stage, stage.clock.now());
    await stage.pass(4 * MINUTE);
    expect(stage.states).toEqual(['unknown']);
  });
});

test('an accepted order shown only as a link freezes its stock once the indexer has passed it', async () => {
  const stage = new Stage({ hooks: { solo: { ...buyAapl, ...buyMsft } }, data: at('10:03') });
  await stage.play(SECOND);
  stage.venue.neverMined(stage.venue.last);
  await stage.pass(2 * MINUTE);
  expect(stage.states).toEqual(['acknowledged']);
  expect(stage.runner.kernel.context.accountState.frozen.size).toBe(0);
  await stage.pass(2 * MINUTE);
  expect(stage.states).toEqual(['acknowledged', 'working']);
  expect(stage.alarms.join()).toMatch(/AAPL is frozen: .*accepted it, and it was never shown/);
});

test('a response that named a never-mined transaction is corrected after its deadline, and the order found', async () => {
  const hooks: StrategyHooks = {
    onStart({ order }) {
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
      order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
    },
    onTimer: ({ order }) => void order.limit('MSFT', { side: 'buy', shares: 2, price: 40 }),
  };
  const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:03' }] };
  const rules = { assumeGoneAfterMs: MINUTE };
  const stage = new Stage({ hooks: { solo: hooks }, data, rules });
  stage.venue.fates.push('lostAfter', 'sameHash');
  await stage.play(SECOND);
  const [named, own] = stage.venue.rows;
  stage.venue.neverMined(named ?? stage.venue.last);
  await stage.pass(2 * MINUTE);
  expect(stage.states).toEqual(['unknown', 'acknowledged']);
  await stage.pass(2 * MINUTE);
  expect(stage.states.slice(0, 2)).toEqual(['neverExisted', 'working']);
  expect(stage.alarms.join()).toMatch(/shows nothing, and has it under another/);
  const orders = [...stage.runner.kernel.context.accountState.orders.values()];
  expect(orders[1] && txHashOf(orders[1])).toBe(own?.txHash);
});

test('a response that named a transaction shown nowhere is corrected in time even without further sends', async () => {
  const hooks: StrategyHooks = {
    onStart({ order }) {
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
      order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
    },
  };
  const stage = new Stage({ hooks: { solo: hooks }, data: { quotes: ['AAPL', 'MSFT'] } });
  stage.venue.fates.push('lostAfter', 'sameHash');
  await stage.play(SECOND);
  const [named, own] = stage.venue.rows;
  stage.venue.neverMined(named ?? stage.venue.last);
  await stage.pass(10 * MINUTE);
  expect(stage.states).toEqual(['unknown', 'acknowledged']);
  await stage.pass(4 * MINUTE);
  expect(stage.states).toEqual(['unknown', 'working']);
  expect(stage.alarms.join()).toMatch(/shows nothing, and has it under another/);
  const orders = [...stage.runner.kernel.context.accountState.orders.values()];
  expect(orders[1] && txHashOf(orders[1])).toBe(own?.txHash);
});

test("an order shown under another transaction than the venue's response named is found, not assumed gone", async () => {
  const stage = new Stage({ hooks: { solo: buyAapl }, rules: { assumeGoneAfterMs: 30_000 } });
  stage.venue.indexed = false;
  await stage.play(SECOND);
  Object.assign(stage.venue.last, { txHash: hashHex('its own'), shown: true });
  await stage.pass(2 * MINUTE);
  expect(stage.states).toEqual(['acknowledged']);
  await stage.pass(MINUTE);
  expect(stage.states).toEqual(['working']);
  expect(stage.said(/shows nothing, and has it under another/)).toBe(true);
});

test('an absence proved for a transaction taken from an order proves nothing about the order', async () => {
  const stage = new Stage({ hooks: { solo: buyAapl }, rules: { readsChain: true } });
  const absence = () => Promise.resolve({ at: stage.clock.now(), isReplaced: false });
  Object.assign(stage.venue, { absence });
  stage.venue.indexed = false;
  await stage.play(SECOND);
  const isTakenAway = () => stage.said(/has it under another/);
  Object.assign(stage.venue.last, { txHash: hashHex('its own') });
  Object.defineProperty(stage.venue.last, 'shown', { get: () => !isTakenAway() });
  stage.venue.cash = parseCash('100000');
  await stage.pass(8 * MINUTE);
  expect(isTakenAway()).toBe(true);
  expect(stage.states).toEqual(['unknown']);
});

test('an accepted order is not assumed gone while the chain cannot be read', async () => {
  const stage = new Stage({ hooks: { solo: buyAapl }, rules: { readsChain: true } });
  Object.assign(stage.venue, { absence: () => Promise.reject(new UnreachableError('no node')) });
  stage.venue.indexed = false;
  await stage.play(SECOND);
  stage.venue.cash = parseCash('100000');
  await stage.pass(8 * MINUTE);
  expect(stage.states).toEqual(['acknowledged']);
});

test.each<[string, (stage: Stage) => number | null, string[]]>([
  ['a trace', () => null, []],
  ['no trace', (stage) => stage.clock.now(), ['AAPL']],
])(
  'an accepted order the indexer has passed stays, and freezes its stock if the chain lacks it: it has %s',
  async (...[, absentAt, frozen]) => {
    const hooks = { solo: { ...buyAapl, ...buyMsft } };
    const stage = new Stage({ hooks, data: at('10:03'), rules: { readsChain: true } });
    const absence = () => {
      const at = absentAt(stage);
      return Promise.resolve(at === null ? null : { at, isReplaced: false });
    };
    Object.assign(stage.venue, { indexed: false, absence });
    await stage.play(SECOND);
    stage.venue.cash = parseCash('100000');
    stage.venue.indexed = true;
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual(['acknowledged', 'working']);
    expect([...stage.runner.kernel.context.accountState.frozen.keys()]).toEqual(frozen);
  },
);

describe('two orders decided in one step', () => {
  const both: StrategyHooks = {
    onTimer({ order }) {
      order.buy('AAPL', { notional: '1000' });
      order.buy('MSFT', { shares: 20 });
    },
  };

  test('have different deadlines', async () => {
    const stage = await new Stage({ hooks: { solo: both }, data: at('10:01') }).play(90 * SECOND);
    const deadlines = stage.lines.flatMap((line) => /"kind":"sent".*"deadline":(\d+)/.exec(line)?.[1] ?? []);
    expect(deadlines).toHaveLength(2);
    expect(new Set(deadlines).size).toBe(2);
  });

  test('are checked against the limits again when their slot is free', async () => {
    const limits = { ordersPerMinute: 1 };
    const stage = await new Stage({ hooks: { solo: both }, data: at('10:01'), limits }).play(90 * SECOND);
    expect(stage.venue.sends).toBe(1);
    expect(stage.states).toEqual(['working', 'abandoned']);
  });
});

describe('shares that left the account without the ledger', () => {
  const loseAShare = async (stage: Stage): Promise<void> => {
    await stage.play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    stage.venue.holdings.set('AAPL', parseCash('9'));
    await stage.pass(2 * MINUTE);
  };
  const again: StrategyHooks = { ...buyAapl, onTimer: ({ order }) => void order.buy('AAPL', { shares: 1 }) };

  test('freeze their stock: no order of it is planned or sent', async () => {
    const stage = new Stage({ hooks: { solo: again }, data: at('10:05') });
    await loseAShare(stage);
    await stage.pass(5 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.orders).toHaveLength(1);
    expect(stage.said(/AAPL is frozen/)).toBe(true);
  });

  test('are reported in the end even while an order under way could explain them', async () => {
    const stage = new Stage({
      hooks: { solo: { ...again, onTimer: ({ order }) => void order.sell('AAPL', { shares: 1 }) } },
      data: at('10:01'),
    });
    stage.venue.fates.push('accept', 'lostBefore');
    await loseAShare(stage);
    expect(stage.runner.kernel.context.accountState.differences).toEqual([]);
    await stage.pass(11 * MINUTE);
    expect(stage.runner.kernel.context.accountState.differences).toMatchObject([{ asset: 'AAPL' }]);
  });
});

test('a restart does not allocate capital again', async () => {
  const first = await new Stage().play(10 * SECOND);
  const second = await new Stage({ after: first }).play(10 * SECOND);
  expect(second.runner.kernel.context.accountState.ledger.held('solo', 'mUSD')).toBe(parseCash('10000'));
});

test.each<[string, (stage: Stage) => number, string]>([
  ['lacks it', (stage) => stage.clock.now(), 'neverExisted'],
  [
    'cannot be read',
    () => {
      throw new UnreachableError('no node');
    },
    'working',
  ],
])(
  'an order of the own wallet without an answer never existed only if the chain lacks it: the chain %s',
  async (...[, absentAt, state]) => {
    const hooks = { solo: { ...buyAapl, ...buyMsft } };
    const stage = new Stage({ hooks, data: at('10:03'), rules: { readsChain: true } });
    const absence = async () => {
      await Promise.resolve();
      return { at: absentAt(stage), isReplaced: false };
    };
    Object.assign(stage.venue, { signsHere: true, absence });
    stage.venue.fates.push('lostBefore');
    await stage.play(SECOND);
    await stage.pass(8 * MINUTE);
    expect(stage.states).toEqual([state, 'working']);
  },
);
