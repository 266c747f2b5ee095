import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createVenueClient, type VenueClient } from '../../../../src/api/client.ts';
import { createVenue } from '../../../../src/api/venue.ts';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { cash, formatDecimal, parseCash, parseShares } from '../../../../src/core/amount.ts';
import { epochSeconds } from '../../../../src/core/brand.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import { ticker, type Address } from '../../../../src/domain/instrument.ts';
import type { TransferEvent, TransferPort } from '../../../../src/domain/transfers/transfer.ts';
import type { OrderId, OrderEvent } from '../../../../src/domain/orders/order.ts';
import type { OrderTerms, Venue } from '../../../../src/domain/venue.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { anOrder, limitBuy, limitSell, SENT } from '../../../domain/orders.ts';
import { anOperation } from '../../../domain/operations.ts';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';
import { startOneUser } from '../../support/oneUser.ts';

type Cell = Record<'ledger' | 'expected' | 'venue' | 'difference', string | null> & { explainable: boolean };
type Sides = Readonly<{
  clean: boolean;
  cash: Record<string, Cell>;
  tokens: ({ token: string } & Record<string, Cell | string>)[];
  stocks: ({ symbol: string } & Record<string, Cell | string>)[];
  orders: Record<string, string | null>[];
  differences: string[];
}>;

const AAPL = ticker('AAPL');
const MSFT = ticker('MSFT');
const IN_MS = 600_000;

let emulated: Emulated;
let client: VenueClient;
let venue: Venue & TransferPort;
let account: ReturnType<typeof accountOf>;
let opening: JournalEvent[];

beforeAll(async () => {
  emulated = await startEmulated(93);
  const { info, clock } = emulated;
  account = accountOf(emulated, 'one-click');
  const own = info.accounts.find(({ userAddress }) => userAddress === account.user);
  const key = own?.keys.find(({ access }) => access === 'WRITABLE');
  const { baseUrl, chainId, product } = info;
  client = createVenueClient({
    baseUrl,
    chainId,
    product,
    clock,
    apiKey: key?.apiKey ?? '',
    secret: key?.secret ?? '',
  });
  venue = createVenue(client, { userAddress: account.user });
});
afterAll(async () => {
  await client.close();
  await emulated.close();
});
beforeEach(async () => {
  opening = openingOf(await venue.account(), await venue.debts());
});

const move = (asset: string, amount: string, bucket = 'exchange') =>
  emulated.control('/move', { userAddress: account.user, asset, amount, bucket });

/** Balances that a run starting now takes into its ledger. */
function openingOf(
  { cash: mUsd, holdings, tokens = new Map() }: Awaited<ReturnType<Venue['account']>>,
  debts: Awaited<ReturnType<TransferPort['debts']>>,
): JournalEvent[] {
  const at = (place: 'exchange' | 'wallet') =>
    [...holdings].map(([symbol, amounts]) => [symbol, amounts[place]] as const);
  return [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash: mUsd, equity: mUsd, holdings: at('exchange') },
    { kind: 'walletOpened', tokens: [...tokens], stocks: at('wallet') },
    { kind: 'debtsOpened', debts: [...debts] },
  ];
}

function stateWith(facts: readonly JournalEvent[]): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  journal.commit(facts.map((fact) => ({ at: SENT, fact })));
  journal.close();
  return state;
}

/** `drover reconcile --json`, and the account as the venue itself states it. */
async function reconciled(facts: readonly JournalEvent[]): Promise<Sides & { code: number }> {
  const { code, out, err } = await account.run(['reconcile', '--state', stateWith(facts)]);
  expect(err).toBe('');
  const sides = JSON.parse(out) as Sides;
  const shown = await venue.account();
  expect(sides.cash['free']?.venue).toBe(formatDecimal(shown.cash));
  for (const { symbol, free } of sides.stocks)
    expect((free as Cell).venue).toBe(formatDecimal(shown.holdings.get(ticker(symbol))?.exchange ?? 0n));
  return { code, ...sides };
}

const cell = (ledger: string, { expected = ledger, ...more }: Partial<Cell> = {}) => ({
  ledger,
  expected,
  venue: expected,
  difference: '0',
  explainable: false,
  ...more,
});
/** By what is under way. */
const shifted = (difference: string) => ({ difference, explainable: true });
const stock = ({ stocks }: Sides, symbol: string) => stocks.find((row) => row.symbol === symbol);
const less = (a: string, b: string) => formatDecimal(parseCash(a) - parseCash(b));
const cashBefore = () => {
  const opened = opening[1];
  return opened?.kind === 'opened' ? formatDecimal(opened.cash) : '';
};

/** An open order at the venue, and the journal events by which a run knows it. */
async function resting(side: 'buy' | 'sell', number: number): Promise<JournalEvent[]> {
  const price = side === 'buy' ? '50' : '900';
  const placed = await account.run([
    'orders',
    'place',
    'AAPL',
    side,
    '--limit',
    price,
    '--quantity',
    '3',
    '--yes',
  ]);
  expect(placed.err).toContain('sent');
  const { txHash } = JSON.parse(placed.out) as { txHash: string };
  const report = await venue.orderByTx(txHash);
  if (!report?.locked) throw new Error('nothing is locked');
  const terms: OrderTerms = (side === 'buy' ? limitBuy : limitSell)('3', price);
  const reserve = side === 'buy' ? report.locked + parseCash('1') : report.locked;
  const id = `w${number}.1` as OrderId;
  const events: OrderEvent[] = [
    { kind: 'sent', at: SENT, deadline: epochSeconds(SENT / 1000 + 90) },
    { kind: 'accepted', txHash },
    { kind: 'reported', report },
  ];
  return [
    { kind: 'planned', order: anOrder({ id, intentId: `w${number}`, strategyId: '', terms, reserve }) },
    ...events.map((event): JournalEvent => ({ kind: 'order', id, event })),
  ];
}

describe('drover reconcile with an emulator', { timeout: IN_MS }, () => {
  test('finds no difference at rest', async () => {
    const sides = await reconciled(opening);
    expect(sides).toMatchObject({ code: 0, clean: true, orders: [], differences: [] });
    expect(sides.cash).toEqual({ free: cell(cashBefore()), locked: cell('0'), queuedOut: cell('0') });
    expect(stock(sides, 'AAPL')).toMatchObject({ free: cell('100'), locked: cell('0'), debt: cell('0') });
    expect(sides.tokens).toHaveLength(1);
    expect((sides.tokens[0]?.['wallet'] as Cell).venue).not.toBe('0');
  });

  test('finds as much locked by open orders as the ledger has reserved for them', async () => {
    const orders = [...(await resting('buy', 1)), ...(await resting('sell', 2))];
    const sides = await reconciled([...opening, ...orders]);
    const locked = sides.cash['locked']?.venue ?? '';
    expect(Number(locked)).toBeGreaterThan(150);
    expect(sides).toMatchObject({ code: 0, differences: [], orders: [{ venue: 'open' }, { venue: 'open' }] });
    const reserved = formatDecimal(parseCash(locked) + parseCash('1'));
    const [ledger, free] = [less(cashBefore(), reserved), less(cashBefore(), locked)];
    expect(sides.cash).toMatchObject({
      free: cell(ledger, { expected: free }),
      locked: cell(reserved, { expected: locked }),
    });
    expect(stock(sides, 'AAPL')).toMatchObject({ free: cell('97'), locked: cell('3') });

    const foreign = await reconciled([...opening, ...orders.slice(0, 4)]);
    expect(foreign.code).toBe(1);
    expect(foreign.differences).toEqual([
      'AAPL free: the ledger expects 100, the venue has 97',
      'AAPL locked: the ledger expects 0, the venue has 3',
      expect.stringMatching(/^order 0x.* \(sell AAPL\): not ours in the journal, open at the venue$/),
    ]);
    for (const { txHash } of foreign.orders.map(({ order }) => ({ txHash: order ?? '' })))
      if (txHash.startsWith('0x')) await account.run(['orders', 'cancel', txHash, '--yes']);
    const [bought] = orders.flatMap((fact) =>
      fact.kind === 'order' && fact.event.kind === 'accepted' ? [fact.event.txHash] : [],
    );
    await account.run(['orders', 'cancel', bought ?? '', '--yes']);
  });

  test('shows a queued withdrawal on its way out of the venue', async () => {
    await emulated.control('/cashier', { withdrawalBuffer: '0' });
    const drawn = await account.run(['cash', 'withdraw', '200', '--yes', '--no-wait']);
    const { txHash } = JSON.parse(drawn.out) as { txHash: string };
    await emulated.later(30_000);
    const [row] = (await venue.transfers('cashWithdrawal', { page: 1, limit: 1 })).rows;
    if (!row || 'unreadable' in row || !row.moved) throw new Error('no withdrawal');
    expect([row.status, row.txHash]).toEqual(['processing', txHash]);
    const terms = { kind: 'cashWithdrawal', token: row.moved.token, amount: row.moved.amount } as const;
    const operation = anOperation({ terms, value: cash(row.moved.amount) });
    const events: TransferEvent[] = [
      { kind: 'sent', at: SENT },
      { kind: 'accepted', txHash },
      { kind: 'reported', report: row },
    ];
    const known: JournalEvent[] = events.map((event) => ({ kind: 'transfer', id: operation.id, event }));
    const planned: JournalEvent = { kind: 'transferPlanned', transfer: operation };
    const sides = await reconciled([...opening, planned, ...known]);
    expect(sides).toMatchObject({ code: 0, differences: [] });
    const free = less(cashBefore(), '200');
    expect(sides.cash).toMatchObject({ free: cell(free), queuedOut: cell('200') });

    const unseen = await reconciled([...opening, planned, ...known.slice(0, 2)]);
    expect(unseen.code).toBe(1);
    expect(unseen.cash).toMatchObject({
      free: cell(free, { expected: cashBefore(), venue: free, ...shifted('-200') }),
      queuedOut: cell('200', { expected: '0', venue: '200', ...shifted('200') }),
    });
    const foreign = await reconciled(opening);
    expect(foreign.cash['queuedOut']).toEqual(cell('0', { venue: '200', difference: '200' }));
    await emulated.later(300_000);
    const settled = await reconciled([...opening, planned, ...known]);
    expect(settled.cash['queuedOut']).toEqual(cell('200', { venue: '0', ...shifted('-200') }));
    const token = settled.tokens.find((one) => one.token === terms.token);
    expect(token?.['wallet']).toMatchObject({ difference: '199.58', explainable: true });
  });

  test('shows the debts of deferred sells, and compares them once the ledger has debts', async () => {
    await move('MSFT', '2', 'debt');
    const later = await reconciled(opening);
    expect(later.differences).toEqual(['MSFT owed: the ledger expects 0, the venue has 2']);
    const unopened = await reconciled(opening.slice(0, 3));
    expect(unopened.code).toBe(0);
    expect(stock(unopened, 'MSFT')?.['debt']).toMatchObject({ ledger: null, venue: '2', difference: null });
    const debts: JournalEvent = { kind: 'debtsOpened', debts: [[MSFT, parseShares('2')]] };
    const sides = await reconciled([...opening.slice(0, 3), debts]);
    expect(sides).toMatchObject({ code: 0, differences: [] });
    expect(stock(sides, 'MSFT')?.['debt']).toEqual(cell('2'));
  });

  test('finds nothing locked by an open deferred sell', async () => {
    // As another program places it: manual deferred sells are market orders.
    const { contractAddress: stockAddress } =
      emulated.info.symbols.find(({ symbol }) => symbol === 'MSFT') ?? {};
    if (stockAddress === undefined) throw new Error('MSFT is not listed');
    const terms = {
      ...limitSell('1', '4000'),
      symbol: MSFT,
      stock: stockAddress as Address,
      funding: { kind: 'deferred' },
    } as const;
    const deadline = epochSeconds(Math.floor(emulated.clock.now() / 1000) + 90);
    const placed = await venue.place(terms, { open: () => ({ deadline }), commit: () => undefined });
    if (placed.kind !== 'accepted') throw new Error(placed.reason);
    await emulated.later(20_000);
    const sides = await reconciled(opening);
    expect(stock(sides, 'MSFT')).toMatchObject({ free: cell('40'), locked: cell('0') });
    expect(sides.differences).toEqual([expect.stringMatching(/\(sell MSFT\): not ours/)]);
    await account.run(['orders', 'cancel', placed.txHash, '--yes']);
  });

  test('shows a deposit from outside as a difference, to the last digit', async () => {
    await move('mUSD', '250.000001');
    await move('AAPL', '0.5', 'wallet');
    const { code, clean, differences, cash: places } = await reconciled(opening);
    expect([code, clean]).toEqual([1, false]);
    const sum = formatDecimal(parseCash(cashBefore()) + parseCash('250.000001'));
    expect(places['free']).toEqual(cell(cashBefore(), { venue: sum, difference: '250.000001' }));
    expect(differences).toEqual([
      `mUSD free: the ledger expects ${cashBefore()}, the venue has ${sum}`,
      expect.stringMatching(/^AAPL in the wallet: the ledger expects .*, the venue has .*\.5$/),
    ]);
  });
});

test('reconcile prints a line for each place, and sends only reads', async () => {
  const user = await startOneUser();
  user.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  user.writeConfig('', { mode: 'live' });
  const facts = (mUsd: string): JournalEvent[] => [
    {
      kind: 'opened',
      cash: parseCash(mUsd),
      equity: parseCash(mUsd),
      holdings: [[AAPL, parseShares('2.5')]],
    },
    { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
    { kind: 'planned', order: anOrder() },
  ];
  const same = await user.run('reconcile', '--state', stateWith(facts('5000.25')));
  expect([same.code, same.err]).toEqual([0, '']);
  expect(same.out).toMatch(/^mUSD +free +3999\.15 +5000\.25 +5000\.25 +0$/m);
  expect(same.out).toMatch(/^mUSD +locked +1001\.1 +0 +0 +0$/m);
  expect(same.out).toMatch(/^AAPL +free +2\.5 +2\.5 +2\.5 +0$/m);
  expect(same.out).toMatch(/^w1\.1 .* planned +-$/m);
  expect(same.out).toMatch(/^no differences$/m);
  const other = await user.run('reconcile', '--state', stateWith(facts('5001')));
  expect(other.code).toBe(1);
  expect(other.out).toContain('mUSD free: the ledger expects 5001, the venue has 5000.25');
  expect(user.sent().every((line) => line.startsWith('GET '))).toBe(true);
});
