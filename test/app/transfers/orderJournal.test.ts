import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { epochSeconds, toSeconds } from '../../../src/core/brand.ts';
import { cash, formatDecimal, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { accountOf } from '../../cli/support/emulated.ts';
import { startClosedRun, type ClosedRun } from '../../cli/support/closedRun.ts';
import { booksIn, entriesIn } from '../../cli/support/stateFolder.ts';

let run: ClosedRun;
beforeAll(async () => {
  run = await startClosedRun(77);
}, 30_000);
afterAll(() => run.close());
beforeEach(() => run.begin());

const orders = () => [...booksIn(run.state).orders.values()];
const place = (...argv: string[]) => run.by('orders', 'place', ...argv);
const MARKET_BUY = ['AAPL', 'buy', '--market', '--notional', '100'] as const;
const LIMIT_BUY = ['AAPL', 'buy', '--limit', '100', '--quantity', '1'] as const;

test('a manual order without a run is journaled with who and why, and leaves no difference', async () => {
  expect(await place(...MARKET_BUY, '--reason', 'cheap today')).toMatchObject({ code: 0 });
  expect(orders()).toMatchObject([
    { id: 'hand-1.1', strategyId: UNALLOCATED, state: { kind: 'closed', how: 'filled' } },
  ]);
  expect(await place('AAPL', 'sell', '--market', '--quantity', '0.2')).toMatchObject({ code: 0 });
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  expect(orders().map(({ id, state }) => [id, state.kind])).toEqual([
    ['hand-1.1', 'closed'],
    ['hand-2.1', 'closed'],
    ['hand-3.1', 'working'],
  ]);
  const { commands, externals } = booksIn(run.state);
  expect([...commands.all].map(({ request }) => [request.command.kind, request.reason])).toEqual([
    ['order', 'cheap today'],
    ['order', 'by hand'],
    ['order', 'by hand'],
  ]);
  expect(externals.all.size).toBe(0);
  expect(await run.differences()).toEqual([]);
}, 30_000);

test('the plan of a manual order names an identical one that is open or was just given', async () => {
  expect((await place(...LIMIT_BUY)).err).not.toContain('already');
  expect((await place(...MARKET_BUY)).err).toMatch(
    /already +buy 1 AAPL at 100 \(hand-1\.1, \d\d:\d\d\): rests at the venue/,
  );
  expect((await place(...LIMIT_BUY)).err).toMatch(
    /already +buy AAPL for 100 \(hand-2\.1, \d\d:\d\d\): filled/,
  );
}, 30_000);

test('a manual cancel without a run is journaled with who and why, and its end is read', async () => {
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  const [order] = orders();
  const venueId = order && 'venueId' in order.state ? String(order.state.venueId) : '';
  const cancelled = await run.by('orders', 'cancel', venueId, '--reason', 'too dear');
  expect(cancelled).toMatchObject({ code: 0 });
  expect(orders()).toMatchObject([
    { state: { kind: 'closed', how: 'cancelled' }, cancel: { kind: 'accepted' } },
  ]);
  const { commands } = booksIn(run.state);
  expect([...commands.all].at(-1)?.request).toMatchObject({
    reason: 'too dear',
    command: { kind: 'cancel', orders: ['hand-1.1'] },
  });
  expect(entriesIn(run.state).filter(({ fact }) => 'request' in fact && fact.request)).toHaveLength(2);
  expect(await run.differences()).toEqual([]);
}, 30_000);

test('a manual cancel whose response is lost is journaled, and later polls find its end', async () => {
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  await run.venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'DELETE /api/v1/orders/{orderId}/send' }],
  });
  const [order] = orders();
  const venueId = order && 'venueId' in order.state ? String(order.state.venueId) : '';
  expect(await run.by('orders', 'cancel', venueId)).toMatchObject({ code: 0 });
  expect(entriesIn(run.state).map(({ fact }) => ('event' in fact ? fact.event.kind : fact.kind))).toContain(
    'cancelLost',
  );
  expect(orders()).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
  expect(await run.by('orders', 'cancel', venueId)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/ended/) as string,
  });
  expect(await run.differences()).toEqual([]);
}, 30_000);

test('a cancel that the venue claims is shown as an end before the account confirms it', async () => {
  await run.venue.control('/faults', { rules: [{ kind: 'balance-late', ms: 60_000 }] });
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  const [order] = orders();
  const cancelled = await run.by('orders', 'cancel', String(order?.id));
  expect(cancelled).toMatchObject({ code: 0 });
  expect(orders()).toMatchObject([{ state: { kind: 'working' } }]);
  expect(JSON.parse(cancelled.out)).toMatchObject({ status: 'Canceled', state: 'closed' });
}, 30_000);

test('a cancel of an external order is journaled with its request, and its end is read', async () => {
  const txHash = await placeElsewhere();
  const { orderId = '' } = (await run.port.orderByTx(txHash)) ?? {};
  const cancelled = await run.by('orders', 'cancel', String(orderId), '--reason', 'not mine');
  expect(cancelled, cancelled.err).toMatchObject({ code: 0 });
  expect(JSON.parse(cancelled.out)).toMatchObject({ txHash, orderId, side: 'Buy', status: 'Canceled' });
  const { commands, externals } = booksIn(run.state);
  expect([...commands.all].map(({ request }) => request)).toMatchObject([
    { reason: 'not mine', command: { kind: 'cancel', orders: [txHash] } },
  ]);
  expect([externals.cancels.get(txHash)?.kind, [...externals.unaccepted]]).toEqual(['accepted', []]);
  const kinds = entriesIn(run.state).map(({ fact }) => ('event' in fact ? fact.event.kind : fact.kind));
  expect(kinds.indexOf('operator')).toBeLessThan(kinds.indexOf('sent'));
  expect(
    entriesIn(run.state).filter(({ fact }) => fact.kind === 'externalCancel' && fact.request),
  ).toHaveLength(1);
  const again = await run.by('orders', 'cancel', txHash);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('the order has ended')]);
}, 30_000);

test('a manual order whose response is lost is found by the next command, and not sent again', async () => {
  await run.venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'POST /api/v1/orders/send' }],
  });
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  await run.venue.control('/faults', { rules: [] });
  expect(entriesIn(run.state).map(({ fact }) => ('event' in fact ? fact.event.kind : fact.kind))).toContain(
    'lost',
  );
  expect(await place('AAPL', 'buy', '--limit', '99', '--quantity', '1')).toMatchObject({ code: 0 });
  expect(orders()).toMatchObject([{ state: { kind: 'working' } }, { state: { kind: 'working' } }]);
  expect(await run.differences()).toEqual([]);
}, 30_000);

/** A limit order that another program of the same key has placed, by its transaction. */
async function placeElsewhere(): Promise<string> {
  const listings = await run.port.listings();
  const { address } = listings.find(({ instrument }) => instrument.symbol === 'AAPL')?.instrument ?? {};
  if (address === undefined) throw new Error('AAPL is not listed');
  const terms = {
    symbol: ticker('AAPL'),
    stock: address,
    type: 'limit',
    side: 'buy',
    quantity: parseShares('1'),
    price: parsePrice('100'),
  } as const;
  const deadline = epochSeconds(toSeconds(run.venue.clock.now()) + 90);
  const outcome = await run.port.place(terms, { open: () => ({ deadline }), commit: () => undefined });
  if (outcome.kind !== 'accepted') throw new Error(outcome.reason);
  await run.venue.later(20_000);
  return outcome.txHash;
}

const openAtVenue = async () => {
  const { rows } = await run.port.orders({ page: 1, limit: 50 });
  return rows.filter((row) => 'status' in row && row.status === 'open').length;
};

describe('a manual order without a run', () => {
  const refused = async (why: RegExp, ...argv: readonly string[]) => {
    expect(await place(...argv)).toMatchObject({ code: 4, err: expect.stringMatching(why) as string });
    expect(orders()).toEqual([]);
    expect(await openAtVenue()).toBe(0);
  };

  test('is refused by a halt that outlives its run', async () => {
    const halt = { state: 'halted', cause: 'operator', scope: {}, by: 'ann', reason: 'a holiday' } as const;
    run.commit({ kind: 'restricted', ...halt });
    await refused(/trading is halted: a holiday\. Nothing was sent/, ...LIMIT_BUY);
  });

  test('is sent only for sells while trading is reducing', async () => {
    run.commit({
      kind: 'restricted',
      state: 'reducing',
      cause: 'operator',
      scope: {},
      by: 'ann',
      reason: 'late',
    });
    await refused(/trading is reducing: late/, ...LIMIT_BUY);
    expect(await place('AAPL', 'sell', '--market', '--quantity', '0.1')).toMatchObject({ code: 0 });
  }, 30_000);

  test('is refused by a kill file', async () => {
    writeFileSync(join(run.state, 'KILL'), '');
    await refused(/KILL is there, and nothing is sent/, ...LIMIT_BUY);
  });

  test('is refused for a frozen stock', async () => {
    run.commit({ kind: 'frozen', symbol: ticker('AAPL'), why: 'it looks odd' });
    await refused(/AAPL is frozen: it looks odd\. Nothing was sent/, ...LIMIT_BUY);
  });

  test('spends the cash of a strategy only in its name', async () => {
    const { cash: free } = await run.port.account();
    run.commit({ kind: 'allocated', strategyId: 'one', amount: cash(free - parseCash('50')) });
    await refused(/needs 100\.\d+ mUSD, has 50 free\. Nothing was sent/, ...LIMIT_BUY);
    expect(await place(...LIMIT_BUY, '--strategy', 'two')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no strategy two has money here.*one/s) as string,
    });
    expect(await place(...LIMIT_BUY, '--strategy', 'one')).toMatchObject({ code: 0 });
    expect(orders()).toMatchObject([{ id: 'one-2.1', strategyId: 'one', state: { kind: 'working' } }]);
    expect(await run.differences()).toEqual([]);
  }, 30_000);
});

test('a deferred sell needs limits.debt, before anything is planned', async () => {
  const sell = ['AAPL', 'sell', '--market', '--quantity', '1', '--deferred'];
  const strict = accountOf(run.venue, 'one-click', { limits: 'orderNotional: 5000' });
  const deferred = await strict.run(['orders', 'place', ...sell, '--state', run.state, '--yes']);
  expect([deferred.code, deferred.err]).toEqual([4, expect.stringContaining('limits.debt is not set')]);
  expect(orders()).toEqual([]);
  const sold = await place(...sell);
  expect(sold, sold.err).toMatchObject({ code: 0 });
  expect(JSON.parse(sold.out)).toMatchObject({ deferred: true, status: 'Filled' });
  expect(await run.differences()).toEqual([]);
  const repaid = await run.by('debt', 'repay', 'AAPL', '1');
  expect(repaid, repaid.err).toMatchObject({ code: 0 });
}, 30_000);

test('an order with a deposit sends the deposit first, and itself once that is credited', async () => {
  expect(await run.by('wallet', 'approve', 'USDC', '5000')).toMatchObject({ code: 0 });
  const { cash: free } = await run.port.account();
  const notional = formatDecimal(free);
  const buy = ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', notional, '--with-deposit', '200'];
  const refused = await run.by(...buy);
  expect([refused.code, refused.err]).toEqual([
    4,
    expect.stringMatching(/orderNotional\)\. The order was not sent; the deposit before it is done/),
  ]);
  const rich = accountOf(run.venue, 'one-click', { limits: 'orderNotional: 1000000' });
  const bought = await rich.run([...buy, '--state', run.state, '--yes']);
  expect(bought, bought.err).toMatchObject({ code: 0 });
  expect(bought.err).toMatch(/Deposit 200 USDC, then: Place: buy AAPL for/);
  expect(JSON.parse(bought.out)).toMatchObject({ side: 'Buy', status: 'Filled' });
  expect([...booksIn(run.state).commands.all].map(({ request }) => request.command.kind)).toEqual([
    'transfer',
    'order',
    'transfer',
    'order',
  ]);
  expect(await run.differences()).toEqual([]);
}, 60_000);

test('when two commands run at once, one sends and the other names it', async () => {
  const ran = await Promise.all([place(...LIMIT_BUY), place(...LIMIT_BUY)]);
  expect(ran.map(({ code }) => code).sort()).toEqual([0, 4]);
  expect(ran.find(({ code }) => code === 4)?.err).toMatch(/held by drover orders place \(process \d+\)/);
  expect(await openAtVenue()).toBe(1);
}, 30_000);

describe('a folder that is not of this wallet', () => {
  test.each<[what: string, make: () => void, why: RegExp]>([
    [
      'of another wallet',
      () => writeFileSync(join(run.state, 'account'), `0x${'9'.repeat(40)} on chain 143, ProductA\n`),
      /holds the orders of 0x9+ on chain 143/,
    ],
    [
      'of an emulated venue',
      () => mkdirSync(join(run.state, 'emulator')),
      /holds the orders of an emulated venue/,
    ],
    ['whose journal is damaged', () => writeFileSync(journalFile(run.state), 'no database'), /journal/],
  ])(
    '%s sends only a cancel, which says that it is not journaled',
    async (...[, make, why]) => {
      const txHash = await placeElsewhere();
      make();
      const refused = await place(...LIMIT_BUY);
      expect([refused.code === 0, refused.err]).toEqual([false, expect.stringMatching(why)]);
      expect(await openAtVenue()).toBe(1);
      const cancelled = await run.by('orders', 'cancel', txHash);
      expect(cancelled, cancelled.err).toMatchObject({ code: 0 });
      expect(cancelled.err).toMatch(/the cancel is sent without the journal of the run/);
      expect(await openAtVenue()).toBe(0);
    },
    30_000,
  );
});

test.each<[what: string, rule: object, code: number, left: number]>([
  [
    'books and account differ',
    { kind: 'edit', endpoint: 'GET /api/v1/users/{userId}/balance', path: 'data.mUsdBalance', value: '1' },
    0,
    0,
  ],
  [
    'the account cannot be read',
    { kind: 'status', endpoint: 'GET /api/v1/users/{userId}/balance', status: 500, processed: false },
    0,
    0,
  ],
  [
    'One Click is off',
    { kind: 'edit', endpoint: 'GET /api/v1/1ct/status', path: 'data.status', value: 'disabled' },
    2,
    1,
  ],
])(
  'while %s, a cancel of an order of the journal and of an external one',
  async (...[, rule, code, left]) => {
    const { txHash } = JSON.parse((await place(...LIMIT_BUY)).out) as { txHash: string };
    const names = [txHash, await placeElsewhere()];
    await run.venue.control('/faults', { rules: [rule] });
    // Once the result is shown, the run still waits for pending reads.
    const passing = setInterval(run.venue.pass, 20);
    for (const name of names) {
      const cancelled = await run.by('orders', 'cancel', name);
      expect(cancelled, cancelled.err).toMatchObject({ code });
    }
    clearInterval(passing);
    await run.venue.control('/faults', { rules: [] });
    expect(await openAtVenue()).toBe(left * 2);
  },
  60_000,
);
