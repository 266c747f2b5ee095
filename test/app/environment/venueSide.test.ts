import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderReport } from '../../../src/domain/venue.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { SENT } from '../../domain/orders.ts';
import { startMovingUser, usdc } from '../../cli/support/movingUser.ts';
import { aapl, link, user } from '../../cli/support/oneUser.ts';
import type { StubRequest } from '../../cli/support/venueStub.ts';

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => {
  one = await startMovingUser();
  Object.assign(one.answers, NOTHING);
});
afterEach(() => one.venue.close());

const none = () => ({ total: 0, rows: [] });
const listOf =
  (...rows: object[]) =>
  () => ({ total: rows.length, rows });
const NOTHING = {
  'GET /api/v1/orders': none,
  'GET /api/v1/cash/deposits': none,
  'GET /api/v1/cash/withdrawals': none,
  'GET /api/v1/stock/deposits': none,
  'GET /api/v1/stock/withdrawals': none,
};
const ORDERS = 'GET /api/v1/orders';
const DEBTS = 'GET /api/v1/deferred-sell/debts';

type Balance = Readonly<{
  mUsdLocked: string | null;
  mUsdQueued: string | null;
  tokens: readonly Record<'address' | 'locked' | 'queued' | 'debt', string | null>[];
  debts: readonly object[] | null;
}>;

async function balances() {
  const shown = JSON.parse((await one.run('balance', '--json')).out) as Balance;
  const [cash, stock] = [usdc, aapl].map((token) => shown.tokens.find(({ address }) => address === token));
  return { ...shown, cash, stock };
}

/** Places by `drover reconcile`, with a journal opened at the account's balances. */
async function reconciled(mUsd = '5000.25', known: readonly JournalEvent[] = []) {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  const [cash, quantity] = [parseCash(mUsd), parseShares('2.5')];
  journal.commit([
    { at: SENT, fact: { kind: 'opened', cash, equity: cash, holdings: [[ticker('AAPL'), quantity]] } },
    ...known.map((fact) => ({ at: SENT, fact })),
  ]);
  journal.close();
  const { out, err } = await one.run('reconcile', '--state', state, '--json');
  expect(err).toBe('');
  type Places = Record<string, { venue: string | null; difference: string | null }>;
  return JSON.parse(out) as { cash: Places; stocks: (Places & { symbol: unknown })[] };
}

const openBuy = (terms: object) => ({
  ...link(1_781_530_060),
  openOrder: { orderId: '0x01', side: 'Buy', type: 'Limit', symbol: 'AAPL', status: 'Pending', ...terms },
});

test('balance and reconcile show nothing locked if nothing is open', async () => {
  const { mUsdLocked, mUsdQueued, cash, stock } = await balances();
  expect([mUsdLocked, mUsdQueued, cash?.queued, stock]).toEqual([
    '0',
    '0',
    '0',
    expect.objectContaining({ locked: '0', queued: '0', debt: '0' }),
  ]);
  expect((await reconciled()).cash).toMatchObject({ locked: { venue: '0' }, queuedOut: { venue: '0' } });
});

test('balance and reconcile show locks as unknown for a link whose order is not shown', async () => {
  one.answers[ORDERS] = listOf(link(1_781_530_060));
  const { mUsdLocked, stock } = await balances();
  expect([mUsdLocked, stock?.locked]).toEqual([null, null]);
  expect((await reconciled()).cash['locked']).toMatchObject({ venue: null });
});

test('balance and reconcile show cash locks as unknown for an open order that does not show its lock', async () => {
  one.answers[ORDERS] = listOf(openBuy({ placeQuantity: '3', placePrice: '210' }));
  expect((await balances()).mUsdLocked).toBeNull();
  expect((await reconciled()).cash['locked']).toMatchObject({ venue: null });
});

test('balance and reconcile show stock that is being deposited as on its way', async () => {
  const stockOperation = {
    operationId: '0x01',
    status: 'processing',
    amount: 1.5,
    tokenAddress: aapl,
    stockSymbol: 'AAPL',
  };
  const row = {
    ...link(1_781_530_060),
    status: 'processing',
    operationType: 'stock_deposit',
    stockOperation,
  };
  one.answers['GET /api/v1/stock/deposits'] = listOf(row);
  const { cash, stock } = await balances();
  expect([cash?.queued, stock?.queued]).toEqual(['0', '1.5']);
  expect((await reconciled()).stocks[0]).toMatchObject({ symbol: 'AAPL', queuedIn: { venue: '1.5' } });
});

test('balance counts each waiting withdrawal once, whatever the page size', async () => {
  const operation = { operationId: '0x01', status: 'processing', tokenAddress: usdc, creditAmount: 2 };
  const waiting = Array.from({ length: 60 }, (_, index) => ({
    ...link(1_781_530_060),
    txHash: `0x${String(index).padStart(64, '0')}`,
    withdrawalOperation: operation,
  }));
  one.answers['GET /api/v1/cash/withdrawals'] = ({ query }: StubRequest) => {
    const from = 25 * (Number(query.get('page')) - 1);
    return { total: 60, rows: waiting.slice(from, from + 25) };
  };
  expect((await balances()).mUsdQueued).toBe('120');
  const last = waiting.at(-1)?.txHash ?? '';
  const { code, out } = await one.run('cash', 'show', last, '--json');
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ txHash: last, credit: '2' })]);
});

test('balance and reconcile show only stock deposits as unknown for a deposit that is only a link', async () => {
  one.answers['GET /api/v1/stock/deposits'] = listOf({ ...link(1_781_530_060), status: 'pending' });
  const { mUsdQueued, cash, stock } = await balances();
  expect([mUsdQueued, cash?.queued, stock?.queued]).toEqual(['0', '0', null]);
  const sides = await reconciled();
  expect(sides.stocks[0]).toMatchObject({ queuedIn: { venue: null }, queuedOut: { venue: '0' } });
  expect(sides.cash['queuedOut']).toMatchObject({ venue: '0' });
});

test('balance and reconcile show all debts as unknown if one cannot be read', async () => {
  one.answers[DEBTS] = () => [{ stockAddress: aapl, stockSymbol: 'AAPL', debtQuantity: 'much' }];
  const { debts, stock } = await balances();
  expect([debts, stock?.debt]).toEqual([null, null]);
  expect((await reconciled()).stocks[0]).toMatchObject({ debt: { venue: null } });
});

test('a debt without a symbol is in the stock of its contract', async () => {
  one.answers[DEBTS] = () => [{ stockAddress: aapl, debtQuantity: '2' }];
  const { debts, stock } = await balances();
  expect([debts, stock?.debt]).toEqual([[{ symbol: aapl, quantity: '2' }], '2']);
});

test('debt repay is refused while the debts cannot be read', async () => {
  one.answers[DEBTS] = () => [{ stockAddress: aapl, stockSymbol: 'AAPL', debtQuantity: 'much' }];
  const { code, err } = await one.run('debt', 'repay', 'AAPL', '1', '--yes');
  expect([code, one.sends()]).toEqual([3, []]);
  expect(err).toContain('a debt cannot be read');
});

test('debt list says how many rows could not be read', async () => {
  const owed = { stockAddress: aapl, stockSymbol: 'AAPL', debtQuantity: '2' };
  one.answers[DEBTS] = () => [owed, { ...owed, debtQuantity: 'much' }];
  const { out, err } = await one.run('debt', 'list', '--json');
  expect(JSON.parse(out)).toEqual([{ symbol: 'AAPL', quantity: '2' }]);
  expect(err).toContain('1 of 2 rows could not be read');
});

test('reconcile finds no difference for the lock of an external order that the journal knows', async () => {
  const terms = { placeQuantity: '3', placePrice: '210', pay: '630' };
  one.answers[ORDERS] = listOf({ ...openBuy(terms), createTime: SENT / 1000 });
  const report: OrderReport = {
    txHash: link(0).txHash,
    orderId: '0x01',
    status: 'open',
    rawStatus: 'Pending',
    createdAt: SENT,
    terms: {
      symbol: ticker('AAPL'),
      side: 'buy',
      type: 'limit',
      quantity: parseShares('3'),
      notional: null,
      price: parsePrice('210'),
    },
    locked: parseCash('630'),
    settlement: null,
  };
  const known: JournalEvent = { kind: 'external', txHash: report.txHash, report, why: 'open' };
  const { cash } = await reconciled('5630.25', [known]);
  expect(cash).toMatchObject({ free: { difference: '0' }, locked: { venue: '630', difference: '0' } });
});

test('doctor fails for an account with a position that cannot be read', async () => {
  one.answers[`GET /api/v1/users/${user}/positions`] = () => [{ isStock: true, stockSymbol: 'AAPL' }];
  const { out } = await one.run('doctor');
  expect(out).toMatch(/fail\s+balance\s.*a position cannot be read/);
});
