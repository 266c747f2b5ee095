import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cash, notionalOf, price, shares, type Price, type Shares } from '../src/core/amount.ts';
import { DAY_MS, epochMs, epochSeconds, type EpochMs } from '../src/core/brand.ts';
import { AccountHistory } from '../src/domain/account/history.ts';
import { ticker } from '../src/domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../src/domain/journalEvent.ts';
import { lotsOf } from '../src/domain/lots/lotBook.ts';
import type { Order, OrderId } from '../src/domain/orders/order.ts';
import type { OrderReport } from '../src/domain/venue.ts';
import { accountEntries } from '../src/store/accountEntries.ts';
import { readJournal } from '../src/store/readJournal.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';
import { median, timed, type Result } from './result.ts';
import { MORNING } from './trading.ts';

const SESSIONS = 250;
const ORDERS = 20;
const QUOTES = 4_000;
const SYMBOLS = ['AAPL', 'MSFT', 'SPY', 'NVDA', 'TSLA', 'KO'].map(ticker);
const STOCK = `0x${'11'.repeat(20)}` as const;
const ROUNDS = 5;
const WAD = 10n ** 18n;

/** Measures the lots of a year, from the file to the gains: most of the journal is quotes, as in any run. */
export async function lots(): Promise<Result[]> {
  const folder = mkdtempSync(fileURLToPath(new URL('./lots-', import.meta.url)));
  const file = `${folder}/journal.sqlite`;
  try {
    writeYear(file);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await timed(() => readLots(file)));
    return [
      {
        name: 'lots',
        value: median(times),
        unit: `ms for ${SESSIONS * ORDERS} orders in ${SESSIONS} sessions`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readLots(file: string): void {
  const reader = readJournal(file);
  const history = new AccountHistory();
  const changes = [...accountEntries(reader)].flatMap((entry) => history.apply(entry));
  reader.close();
  const { closed } = lotsOf(changes, { method: 'highest' });
  if (closed.length < (SESSIONS * ORDERS) / 2) throw new Error(`only ${closed.length} lots were sold`);
}

function writeYear(file: string): void {
  const journal = openSqliteJournal(file);
  const opening: readonly JournalEvent[] = [
    { kind: 'epoch', epoch: 1 },
    {
      kind: 'opened',
      cash: cash(1_000_000n * WAD),
      holdings: [],
      equity: cash(1_000_000n * WAD),
      prices: [],
    },
    { kind: 'allocated', strategyId: 'bench', amount: cash(1_000_000n * WAD) },
  ];
  journal.commit(opening.map((fact) => ({ at: MORNING, fact })));
  for (let session = 0; session < SESSIONS; session++) journal.commit(sessionOf(session));
  journal.close();
}

function sessionOf(session: number): JournalEntry[] {
  const entries: JournalEntry[] = [];
  const every = QUOTES / ORDERS;
  for (let index = 0; index < QUOTES; index++) {
    const at = epochMs(MORNING + session * DAY_MS + index * 5_000);
    entries.push({
      at,
      fact: { kind: 'quotes', prices: SYMBOLS.map((symbol) => [symbol, priceAt(index)]), phase: 'regular' },
    });
    if (index % every === 0) entries.push(...orderLife(session * ORDERS + index / every, at));
  }
  return entries;
}

const priceAt = (index: number): Price =>
  price((100n + BigInt(index % 37)) * WAD + BigInt(index) * 10n ** 14n);

/** Life of an order: two buys of each stock, then two sells of parts of them. */
function orderLife(number: number, at: EpochMs): JournalEntry[] {
  const isBuy = number % 12 < 6;
  const symbol = SYMBOLS[number % SYMBOLS.length] ?? SYMBOLS[0];
  if (symbol === undefined) return [];
  const [quantity, paid] = [shares(isBuy ? 3n * WAD : (5n * WAD) / 2n), priceAt(number)];
  const order = orderOf({ number, symbol, isBuy, quantity, paid, at });
  const request = { method: 'POST', path: '/api/v1/orders', body: 'x'.repeat(600) };
  const report = reportOf(order, quantity, paid);
  const of = (event: Extract<JournalEvent, { kind: 'order' }>['event']) =>
    ({ kind: 'order', id: order.id, event }) as const;
  const facts: readonly JournalEvent[] = [
    { kind: 'planned', order },
    {
      ...of({ kind: 'sent', at, deadline: epochSeconds(Math.floor(at / 1_000) + 90) }),
      request: request as never,
    },
    of({ kind: 'accepted', txHash: report.txHash }),
    of({ kind: 'reported', report: { ...report, status: 'open', rawStatus: 'New', settlement: null } }),
    of({ kind: 'reported', report }),
    { kind: 'fillDelivered', id: order.id },
  ];
  return facts.map((fact) => ({ at, fact }));
}

type Terms = Readonly<{
  number: number;
  symbol: Order['terms']['symbol'];
  isBuy: boolean;
  quantity: Shares;
  paid: Price;
  at: EpochMs;
}>;

const orderOf = ({ number, symbol, isBuy, quantity, paid, at }: Terms): Order => ({
  id: `bench-${number}.1` as OrderId,
  intentId: `bench-${number}`,
  strategyId: 'bench',
  terms: { symbol, stock: STOCK, type: 'limit', side: isBuy ? 'buy' : 'sell', quantity, price: paid },
  reserve: isBuy ? notionalOf(quantity, paid, 'up') : quantity,
  reason: 'benchmark',
  plannedAt: at,
  state: { kind: 'planned' },
  cancel: { kind: 'none' },
});

function reportOf({ id, terms, plannedAt }: Order, quantity: Shares, paid: Price): OrderReport {
  const money = notionalOf(quantity, paid, 'up');
  const [pay, receive] = terms.side === 'buy' ? [money, quantity] : [quantity, money];
  const settlement = { price: paid, pay, receive, mintFee: cash(0n), protocolFee: cash(0n), txHash: null };
  return {
    txHash: `0x${id}`,
    orderId: `0xv${id}`,
    status: 'filled',
    rawStatus: 'Filled',
    createdAt: plannedAt,
    terms: null,
    locked: null,
    settlement,
  };
}
