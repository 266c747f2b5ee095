import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dormantKernel, readVenueOnce } from '../../../src/cli/environment/operatorSession.ts';
import { openCancelJournal } from '../../../src/cli/transfers/cancelJournal.ts';
import { HandJournal } from '../../../src/cli/transfers/handJournal.ts';
import { openOrderJournal } from '../../../src/cli/transfers/orderJournal.ts';
import { cash, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs, epochSeconds, toSeconds } from '../../../src/core/brand.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderTerms, SendGate } from '../../../src/domain/venue.ts';
import { startClosedRun, type ClosedRun } from '../support/closedRun.ts';
import { booksIn, entriesIn } from '../support/stateFolder.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

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

test('orders by hand without a run are of its journal, with who and why, and no difference', async () => {
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

test('a cancel by hand without a run is of the journal, with who and why, and its end is read', async () => {
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

test('a cancel by hand whose answer is lost is in the journal, and the next look finds its end', async () => {
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  await run.venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'DELETE /api/v1/orders/{orderId}/send' }],
  });
  const [order] = orders();
  const venueId = order && 'venueId' in order.state ? String(order.state.venueId) : '';
  expect(await run.by('orders', 'cancel', venueId)).toMatchObject({ code: 3 });
  expect(orders()).toMatchObject([{ cancel: { kind: 'unknown' } }]);
  await run.venue.control('/faults', { rules: [] });
  await run.venue.later(60_000);
  expect(await run.by('orders', 'cancel', venueId)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/ended/) as string,
  });
  await start();
  expect(orders()).toMatchObject([{ state: { kind: 'closed', how: 'cancelled' } }]);
  expect(await run.differences()).toEqual([]);
}, 30_000);

test('a cancel by hand whose process is killed as it leaves is known to the journal', async () => {
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
  const [order] = orders();
  const venueId = order && 'venueId' in order.state ? String(order.state.venueId) : '';
  const parts = { loaded: run.loaded(), clock: run.venue.clock, venue: run.port, transferPort: run.port };
  const journal = await openCancelJournal({ venueId, reason: 'too dear' }, parts);
  const deadline = epochSeconds(toSeconds(run.venue.clock.now()) + 120);
  const gate: SendGate = { open: () => ({ deadline }), commit: kill };
  await expect(journal?.through((own) => run.port.cancel(venueId, own))(gate)).rejects.toBeInstanceOf(Killed);
  journal?.close();
  expect(orders()).toMatchObject([{ cancel: { kind: 'sent', deadline } }]);
}, 30_000);

test('an order that is none of the journal is cancelled without it', async () => {
  const placed = await run.account.run(['orders', 'place', ...LIMIT_BUY, '--yes', '--json']);
  const { txHash } = JSON.parse(placed.out) as { txHash: string };
  const before = entriesIn(run.state).length;
  expect(await run.by('orders', 'cancel', txHash)).toMatchObject({ code: 0 });
  expect(entriesIn(run.state)).toHaveLength(before);
}, 30_000);

test('an answer that is lost leaves it unknown: looked for, found, and not sent again before that', async () => {
  await run.venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'POST /api/v1/orders/send' }],
  });
  expect(await place(...LIMIT_BUY)).toMatchObject({ code: 3 });
  await run.venue.control('/faults', { rules: [] });
  expect(orders()).toMatchObject([{ state: { kind: 'unknown' } }]);
  await run.venue.later(60_000);
  expect(await place('AAPL', 'buy', '--limit', '99', '--quantity', '1')).toMatchObject({ code: 0 });
  expect(orders()).toMatchObject([{ state: { kind: 'working' } }, { state: { kind: 'working' } }]);
  expect(await run.differences()).toEqual([]);
}, 30_000);

const BUY: OrderTerms = {
  symbol: ticker('AAPL'),
  stock: '0x',
  type: 'limit',
  side: 'buy',
  quantity: parseShares('1'),
  price: parsePrice('100'),
};

/** Moments at which a process is killed: the order is planned, has passed its gate, is committed as sent, has left. */
type Moment = 'planned' | 'permitted' | 'sent' | 'left';

/** Effect of `kill -9` on a process: nothing more of it is written. */
class Killed extends Error {}
const kill = (): never => {
  throw new Killed();
};

/** Places an order by hand, in a process that is killed at a moment. */
async function killedAt(moment: Moment): Promise<void> {
  const { loaded, port, venue } = run;
  const listings = await port.listings();
  const stock = listings.find(({ instrument }) => instrument.symbol === BUY.symbol)?.instrument.address;
  const terms = { ...BUY, stock: stock ?? BUY.stock };
  const parts = { loaded: loaded(), clock: venue.clock, venue: port, transferPort: port };
  const journal = await openOrderJournal({ terms, reason: 'a good price' }, parts);
  const gate: SendGate = {
    open: (prepared) =>
      moment === 'permitted'
        ? kill()
        : { deadline: prepared ?? epochSeconds(toSeconds(venue.clock.now()) + 120) },
    commit: () => undefined,
  };
  const send = journal?.through(async (own) => {
    if (moment === 'planned') kill();
    if (moment === 'left') await port.place(terms, own);
    else {
      own.open();
      own.commit({
        method: 'POST',
        uri: '/api/v1/orders/send',
        timestamp: venue.clock.now(),
        nonce: 'n',
        body: '{}',
      });
    }
    return kill();
  });
  venue.pass();
  await expect(send?.(gate)).rejects.toBeInstanceOf(Killed);
  venue.stand();
  journal?.close();
}

/** Outcome of a start: every order that was not sent is dropped, every one that was is looked for. */
async function start(): Promise<void> {
  const { loaded, port, venue } = run;
  const access = { venue: port, transferPort: port, clock: venue.clock };
  await HandJournal.open(
    { loaded: loaded(), clock: venue.clock },
    () => true,
    async (journal) => {
      journal.take({ kind: 'recovered' });
      await readVenueOnce(access, journal.kernel, journal.take);
      journal.commit();
      journal.close();
    },
  );
}

const openAtVenue = async () => {
  const { rows } = await run.port.orders({ page: 1, limit: 50 });
  return rows.filter((row) => 'status' in row && row.status === 'open').length;
};

describe('a process that is killed', () => {
  test.each(['planned', 'permitted'] as const)(
    'before the first byte (%s) has sent nothing, and no start does',
    async (moment) => {
      await killedAt(moment);
      expect(orders()).toMatchObject([{ id: 'hand-1.1', state: { kind: 'planned' } }]);
      await start();
      expect(orders()).toMatchObject([{ state: { kind: 'abandoned' } }]);
      expect(booksIn(run.state).intents.size).toBe(0);
      expect(await openAtVenue()).toBe(0);
      expect(await run.differences()).toEqual([]);
    },
    30_000,
  );

  test('with the request committed leaves it unknown until its absence is known, and nothing of its side is sent', async () => {
    await killedAt('sent');
    expect(orders()).toMatchObject([{ state: { kind: 'sent' } }]);
    expect(await openAtVenue()).toBe(0);
    const before = entriesIn(run.state);
    expect(await place(...LIMIT_BUY)).toMatchObject({
      code: 4,
      err: expect.stringMatching(
        /order hand-1\.1 .* is unknown by the journal.*drover resolve hand-1\.1.*Nothing was sent/s,
      ) as string,
    });
    expect(entriesIn(run.state)).toEqual(before);
    await start();
    expect(orders()).toMatchObject([{ state: { kind: 'unknown' } }]);
    await run.venue.later(300_000);
    expect(await run.by('resolve', 'hand-1.1', '--reason', 'no such order there')).toMatchObject({ code: 0 });
    expect(orders()).toMatchObject([{ state: { kind: 'neverExisted' } }]);
    expect(await place(...LIMIT_BUY)).toMatchObject({ code: 0 });
    expect(await run.differences()).toEqual([]);
  }, 30_000);

  test('after the bytes have left finds its order by its terms, and it is no external one', async () => {
    await killedAt('left');
    expect(orders()).toMatchObject([{ state: { kind: 'sent' } }]);
    await run.venue.later(60_000);
    await start();
    expect(orders()).toMatchObject([{ state: { kind: 'working' } }]);
    expect(booksIn(run.state).externals.all.size).toBe(0);
    expect(await run.differences()).toEqual([]);
  }, 30_000);
});

describe('journal and venue decide before anything is written', () => {
  const refused = async (why: RegExp, ...argv: readonly string[]) => {
    const before = entriesIn(run.state);
    expect(await place(...argv)).toMatchObject({ code: 4, err: expect.stringMatching(why) as string });
    expect(entriesIn(run.state)).toEqual(before);
    expect(await openAtVenue()).toBe(0);
  };

  test('a halt that outlives its run stops orders by hand too', async () => {
    const halt = { state: 'halted', cause: 'operator', scope: {}, by: 'ann', reason: 'a holiday' } as const;
    run.commit({ kind: 'restricted', ...halt });
    await refused(/trading is halted: a holiday\. Nothing was sent/, ...LIMIT_BUY);
  });

  test('while trading is reducing, only sells are sent', async () => {
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

  test('a kill file stops an order by hand too', async () => {
    writeFileSync(join(run.state, 'KILL'), '');
    await refused(/KILL is there, and nothing is sent/, ...LIMIT_BUY);
  });

  test('a frozen stock takes no order', async () => {
    run.commit({ kind: 'frozen', symbol: ticker('AAPL'), why: 'it looks odd' });
    await refused(/AAPL is frozen: it looks odd\. Nothing was sent/, ...LIMIT_BUY);
  });

  test('money of a strategy is spent only in its name', async () => {
    const { cash: free } = await run.port.account();
    run.commit({ kind: 'allocated', strategyId: 'one', amount: cash(free - parseCash('50')) });
    await refused(/unallocated needs 100\.\d+ mUSD, has 50 free\. Nothing was sent/, ...LIMIT_BUY);
    expect(await place(...LIMIT_BUY, '--strategy', 'two')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no strategy two has money here.*one/s) as string,
    });
    expect(await place(...LIMIT_BUY, '--strategy', 'one')).toMatchObject({ code: 0 });
    expect(orders()).toMatchObject([{ id: 'one-1.1', strategyId: 'one', state: { kind: 'working' } }]);
    expect(await run.differences()).toEqual([]);
  }, 30_000);
});

test('planned outside the session and never sent, it does not wait for the open', () => {
  const sunday = epochMs(Date.parse('2026-06-14T15:00:00Z'));
  const kernel = dormantKernel();
  const opened = { kind: 'opened', cash: parseCash('500'), equity: parseCash('500'), holdings: [] } as const;
  const before = [{ kind: 'epoch', epoch: 1 } as const, opened].map((fact) => ({ at: sunday, fact }));
  kernel.recover(before);
  const terms = { ...BUY, stock: '0x' } as const;
  const { side, quantity, price } = BUY;
  const command = {
    kind: 'order',
    symbol: BUY.symbol,
    terms: { kind: 'limit', side, quantity, price, goodTill: 'day' },
  } as const;
  const { facts } = kernel.handle(
    { kind: 'sendAlone', id: 'c' as CommandId, by: 'ann', reason: 'cheap', command, terms },
    sunday,
  );
  const next = dormantKernel();
  next.recover([...before, ...facts]);
  expect(next.context.accountState.intents.size).toBe(1);
  next.handle({ kind: 'recovered' }, epochMs(sunday + 60_000));
  expect(next.context.accountState.intents.size).toBe(0);
});

test('an order that the books have no place for says so in its plan', async () => {
  const deferred = await place('AAPL', 'sell', '--market', '--quantity', '1', '--deferred');
  expect(deferred).toMatchObject({
    code: 0,
    err: expect.stringMatching(/cannot follow it: the next start reports it/) as string,
  });
  expect(orders()).toEqual([]);
}, 30_000);
