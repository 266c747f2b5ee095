import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emulatorFolder, journalFile } from '../../../../src/app/environment/ownership.ts';
import { parseCash } from '../../../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../../../src/core/brand.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import type { TransferEvent } from '../../../../src/domain/transfers/transfer.ts';
import { anOperation, opId, USDC } from '../../../domain/operations.ts';
import { anOrder, aReport, DEADLINE, id, SENT, TX } from '../../../domain/orders.ts';
import { drover } from '../../support/commandLine.ts';
import { link, startOneUser, user } from '../../support/oneUser.ts';
import { booksIn, stateSaying } from '../../support/stateFolder.ts';
import type { OrderEvent } from '../../../../src/domain/orders/order.ts';

const ORDER = 'w1.1';
const sent: OrderEvent = { kind: 'sent', at: SENT, deadline: DEADLINE };
const lost: OrderEvent = { kind: 'lost', reason: 'reset' };

/** The state folder of a run that placed an order with these known `events`. */
const stateWith = (events: readonly OrderEvent[], more: readonly JournalEvent[] = [], at = SENT): string =>
  stateSaying(
    [
      { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
      { kind: 'planned', order: anOrder({ plannedAt: at }) },
      ...events.map((event): JournalEvent => ({ kind: 'order', id: id(ORDER), event })),
      ...more,
    ],
    { at },
  );

const stateOf = (state: string) => booksIn(state).order(id(ORDER)).state.kind;

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
  one.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  one.writeConfig('', { mode: 'live' });
});
afterEach(() => one.venue.close());

const resolve = (state: string, ...more: string[]) =>
  one.run('orders', 'resolve', ORDER, '--state', state, ...more);
const lists = () => one.sent().filter((request) => request === 'GET /api/v1/orders').length;

/** A row of the order list that shows the terms of the order. */
const placed = (more: object = {}) => ({
  ...link(SENT / 1000),
  txHash: `0x${'e'.repeat(64)}`,
  status: 'Open',
  openOrder: {
    orderId: `0x${'f'.repeat(64)}`,
    userAddress: user,
    side: 'Buy',
    type: 'Limit',
    tif: 'DAY',
    symbol: 'AAPL',
    placeQuantity: '10',
    placePrice: '100',
    pay: '1001.1',
    status: 'placing',
  },
  ...more,
});

describe('resolve of an unknown order', () => {
  test('closes it as never placed when two complete order lists and the balances show nothing of it', async () => {
    const state = stateWith([sent, lost]);
    const shown = await resolve(state);
    expect([shown.code, shown.err]).toEqual([0, '']);
    expect(shown.out).toMatch(/order w1\.1 of alpha.*buy 10 AAPL/);
    expect(shown.out).toMatch(/--yes/);
    expect([stateOf(state), lists()]).toEqual(['unknown', 2]);

    const closed = await resolve(state, '--yes', '--json');
    expect(JSON.parse(closed.out)).toMatchObject({ order: ORDER, strategy: 'alpha', resolved: true });
    expect(booksIn(state).order(id(ORDER)).state).toMatchObject({ kind: 'neverExisted', assumed: true });
    expect(lists()).toBe(4);
    const again = await resolve(state, '--yes');
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('is neverExisted')]);
    expect(one.sent().every((request) => request.startsWith('GET '))).toBe(true);
  });

  test('needs the same two lists if its run ended without a response', async () => {
    const state = stateWith([sent]);
    one.answers['GET /api/v1/orders'] = () => ({ total: 3, rows: [] });
    expect((await resolve(state, '--yes')).code).toBe(4);
    expect(stateOf(state)).toBe('unknown');
    one.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
    const before = lists();
    expect((await resolve(state, '--yes')).code).toBe(0);
    expect([stateOf(state), lists() - before]).toEqual(['neverExisted', 2]);
  });

  test('is refused before its deadline has passed by a minute', async () => {
    const now = epochMs(Date.now());
    const deadline = epochSeconds(Math.floor(now / 1000) + 30);
    const state = stateWith([{ kind: 'sent', at: now, deadline }, lost], [], now);
    const { code, err } = await resolve(state, '--yes');
    expect([code, err]).toEqual([4, expect.stringMatching(/its deadline, .*Z, has not passed by a minute/)]);
    expect(stateOf(state)).toBe('unknown');
  });

  test('is refused while the order list is not complete', async () => {
    const state = stateWith([sent, lost]);
    one.answers['GET /api/v1/orders'] = () => ({ total: 3, rows: [] });
    const { code, err } = await resolve(state, '--yes');
    expect([code, err]).toEqual([4, expect.stringContaining('the venue could not be read completely')]);
    expect(stateOf(state)).toBe('unknown');
  });

  test('is refused if the venue shows the order', async () => {
    const state = stateWith([sent, lost]);
    one.answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [placed()] });
    const { code, err } = await resolve(state, '--yes');
    expect([code, err]).toEqual([4, expect.stringMatching(/found at the venue.*the next start/)]);
    expect(stateOf(state)).toBe('working');
  });

  test('is refused while a row of the list may be the order', async () => {
    const state = stateWith([sent, lost]);
    one.answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [placed({ openOrder: { side: 'Hm' } })] });
    const { code, err } = await resolve(state, '--yes');
    expect([code, err]).toEqual([4, expect.stringContaining('a row of the order list may be it')]);
    expect(stateOf(state)).toBe('unknown');
  });

  test('is refused while the balances look as if the order had filled', async () => {
    const state = stateWith([sent, lost]);
    const balance = one.answers[`GET /api/v1/users/${user}/balance`];
    one.answers[`GET /api/v1/users/${user}/balance`] = (request) => ({
      ...(balance?.(request) as object),
      mUsdBalance: '3999.15',
    });
    const { code, err } = await resolve(state, '--yes');
    expect([code, err]).toEqual([4, expect.stringMatching(/balances do not agree .*drover reconcile/)]);
    expect(stateOf(state)).toBe('unknown');
  });
});

test('resolve of a claimed end that the account does not confirm reads the account again, and closes the order', async () => {
  const report = aReport({ status: 'rejected', rawStatus: 'Rejected' });
  const claim: OrderEvent = { kind: 'endClaimed', at: SENT, end: { kind: 'reported', report } };
  const state = stateWith([sent, { kind: 'accepted', txHash: TX }, claim]);
  const balance = one.answers[`GET /api/v1/users/${user}/balance`];
  one.answers[`GET /api/v1/users/${user}/balance`] = (request) => ({
    ...(balance?.(request) as object),
    mUsdBalance: '3999.15',
  });
  const closed = await resolve(state, '--yes');
  expect([closed.code, closed.err]).toEqual([0, '']);
  expect(closed.out).toContain('closed as the venue says');
  expect([stateOf(state), lists()]).toEqual(['closed', 2]);
});

describe('resolve of an unknown transfer', () => {
  const operation = anOperation();
  const begun = (...events: TransferEvent[]): JournalEvent[] => [
    { kind: 'walletOpened', tokens: [[USDC, 500n]], stocks: [] },
    { kind: 'transferPlanned', transfer: operation },
    ...events.map((event): JournalEvent => ({ kind: 'transfer', id: opId(1), event })),
  ];
  const word = (state: string) => one.run('orders', 'resolve', 'op-1', '--state', state, '--yes');
  const unanswered = begun({ kind: 'sent', at: SENT }, { kind: 'lost', reason: 'reset' });
  const token = { address: USDC, symbol: 'USDC', isStock: false, decimals: 18, exchangeBalance: '0' };
  const stateOfIt = (state: string) => booksIn(state).transfers.of(opId(1)).state.kind;

  /** Wallet balance of the token of the deposit. */
  function holding(walletBalance: string) {
    const path = `GET /api/v1/users/${user}/balance`;
    const balance = one.answers[path];
    one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 0, rows: [] });
    one.answers[path] = (request) => ({
      ...(balance?.(request) as object),
      tokenBalances: [{ ...token, walletBalance }],
    });
  }

  test('closes it as never carried out when lists and wallet show nothing of it', async () => {
    holding('0.0000000000000005');
    const state = stateWith([], unanswered);
    const { code, err, out } = await word(state);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/op-1 of the treasury.*deposit .* cash[^]*closed as never carried out/);
    expect(stateOfIt(state)).toBe('neverExisted');
  });

  test('is refused if the wallet has less than without the transfer', async () => {
    holding('0.0000000000000004');
    const state = stateWith([], unanswered);
    const { code, err } = await word(state);
    expect([code, err]).toEqual([4, expect.stringMatching(/balances do not agree .*drover reconcile/)]);
    expect(stateOfIt(state)).toBe('unknown');
  });

  test('is refused while a row of the list may be the transfer', async () => {
    holding('0.0000000000000005');
    const row = { ...link(SENT / 1000), operationType: 'deposit', status: 'Pending' };
    one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 1, rows: [{ mapping: row, ...row }] });
    const state = stateWith([], unanswered);
    const { code, err } = await word(state);
    expect([code, err]).toEqual([4, expect.stringContaining('do not show twice that there is nothing')]);
    expect(stateOfIt(state)).toBe('unknown');
  });
});

test('resolve of a missing order, or without a journal, says so', async () => {
  const state = stateWith([sent, lost]);
  const missing = await one.run('orders', 'resolve', 'solo-9.1', '--state', state);
  expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/no order solo-9\.1/)]);
  const empty = await resolve(mkdtempSync(join(tmpdir(), 'drover-')));
  expect(empty.err).toMatch(/there is no journal in/);
});

test('a damaged journal stops a run before anything is opened', async () => {
  const state = stateWith([sent, lost]);
  writeFileSync(journalFile(state), Buffer.alloc(8_192, 'x'));
  mkdirSync(emulatorFolder(state));
  const run = await drover(['run', '--state', state, '--speed', 'max', '--until', 'close']);
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/damaged/);
});
