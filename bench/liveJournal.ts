import { tradingCalendar, type Session } from '../src/calendar/index.ts';
import { cash, notionalOf, parseCash, parseShares, price, shares } from '../src/core/amount.ts';
import { epochMs, epochSeconds, type EpochMs } from '../src/core/brand.ts';
import { ticker, type Ticker } from '../src/domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../src/domain/journalEvent.ts';
import type { Order, OrderId } from '../src/domain/orders/order.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'SPY'].map(ticker);
const STOCK = '0x1111111111111111111111111111111111111111';
const YEARS = 3;

/** Size of a journal: sessions from a New York date on, and the market orders and rows of quotes per session. */
export type JournalSize = Readonly<{ from: string; sessions: number; orders: number; quotes: number }>;

/** Writes the journal of a live run of one strategy, `bench`: it alternately buys and sells a share of each stock. */
export function writeLiveJournal(file: string, size: JournalSize): void {
  const journal = openSqliteJournal(file);
  const amount = parseCash('1000000');
  const until = `${Number(size.from.slice(0, 4)) + YEARS}-12-31`;
  const [first, ...rest] = tradingCalendar.sessions(size.from, until).slice(0, size.sessions);
  if (!first) return;
  const opening: JournalEvent[] = [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash: amount, holdings: [], equity: amount },
    { kind: 'allocated', strategyId: 'bench', amount },
  ];
  journal.commit(opening.map((fact) => ({ at: first.open, fact })));
  for (const [index, session] of [first, ...rest].entries()) journal.commit(sessionOf(session, index, size));
  journal.close();
}

function sessionOf({ date, open, close }: Session, index: number, size: JournalSize): JournalEntry[] {
  const { orders, quotes } = size;
  const entries: JournalEntry[] = [];
  const add = (at: EpochMs, ...facts: readonly JournalEvent[]) => {
    for (const fact of facts) entries.push({ at, fact });
  };
  add(open, { kind: 'session', change: 'opened', date, equity: [] });
  for (let row = 0; row < quotes; row++) {
    const at = epochMs(open + Math.floor(((close - open) * row) / quotes));
    add(at, { kind: 'quotes', prices: SYMBOLS.map((symbol, place) => [symbol, priceOf(index, row, place)]) });
    const every = Math.floor(quotes / orders);
    if (row % every === 0 && row / every < orders) add(at, ...orderEvents(at, index * orders + row / every));
  }
  add(close, { kind: 'session', change: 'closed', date, equity: [] });
  return entries;
}

/** About 100, and a little more each session. */
const priceOf = (index: number, row: number, place: number) =>
  price((100_00n + BigInt(index + place * 7 + (row % 40))) * 10n ** 16n);

/** Life of one market order: alternately buys and sells one share, going through the symbols. */
function orderEvents(at: EpochMs, number: number): JournalEvent[] {
  const pair = Math.floor(number / 2);
  const symbol = SYMBOLS[pair % SYMBOLS.length] as Ticker;
  const side = number % 2 === 0 ? 'buy' : 'sell';
  const [id, intentId] = [`bench-${number + 1}.1` as OrderId, `bench-${number + 1}`];
  const [one, at100] = [parseShares('1'), price(100n * 10n ** 18n)];
  const notional = notionalOf(one, at100, 'down');
  const [pay, receive] = side === 'buy' ? [notional, shares(one)] : [one, notional];
  const terms = { symbol, stock: STOCK, type: 'limit', side, quantity: one, price: at100 } as const;
  const common = { intentId, strategyId: 'bench', terms, reason: 'bench', plannedAt: at } as const;
  const order: Order = { id, ...common, reserve: pay, state: { kind: 'planned' }, cancel: { kind: 'none' } };
  const txHash = `0x${number.toString(16).padStart(64, '0')}`;
  const fees = { mintFee: cash(0n), protocolFee: cash(0n) };
  const settlement = { price: at100, pay, receive, ...fees, txHash };
  const shown = {
    txHash,
    orderId: `0x${number}`,
    status: 'filled',
    rawStatus: 'Filled',
    createdAt: at,
  } as const;
  const report = { ...shown, terms: null, locked: null, settlement };
  const asked = { kind: 'limit', side, quantity: one, price: at100, goodTill: 'day' } as const;
  const of = {
    id: intentId,
    strategyId: 'bench',
    symbol,
    terms: asked,
    reason: 'bench',
    at,
    notBefore: at,
  } as const;
  return [
    { kind: 'intentCreated', intent: { ...of, outside: 'wait', after: [] } },
    { kind: 'planned', order },
    { kind: 'order', id, event: { kind: 'sent', at, deadline: epochSeconds(Math.floor(at / 1000) + 90) } },
    { kind: 'order', id, event: { kind: 'accepted', txHash } },
    { kind: 'order', id, event: { kind: 'reported', report } },
    { kind: 'intentEnded', id: intentId, how: 'done', why: 'filled' },
  ];
}
