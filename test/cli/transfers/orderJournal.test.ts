import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cash, parseCash } from '../../../src/core/amount.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { startClosedRun, type ClosedRun } from '../support/closedRun.ts';
import { booksIn, entriesIn } from '../support/stateFolder.ts';

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

test('an order that the journal does not know is cancelled without a journal entry', async () => {
  const placed = await run.account.run(['orders', 'place', ...LIMIT_BUY, '--yes', '--json']);
  const { txHash } = JSON.parse(placed.out) as { txHash: string };
  expect(await run.by('orders', 'cancel', txHash)).toMatchObject({ code: 0 });
  expect([orders(), booksIn(run.state).commands.all]).toEqual([[], []]);
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

test('a deferred sell says in its plan that the journal cannot follow it', async () => {
  const deferred = await place('AAPL', 'sell', '--market', '--quantity', '1', '--deferred');
  expect(deferred).toMatchObject({
    code: 0,
    err: expect.stringMatching(/cannot follow it: the next start reports it/) as string,
  });
  expect(orders()).toEqual([]);
}, 30_000);
