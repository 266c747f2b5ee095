import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tradingCalendar, type Session } from '../src/calendar/index.ts';
import { cash, notionalOf, parseCash, parseShares, price, shares } from '../src/core/amount.ts';
import { epochMs, epochSeconds, type EpochMs } from '../src/core/brand.ts';
import { ticker, type Ticker } from '../src/domain/instrument.ts';
import type { JournalEntry, JournalEvent } from '../src/domain/journalEvent.ts';
import type { Order, OrderId } from '../src/domain/orders/order.ts';
import { reportPage } from '../src/report/html/page.ts';
import { LiveHistory } from '../src/report/live/liveHistory.ts';
import { liveRecord } from '../src/report/live/liveRecord.ts';
import { readJournal } from '../src/store/readJournal.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';
import { median, timed, type Result } from './result.ts';

const SYMBOLS = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'AMZN', 'SPY'].map(ticker);
const SESSIONS = 250;
const ORDERS = 20;
/** Quotes of a session of the bundled config, a row every five seconds. */
const QUOTES = 4_650;
const ROUNDS = 3;
const STOCK = '0x1111111111111111111111111111111111111111';

/** Measures the report of a year of live trading, from its journal to the page. */
export async function report(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const file = join(folder, 'journal.sqlite');
    writeYear(file);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await timed(() => void pageOf(file)));
    return [
      {
        name: 'report',
        value: median(rounds),
        unit: `ms for ${SESSIONS} sessions, ${SESSIONS * ORDERS} orders`,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pageOf(file: string): string {
  const reader = readJournal(file);
  const history = new LiveHistory(reader);
  reader.close();
  const identity = { kind: 'live', account: 'bench', params: new Map(), calendar: tradingCalendar } as const;
  return reportPage(liveRecord(history, identity, null));
}

function writeYear(file: string): void {
  const journal = openSqliteJournal(file);
  const amount = parseCash('1000000');
  const [first, ...rest] = tradingCalendar.sessions('2025-01-02', '2026-12-31').slice(0, SESSIONS);
  if (!first) return;
  const opening: JournalEvent[] = [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash: amount, holdings: [], equity: amount },
    { kind: 'allocated', strategyId: 'bench', amount },
  ];
  journal.commit(opening.map((fact) => ({ at: first.open, fact })));
  for (const [index, session] of [first, ...rest].entries()) journal.commit(sessionOf(session, index));
  journal.close();
}

function sessionOf({ date, open, close }: Session, index: number): JournalEntry[] {
  const entries: JournalEntry[] = [];
  const add = (at: EpochMs, ...facts: readonly JournalEvent[]) => {
    for (const fact of facts) entries.push({ at, fact });
  };
  add(open, { kind: 'session', change: 'opened', date, equity: [] });
  for (let row = 0; row < QUOTES; row++) {
    const at = epochMs(open + Math.floor(((close - open) * row) / QUOTES));
    add(at, { kind: 'quotes', prices: SYMBOLS.map((symbol, place) => [symbol, priceOf(index, row, place)]) });
    const every = Math.floor(QUOTES / ORDERS);
    if (row % every === 0 && row / every < ORDERS) add(at, ...orderEvents(at, index * ORDERS + row / every));
  }
  add(close, { kind: 'session', change: 'closed', date, equity: [] });
  return entries;
}

/** About 100, and a little more each session. */
const priceOf = (index: number, row: number, place: number) =>
  price((100_00n + BigInt(index + place * 7 + (row % 40))) * 10n ** 16n);

/** Life of one market order: buys and sells of one share in turns, each symbol in its turn. */
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
