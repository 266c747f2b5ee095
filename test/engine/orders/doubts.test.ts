import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../../src/core/amount.ts';
import { hasEnded, type Order } from '../../../src/domain/orders/order.ts';
import type { VenueStatus } from '../../../src/domain/venue.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const STOCKS = ['AAPL', 'NVDA', 'TSLA', 'AMZN', 'SPY', 'META'];
const LIMITS = { positionNotional: parseCash('6000'), grossExposure: parseCash('31000') };
/** One order of `insistent` with its fees. */
const ORDER = 5_506.05;
const HOUR = 60 * MINUTE;

/** Targets the same position in each stock at every price. */
const insistent: StrategyHooks = {
  onQuote({ order, symbol }) {
    order.target(symbol, { notional: '5500' });
  },
};

/** Places a buy below the price of each stock, and replaces it once a minute. */
const restless: StrategyHooks = {
  onTimer({ order }) {
    for (const symbol of STOCKS) {
      order.cancel({ symbol });
      order.limit(symbol, { side: 'buy', shares: 55, price: 100 });
    }
  },
};
const everyMinute = {
  quotes: STOCKS,
  timers: Array.from({ length: 59 }, (_, minute) => {
    const at = `10:${String(minute + 1).padStart(2, '0')}`;
    return { name: at, at };
  }),
};

function stageOf(more: Partial<StageOptions> = {}): Stage {
  const stage = new Stage({
    hooks: { solo: insistent },
    data: { quotes: STOCKS },
    capital: '99000',
    limits: LIMITS,
    rules: { failureSpacingMs: 30 * SECOND },
    ...more,
  });
  const listings = stage.venue.listings.bind(stage.venue);
  let up = 1n;
  stage.venue.listings = () => {
    up = -up;
    for (const symbol of STOCKS) stage.venue.prices.set(symbol, 100n * 10n ** 18n + up * 10n ** 16n);
    return listings();
  };
  return stage;
}

/** Holdings of the account if each order sent was secretly carried out: in total, and of the largest stock. */
function taken(stage: Stage, lies: (order: Order) => boolean = () => true) {
  const byStock = new Map<string, number>();
  for (const order of stage.orders) {
    const { state, terms, reserve } = order;
    if (state.kind === 'planned' || state.kind === 'abandoned' || !lies(order)) continue;
    byStock.set(terms.symbol, (byStock.get(terms.symbol) ?? 0) + Number(formatDecimal(reserve)));
  }
  return { gross: [...byStock.values()].reduce((a, b) => a + b, 0), most: Math.max(0, ...byStock.values()) };
}

/** Passes time while the venue applies `lie` to the row of each new order. */
async function lying(stage: Stage, ms: number, lie: (row: Row) => void): Promise<Stage> {
  for (let at = 0; at < ms; at += SECOND) {
    for (const row of stage.venue.rows) if (row.status === 'open') lie(row);
    await stage.pass(SECOND);
  }
  return stage;
}

const ends = (stage: Stage, word: VenueStatus) => (row: Row) => stage.venue.end(row, word);

describe('false ends confirmed by list and account, though each order was carried out,', () => {
  test.each(['cancelled', 'rejected', 'expired', 'reverted'] as const)(
    'stay within the limits over all stocks, and trading becomes reduce-only: %s',
    async (word) => {
      const stage = await stageOf().play(SECOND);
      await lying(stage, 40 * MINUTE, ends(stage, word));
      const { gross, most } = taken(stage);
      // Without doubt: three orders of each of six stocks, 99,109 mUSD, until the symbols freeze or the cash is gone.
      expect(most).toBeLessThanOrEqual(6_000);
      expect(gross).toBeLessThanOrEqual(31_000);
      expect(gross).toBeCloseTo(5 * ORDER, 1);
      expect(stage.runner.kernel.context.accountState.trading.ofRun).toMatchObject({
        state: 'reducing',
        cause: 'doubt',
      });
      expect(stage.alarms.join()).toMatch(/orders in a row have ended without a fill.*only sells are sent/);
    },
  );

  test('count against the limits from the first on, before three in a row', async () => {
    const stage = await stageOf({ data: { quotes: ['AAPL'] } }).play(SECOND);
    await lying(stage, 10 * MINUTE, ends(stage, 'rejected'));
    expect([taken(stage).most, stage.venue.sends]).toEqual([ORDER, 1]);
    expect(stage.runner.kernel.context.accountState.trading.ofRun).toBeNull();
  });

  test('stay in doubt over a restart until the close of the next session', async () => {
    const first = await stageOf().play(SECOND);
    await lying(first, 10 * MINUTE, ends(first, 'rejected'));
    const stage = await stageOf({ after: first }).play(MINUTE);
    const { accountState } = stage.runner.kernel.context;
    const inDoubt = () => accountState.doubts.buys(stage.clock.now());
    expect(inDoubt()).toHaveLength(5);
    expect(taken(stage).gross).toBeCloseTo(5 * ORDER, 1);
    // Tuesday, 15:59 in New York, and a minute after the close.
    await stage.clock.advanceTo(Date.parse('2026-06-16T19:59:00Z') as never);
    expect(inDoubt()).toHaveLength(5);
    await stage.pass(2 * MINUTE);
    expect(inDoubt()).toEqual([]);
  });

  test('are lifted one by one by `resolve`', async () => {
    const stage = await stageOf().play(SECOND);
    await lying(stage, 5 * MINUTE, ends(stage, 'rejected'));
    const [order] = stage.orders;
    const command = { kind: 'resolve', id: order?.id ?? '' } as const;
    const { accountState } = stage.runner.kernel.context;
    void stage.runner.command({ id: 'word-1' as never, by: 'me', reason: 'seen', command });
    await stage.pass(2 * MINUTE);
    expect(accountState.doubts.of(order?.id as never, stage.clock.now())).toBeUndefined();
    expect(accountState.doubts.buys(stage.clock.now())).toHaveLength(4);
  });

  test('count in a row until a fill, and from zero again once trading resumes', async () => {
    const buys: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }) };
    const stage = stageOf({ hooks: { solo: buys }, data: everyMinute, rules: {} });
    const { trading, doubts } = stage.runner.kernel.context.accountState;
    await stage.play(SECOND);
    let count = 0;
    const isShown = (row: Row) => stage.clock.now() - row.createdAt > 15 * SECOND;
    await lying(stage, 12 * MINUTE, (row) => {
      if (isShown(row) && ++count % 3 === 0) stage.venue.fill(row);
      else if (isShown(row)) stage.venue.end(row, 'rejected');
    });
    expect([count > 6, trading.ofRun]).toEqual([true, null]);
    await lying(stage, 6 * MINUTE, (row) => isShown(row) && stage.venue.end(row, 'rejected'));
    expect(trading.ofRun?.state).toBe('reducing');
    const command = { kind: 'trade', state: 'active', scope: {}, cancel: false } as const;
    void stage.runner.command({ id: 'resume-1' as never, by: 'me', reason: 'seen', command });
    await stage.pass(MINUTE);
    expect([trading.ofRun, doubts.inARow]).toEqual([null, 0]);
  });
});

describe('accepted orders that no source shows', () => {
  const hidden = (stage: Stage) => (row: Row) => stage.venue.neverMined(row);

  test.each([
    ['with a node', true],
    ['without a node', false],
  ])('stay reserved and freeze their stocks, and nothing replaces them: %s', async (_, readsChain) => {
    const stage = stageOf({ rules: { failureSpacingMs: 30 * SECOND, readsChain } });
    if (readsChain)
      Object.assign(stage.venue, {
        absence: () => Promise.resolve({ at: stage.clock.now(), isReplaced: false }),
      });
    await stage.play(SECOND);
    await lying(stage, 40 * MINUTE, hidden(stage));
    const { gross, most } = taken(stage);
    expect([most, gross].map(Math.round)).toEqual([5_506, 27_530]);
    expect(stage.states.filter((state) => state === 'neverExisted')).toEqual([]);
    const { accountState } = stage.runner.kernel.context;
    expect(accountState.live.size).toBe(5);
    if (!readsChain) return;
    expect(accountState.frozen.size).toBe(5);
    expect(accountState.trading.ofRun).toMatchObject({ state: 'reducing', cause: 'doubt' });
    expect(stage.alarms.join()).toMatch(/accepted it, and nothing of it was shown .*"drover orders resolve/);
  });

  test('that are carried out after their deadline are booked within the same bound', async () => {
    const stage = stageOf({ rules: { failureSpacingMs: 30 * SECOND, readsChain: true } });
    Object.assign(stage.venue, {
      absence: () => Promise.resolve({ at: stage.clock.now(), isReplaced: false }),
    });
    await stage.play(SECOND);
    await lying(stage, 10 * MINUTE, hidden(stage));
    for (const row of stage.venue.rows) {
      Object.assign(row, { orderId: row.txHash.replace('0x', '0xa'), status: 'open' });
      stage.venue.fill(row);
    }
    await stage.pass(30 * MINUTE);
    expect(stage.venue.sends).toBe(5);
    expect(stage.orders.every(hasEnded)).toBe(true);
  });
});

describe('orders without a response that are assumed never placed', () => {
  test('count against the limits as if they had filled', async () => {
    const stage = stageOf({ rules: { failureSpacingMs: 30 * SECOND, assumeGoneAfterMs: 3 * MINUTE } });
    stage.venue.fates.push(...Array.from({ length: 99 }, () => 'lostBefore' as const));
    await stage.play(2 * HOUR);
    expect(stage.states).toEqual(Array.from({ length: 5 }, () => 'neverExisted'));
    expect(taken(stage).gross).toBeCloseTo(5 * ORDER, 1);
  });
});

describe('buys that the run cancels though each was carried out', () => {
  const within = (stage: Stage) => {
    const now = stage.clock.now();
    const { doubts } = stage.runner.kernel.context.accountState;
    return taken(stage, (order) => !hasEnded(order) || doubts.of(order.id, now) !== undefined);
  };

  test('stay within the limits plus limits.doubt at each moment, and the next buy waits', async () => {
    const limits = { ...LIMITS, doubt: parseCash('7000') };
    const stage = await stageOf({ hooks: { solo: restless }, data: everyMinute, limits }).play(SECOND);
    let [most, gross] = [0, 0];
    for (let minute = 0; minute < 59; minute++) {
      await stage.pass(MINUTE);
      const at = within(stage);
      [most, gross] = [Math.max(most, at.most), Math.max(gross, at.gross)];
    }
    expect([most, gross].map(Math.round)).toEqual([11_012, 66_073]);
    expect(most).toBeLessThanOrEqual(6_000 + 7_000);
    expect(gross).toBeLessThanOrEqual(31_000 + 6 * 7_000);
    expect(most).toBeGreaterThan(6_000);
    expect(stage.said(/in doubt until .*\(doubt\)/)).toBe(true);
    expect(stage.runner.kernel.context.accountState.trading.ofRun).toBeNull();
  });

  test('leave room for the next buy if a single one uses the whole limit', async () => {
    const limits = { positionNotional: parseCash('5500') };
    const inTurn: StrategyHooks = {
      onTimer({ order, view }) {
        if (view.orders('AAPL').length > 0) order.cancel({ symbol: 'AAPL' });
        else order.limit('AAPL', { side: 'buy', shares: 55, price: 100 });
      },
    };
    const stage = await stageOf({ hooks: { solo: inTurn }, data: everyMinute, limits }).play(4 * MINUTE);
    expect(stage.said(/in doubt until/)).toBe(false);
    expect(stage.venue.sends).toBe(2);
  });

  test('all count against the turnover of their session', async () => {
    const limits = { ...LIMITS, turnoverPerDay: parseCash('40000') };
    const stage = await stageOf({ hooks: { solo: restless }, data: everyMinute, limits }).play(HOUR);
    expect(taken(stage).gross).toBeLessThanOrEqual(40_000);
    expect(Math.round(taken(stage).gross)).toBe(38_542);
  });
});

describe('a sell in doubt', () => {
  test('does not block another sell of free shares', async () => {
    const hooks: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '5000' }),
      onTimer: ({ order }) => void order.sell('AAPL', { shares: 10 }),
    };
    const timers = ['10:02', '10:03'].map((at) => ({ name: at, at }));
    const stage = await stageOf({
      hooks: { solo: hooks },
      data: { quotes: STOCKS, timers },
    }).play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(90 * SECOND);
    stage.venue.indexed = false;
    await stage.pass(30 * SECOND);
    // It was never shown open, so its end is only claimed until its deadline has passed: the account cannot agree earlier.
    stage.venue.end(stage.venue.last, 'rejected');
    stage.venue.last.shown = true;
    await stage.pass(MINUTE);
    expect(stage.orders[1]?.claim).toBeDefined();
    const sells = stage.orders.filter(({ terms }) => terms.side === 'sell');
    expect(sells.map(({ state }) => state.kind)).not.toContain('abandoned');
    expect(sells).toHaveLength(2);
    expect(stage.venue.sends).toBe(3);
  });
});
