import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { VenueStatus } from '../../../src/domain/venue.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const MSFT = ticker('MSFT');
const CAPITAL = '40000';
const LIMIT = '25000';

/** Targets the same position at every price. */
const insistent: StrategyHooks = {
  onQuote({ order }) {
    order.target('AAPL', { notional: '20000' }, 'at every quote');
  },
};

const stageOf = (more: Partial<StageOptions> = {}) =>
  new Stage({
    hooks: { solo: insistent },
    data: { quotes: ['AAPL'] },
    capital: CAPITAL,
    limits: { positionNotional: parseCash(LIMIT), grossExposure: parseCash(CAPITAL) },
    rules: { failureSpacingMs: 30 * SECOND },
    ...more,
  });

/** Moves the price a little at each read, so that every read is a quote. */
function restless(stage: Stage): Stage {
  const listings = stage.venue.listings.bind(stage.venue);
  let up = 1n;
  stage.venue.listings = () => {
    stage.venue.prices.set('AAPL', 100n * 10n ** 18n + (up = -up) * 10n ** 16n);
    return listings();
  };
  return stage;
}

/** Makes the venue report every order as ended without a fill, whatever its outcome. */
function calls(stage: Stage, word: VenueStatus): void {
  const orders = stage.venue.orders.bind(stage.venue);
  const lie = (row: Row): Row => ({ ...row, status: word, rawStatus: word, settlement: null, locked: null });
  stage.venue.orders = async (query) => {
    const page = await orders(query);
    return { total: page.total, rows: page.rows.map((row) => lie(row as Row)) };
  };
  stage.venue.orderByTx = () => Promise.resolve(null);
}

const filledAtOnce = (stage: Stage) => {
  for (const row of stage.venue.rows) if (row.settlement === null) stage.venue.fill(row);
};

describe('an order the venue falsely reports as ended without a fill', () => {
  test.each(['rejected', 'cancelled', 'expired', 'reverted'] as const)(
    'is not repeated when it fills at once: %s',
    async (word) => {
      const stage = restless(stageOf());
      calls(stage, word);
      await stage.play(SECOND);
      for (let second = 0; second < 600; second += 2) {
        filledAtOnce(stage);
        await stage.pass(2 * SECOND);
      }
      expect(stage.venue.sends).toBe(1);
      expect(stage.states).not.toContain('closed');
      const told = stage.alarms.filter((text) =>
        text.includes('the account does not agree: its money stays'),
      );
      expect(told).toHaveLength(1);
      expect(stage.alarms.join()).toMatch(/drover reconcile/);
    },
  );

  test.each(['rejected', 'reverted'] as const)(
    'is not repeated when it is mined shortly before its deadline: %s',
    async (word) => {
      const stage = restless(stageOf());
      stage.venue.indexed = false;
      await stage.play(8 * SECOND);
      const { orderId } = stage.venue.last;
      stage.venue.neverMined(stage.venue.last);
      const claim = { orderId, status: word, rawStatus: word, shown: true };
      Object.assign(stage.venue.last, claim, word === 'reverted' ? { cause: 'execution reverted' } : {});
      await stage.pass(MINUTE);
      expect(stage.venue.sends).toBe(1);
      expect(stage.states).not.toContain('closed');
      stage.venue.fill(stage.venue.last, word);
      await stage.pass(5 * MINUTE);
      expect(stage.venue.cash).toBeGreaterThan(parseCash('79900'));
    },
  );

  test('is not repeated when it is reported as ended after a tiny fill and fills completely', async () => {
    const stage = restless(stageOf());
    const orders = stage.venue.orders.bind(stage.venue);
    const part = (amount: bigint) => amount / 1_000n;
    stage.venue.orders = async (query) => {
      const page = await orders(query);
      const lie = (row: Row): Row =>
        row.settlement
          ? {
              ...row,
              status: 'cancelled',
              rawStatus: 'Canceled',
              settlement: {
                ...row.settlement,
                pay: part(row.settlement.pay),
                receive: part(row.settlement.receive),
              },
            }
          : row;
      return { total: page.total, rows: page.rows.map((row) => lie(row as Row)) };
    };
    stage.venue.orderByTx = () => Promise.resolve(null);
    await stage.play(SECOND);
    for (let second = 0; second < 300; second++) {
      filledAtOnce(stage);
      await stage.pass(SECOND);
    }
    expect(stage.venue.cash).toBeGreaterThan(parseCash('74900'));
    expect(stage.alarms.join()).toMatch(/difference in mUSD/);
  });

  test('keeps its reserve until an account read that began after the report', async () => {
    const stage = stageOf({ hooks: { solo: { onStart: insistent.onQuote as never } } });
    await stage.play(10 * SECOND);
    const asked: number[] = [];
    const account = stage.venue.account.bind(stage.venue);
    stage.venue.account = () => {
      asked.push(stage.clock.now());
      return account();
    };
    stage.venue.end(stage.venue.last, 'rejected');
    await stage.pass(10_200);
    const [order] = stage.orders;
    const { ledger } = stage.runner.kernel.context.accountState;
    expect(order).toMatchObject({ state: { kind: 'closed', how: 'rejected' } });
    expect(asked).toHaveLength(1);
    expect(ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
    expect(stage.alarms).toEqual([]);
  });

  test('is not followed by another for the same stock and side while the account cannot be read', async () => {
    const buys: StrategyHooks = { onQuote: ({ order }) => void order.buy('AAPL', { notional: '5000' }) };
    const stage = restless(stageOf({ hooks: { solo: buys }, rules: {} }));
    await stage.play(8 * SECOND);
    const account = stage.venue.account.bind(stage.venue);
    stage.venue.account = () => Promise.reject(new UnreachableError('no answer'));
    const rejectAll = () => {
      for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.end(row, 'rejected');
    };
    rejectAll();
    await stage.pass(4 * SECOND);
    rejectAll();
    await stage.pass(11 * SECOND);
    const { sends } = stage.venue;
    expect(stage.orders.filter(({ claim }) => claim)).toHaveLength(sends);
    await stage.pass(60 * SECOND);
    expect(stage.venue.sends).toBe(sends);
    stage.venue.account = account;
    await stage.pass(3 * MINUTE);
    expect(stage.venue.sends).toBeGreaterThan(sends);
  });

  test('is working again when it is reported as open', async () => {
    const stage = stageOf({ hooks: { solo: { onStart: insistent.onQuote as never } } });
    await stage.play(10 * SECOND);
    const row = stage.venue.last;
    Object.assign(row, { status: 'rejected', rawStatus: 'Rejected' });
    await stage.pass(6 * SECOND);
    expect(stage.orders[0]).toMatchObject({ claim: { end: { report: { status: 'rejected' } } } });
    Object.assign(row, { status: 'open', rawStatus: 'placing' });
    await stage.pass(10 * SECOND);
    expect(stage.orders[0]).toMatchObject({ state: { kind: 'working' } });
    expect(stage.orders[0]?.claim).toBeUndefined();
  });

  test('is booked when it is reported as filled later, and its stock is frozen', async () => {
    const stage = restless(stageOf());
    await stage.play(10 * SECOND);
    const row = stage.venue.last;
    Object.assign(row, { status: 'rejected', rawStatus: 'Rejected' });
    await stage.pass(12 * SECOND);
    stage.venue.fill(row);
    await stage.pass(MINUTE);
    expect(stage.orders[0]).toMatchObject({ state: { kind: 'closed', how: 'filled' } });
    expect(stage.alarms.join()).toMatch(
      /said that it had ended without a fill, and now shows what it filled/,
    );
    expect(stage.runner.kernel.context.accountState.ledger.total('mUSD')).toBe(stage.venue.cash);
    expect(stage.venue.sends).toBe(1);
  });

  test('ends by `resolve`, which leaves the difference to be accepted', async () => {
    const stage = restless(stageOf());
    calls(stage, 'rejected');
    await stage.play(SECOND);
    for (let second = 0; second < 60; second += 2) {
      filledAtOnce(stage);
      await stage.pass(2 * SECOND);
    }
    const [order] = stage.orders;
    if (!order) throw new Error('nothing was placed');
    stage.runner.kernel.context.operatorWords.take(order.id);
    expect(stage.orders[0]).toMatchObject({ claim: { end: { report: { status: 'rejected' } } } });
    await stage.pass(4 * MINUTE);
    expect(stage.orders[0]).toMatchObject({ state: { kind: 'closed', how: 'rejected' } });
    expect(stage.venue.sends).toBe(1);
    expect(stage.runner.kernel.reconciliation.open).toEqual(['mUSD', 'AAPL']);
  });

  test("keeps the reported end over a restart, and ends by the next run's account read", async () => {
    const stage = stageOf({ hooks: { solo: { onStart: insistent.onQuote as never } } });
    await stage.play(10 * SECOND);
    const account = stage.venue.account.bind(stage.venue);
    stage.venue.account = () => new Promise(() => undefined);
    stage.venue.end(stage.venue.last, 'rejected');
    await stage.pass(10 * SECOND);
    expect(stage.orders[0]).toMatchObject({ claim: { end: { report: { status: 'rejected' } } } });
    stage.venue.account = account;
    const next = stageOf({ hooks: { solo: {} }, after: stage });
    await next.play(20 * SECOND);
    expect(next.orders[0]).toMatchObject({ state: { kind: 'closed', how: 'rejected' } });
  });
});

describe('a refused send', () => {
  test('that was carried out is not followed by another order, before its deadline or after', async () => {
    const stage = restless(stageOf());
    stage.venue.fates.push(...Array.from({ length: 20 }, () => 'refusedAfterTheDeed' as const));
    stage.venue.indexed = false;
    await stage.play(20 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.states).toEqual(['sent']);
  });

  test('that was not carried out frees its money once it can no longer be mined', async () => {
    const stage = stageOf({ hooks: { solo: { onStart: insistent.onQuote as never } } });
    stage.venue.fates.push('refuse');
    await stage.play(2 * MINUTE);
    expect(
      stage.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD'),
    ).toBeGreaterThan(0n);
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['refused']);
    expect(stage.runner.kernel.context.accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  });
});

describe('failing orders in a row', () => {
  // Without limits, so that the doubt does not stop the second.
  const failing = async (minutes: number) => {
    const stage = restless(stageOf({ limits: {} }));
    await stage.play(SECOND);
    for (let second = 0; second < minutes * 60; second++) {
      for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.end(row, 'rejected');
      await stage.pass(SECOND);
    }
    return stage;
  };

  test('are sent at growing intervals, and the third freezes the stock', async () => {
    const stage = await failing(10);
    expect(stage.venue.sends).toBe(3);
    const [first, second, third] = stage.orders.map(({ plannedAt }) => plannedAt);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(30 * SECOND);
    expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(60 * SECOND);
    expect(stage.alarms.join()).toMatch(
      /AAPL is frozen: 3 orders of solo in a row to buy AAPL ended without a/,
    );
  });

  test('are counted over a restart', async () => {
    const stage = await failing(4);
    expect(stage.venue.sends).toBe(2);
    const next = restless(stageOf({ limits: {}, after: stage }));
    await next.play(SECOND);
    for (let second = 0; second < 600; second++) {
      for (const row of next.venue.rows) if (row.status === 'open') next.venue.end(row, 'rejected');
      await next.pass(SECOND);
    }
    expect(next.venue.sends).toBe(3);
  });
});

describe('a difference between ledger and venue', () => {
  const moves: StrategyHooks = {
    onTimer({ order, timer }) {
      if (timer === 'sell') order.sell('AAPL', { shares: 1 });
      else order.buy('MSFT', { shares: 5 });
    },
  };
  const timers = [
    { name: 'buy', at: '10:02' },
    { name: 'sell', at: '10:02' },
  ];

  test('in cash stops every buy from the read that finds it, and no other order', async () => {
    const solo: StrategyHooks = {
      ...moves,
      onStart: ({ order }) => void order.buy('AAPL', { notional: '500' }),
    };
    const stage = stageOf({ hooks: { solo }, data: { quotes: ['AAPL', 'MSFT'], timers } });
    await stage.play(10 * SECOND);
    stage.venue.fill(stage.venue.last);
    await stage.pass(50 * SECOND);
    stage.venue.cash -= parseCash('1');
    await stage.pass(90 * SECOND);
    expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`)).toEqual([
      'buy AAPL',
      'sell AAPL',
    ]);
    stage.venue.cash += parseCash('1');
    await stage.pass(MINUTE);
    expect(stage.orders.map(({ terms }) => `${terms.side} ${terms.symbol}`).at(-1)).toBe('buy MSFT');
  });

  test('in a stock the ledger never had ends when that stock is gone', async () => {
    const stage = stageOf({ hooks: { solo: {} }, data: { quotes: ['AAPL', 'MSFT'] } });
    await stage.play(10 * SECOND);
    stage.venue.holdings.set('MSFT', parseShares('3'));
    await stage.pass(MINUTE);
    const { holds } = stage.runner.kernel.context;
    expect(holds.has('difference', MSFT)).toBe(true);
    stage.venue.holdings.delete('MSFT');
    await stage.pass(MINUTE);
    expect(holds.has('difference', MSFT)).toBe(false);
  });
});

test('an unconfirmed end is checked soon, and then no more often than the account is read anyway', async () => {
  const stage = stageOf({
    hooks: { solo: atStart((order) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 })) },
  });
  const account = stage.venue.account.bind(stage.venue);
  let looks = 0;
  stage.venue.account = () => {
    looks++;
    return account();
  };
  const looksIn = async (ms: number) => {
    const before = looks;
    await stage.pass(ms);
    return looks - before;
  };
  await stage.play(MINUTE);
  calls(stage, 'cancelled');
  // Read every 30 s anyway: twice in a minute, and ten times in five.
  expect(await looksIn(MINUTE)).toBeGreaterThanOrEqual(6);
  expect(await looksIn(5 * MINUTE)).toBeLessThanOrEqual(21);
  filledAtOnce(stage);
});
