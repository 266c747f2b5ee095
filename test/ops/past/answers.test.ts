/** @module-tag heavy */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { toNumber } from '../../../src/core/amount.ts';
import { readJournal } from '../../../src/store/readJournal.ts';
import type { OrderRow } from '../../../src/ops/model/past.ts';
import type { JournalFilter, OrderFilter, Question } from '../../../src/ops/past/question.ts';
import { drover } from '../../cli/support/commandLine.ts';
import { answerOnce } from './asking.ts';
import type { PastRun } from '../../../src/ops/past/ownRecords.ts';

const CONFIG = `state: ./state
strategies:
  - { id: steady, use: dca, capital: 5000, params: { symbol: SPY, notional: 500, at: '14:00' } }
  - { id: mix, use: rebalance, capital: 5000, params: { weights: { AAPL: 0.4 }, band: 0.01, at: ['14:30'] } }
`;
const FILTER: JournalFilter = {
  kinds: null,
  strategy: null,
  symbol: null,
  text: null,
  before: null,
  limit: 500,
};
type Row = Readonly<{ seq: number; kind: string; [field: string]: unknown }>;

let run: PastRun;
beforeAll(async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), CONFIG);
  const argv = ['run', 'run.yaml', '--start', '2026-06-15T13:25', '--speed', 'max', '--until', 'sessions:2'];
  expect((await drover(argv, { cwd })).code).toBe(0);
  const journal = join(cwd, 'state', 'journal.sqlite');
  run = { journal, kind: 'emulator', account: 'x', params: [], exceptions: [], runs: join(cwd, 'runs') };
}, 300_000);

const ask = (question: Question): unknown => JSON.parse(answerOnce(question, run));
const search = (filter: Partial<JournalFilter>) =>
  ask({ kind: 'journal', ...FILTER, ...filter }) as { entries: Row[]; next: number | null };

test('the life of an order has its decision, all its events, and the bytes that were sent', () => {
  const life = ask({ kind: 'order', id: 'steady-1.1' }) as { entries: Row[]; decision: unknown };
  expect(life).toMatchObject({ strategy: 'steady', symbol: 'SPY', side: 'buy', status: 'filled' });
  expect(life.decision).toMatchObject({ id: 'steady-1', text: 'buy SPY for 500' });
  const kinds = life.entries.map(({ kind }) => kind);
  expect([kinds[0], kinds.includes('planned'), kinds.includes('wishEnded')]).toEqual(['wished', true, true]);
  expect(JSON.stringify(life.entries)).toContain('"request":{');
  expect(() => ask({ kind: 'order', id: 'none-1.1' })).toThrow('there is no order none-1.1');
});

test('a search finds entries by strategy, stock, kind and text, also by the order that they name', () => {
  const mine = search({ strategy: 'steady' }).entries;
  expect(mine.some(({ kind, id }) => kind === 'order' && id === 'steady-1.1')).toBe(true);
  expect(mine.some(({ id }) => typeof id === 'string' && id.startsWith('mix'))).toBe(false);
  expect(search({ symbol: 'AAPL', kinds: ['planned'] }).entries).toHaveLength(
    search({ kinds: ['planned'], strategy: 'mix' }).entries.length,
  );
  expect(search({ kinds: ['wished'] }).entries.length).toBeGreaterThan(0);
  expect(search({ text: 'NOTHING HAS THIS' })).toEqual({ entries: [], next: null });
  expect(search({}).entries.some(({ kind }) => kind === 'quotes')).toBe(false);
});

test('pages of a search follow one another without gap or repetition', () => {
  const whole = search({}).entries.map(({ seq }) => seq);
  const paged: number[] = [];
  let before: number | null = null;
  do {
    const page = search({ limit: 7, before });
    paged.push(...page.entries.map(({ seq }) => seq));
    before = page.next;
  } while (before !== null && paged.length < whole.length);
  expect(paged).toEqual(whole);
});

test('the equity of a day begins with the open, and ends with that of the record at the close', () => {
  type Day = { date: string; at: number[]; equity: number[]; capital: number[] };
  type Marks = { marks: { date: string; equity: number }[] };
  for (const strategy of [null, 'steady']) {
    const record = ask({ kind: 'record', strategy, since: null }) as Marks;
    // The last mark of a record is the end of the journal, which is after the last close.
    for (const { date, equity } of record.marks.slice(0, -1)) {
      const day = ask({ kind: 'day', date, strategy, each: false }) as Day;
      expect(day.date).toBe(date);
      expect(day.equity.at(-1)).toBe(equity);
      expect(day.at.length).toBeGreaterThan(100);
    }
    expect((ask({ kind: 'day', date: null, strategy, each: false }) as Day).date).toBe(
      record.marks.at(-1)?.date,
    );
  }
  expect(() => ask({ kind: 'day', date: '2001-01-02', strategy: null, each: false })).toThrow(
    /no session of 2001-01-02/,
  );
});

/** Last quote of a stock in each candle of five minutes, computed from all entries. */
function closesOf(symbol: string): ReadonlyMap<number, number> {
  const reader = readJournal(run.journal);
  const closes = new Map<number, number>();
  for (const { at, fact } of reader.ofKinds(['quotes'])) {
    const quoted = fact.kind === 'quotes' ? fact.prices.find(([of]) => of === symbol) : undefined;
    if (quoted) closes.set(at - (at % 300_000), toNumber(quoted[1]));
  }
  reader.close();
  return closes;
}

test('the equity of a day for each strategy equals that of a query for one strategy', () => {
  type Day = { at: number[]; equity: number[]; capital: number[]; strategies?: { id: string }[] };
  const whole = ask({ kind: 'day', date: null, strategy: null, each: true }) as Day;
  expect(whole.strategies?.map(({ id }) => id)).toEqual(['steady', 'mix']);
  for (const strategy of ['steady', 'mix']) {
    const { at, equity, capital, strategies } = ask({
      kind: 'day',
      date: null,
      strategy,
      each: false,
    }) as Day;
    expect([at, strategies]).toEqual([whole.at, undefined]);
    expect(whole.strategies).toContainEqual({ id: strategy, equity, capital });
  }
});

test('the profit of a day counts from the same equity as in the status', async () => {
  type Day = { strategies: { id: string; equity: number[]; capital: number[] }[] };
  const { strategies } = ask({ kind: 'day', date: null, strategy: null, each: true }) as Day;
  const { out } = await drover(['status', '--state', dirname(run.journal), '--json'], {});
  type Own = { id: string; equity: string; pnl: { today: string } };
  const status = JSON.parse(out) as { strategies: Own[] };
  for (const { id, equity, capital } of strategies) {
    const earned = (at: number) => (equity.at(at) ?? NaN) - (capital.at(at) ?? NaN);
    const own = status.strategies.find((each) => each.id === id);
    const start = Number(own?.equity) - Number(own?.pnl.today);
    // The status has prices after the close, and both use those of the open.
    expect((equity.at(-1) ?? NaN) - (earned(-1) - earned(0))).toBeCloseTo(start, 6);
    expect(Number(own?.pnl.today)).not.toBe(0);
  }
});

test('candles of quotes enclose their prices, one for each interval', () => {
  type Columns = { start: number[]; open: number[]; high: number[]; low: number[]; close: number[] };
  const query = { kind: 'candles', symbol: 'SPY', intervalMs: 300_000, from: 0, to: Infinity } as const;
  const { start, open, high, low, close } = ask(query) as Columns;
  expect(start.length).toBeGreaterThan(100);
  for (const [index, at] of start.entries()) {
    expect(at % 300_000).toBe(0);
    if (index > 0) expect(at).toBeGreaterThan(start[index - 1] ?? NaN);
    const ends = [open[index] ?? NaN, close[index] ?? NaN];
    expect([Math.min(...ends) >= (low[index] ?? NaN), Math.max(...ends) <= (high[index] ?? NaN)]).toEqual([
      true,
      true,
    ]);
  }
  const quoted = closesOf('SPY');
  expect(close).toEqual(start.map((at) => quoted.get(at)));
  const later = ask({ ...query, from: start[10] ?? 0, to: start[20] ?? 0 }) as Columns;
  expect(later.start).toEqual(start.slice(10, 20));
});

test('a query for an unknown strategy names the known ones', () => {
  expect(() => ask({ kind: 'record', strategy: 'nobody', since: null })).toThrow(
    'this journal has no strategy "nobody". It has steady, mix',
  );
});

const ORDERS: OrderFilter = {
  strategy: null,
  symbol: null,
  status: null,
  date: null,
  text: null,
  before: null,
  limit: 500,
};
type Orders = Readonly<{ orders: OrderRow[]; next: number | null }>;
const orders = (filter: Partial<OrderFilter> = {}) => ask({ kind: 'orders', ...ORDERS, ...filter }) as Orders;

test('the orders of the whole journal equal those of the record, the latest first', () => {
  type Fills = { fills: { order: string }[] };
  const all = orders().orders;
  const { fills } = ask({ kind: 'record', strategy: null, since: null }) as Fills;
  expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a));
  expect(all.filter(({ status }) => status === 'filled')).toHaveLength(fills.length);
  const first = all.at(-1);
  expect(first).toMatchObject({ id: 'steady-1.1', side: 'buy', status: 'filled', why: null });
  expect(first?.text).toBe('buy SPY for 500, filled');
  expect(first).toMatchObject({ quantity: null, notional: '500', limit: null });
  expect(Date.parse(first?.endedAt ?? '')).toBeGreaterThan(Date.parse(first?.plannedAt ?? ''));
  expect(Number(first?.filled) * Number(first?.price)).toBeCloseTo(500, 0);
});

test('orders are found by strategy, stock, status, day and text, on pages without a gap', () => {
  const all = orders().orders;
  const ids = (filter: Partial<OrderFilter>) => orders(filter).orders.map(({ id }) => id);
  const ofAll = (isIt: (row: OrderRow) => boolean) => all.filter(isIt).map(({ id }) => id);
  expect(ids({ strategy: 'mix' })).toEqual(ofAll(({ strategy }) => strategy === 'mix'));
  expect(ids({ symbol: 'SPY' })).toEqual(ofAll(({ symbol }) => symbol === 'SPY'));
  expect(ids({ status: 'filled' })).toEqual(ofAll(({ status }) => status === 'filled'));
  expect(ids({ status: 'open' })).toEqual([]);
  expect(ids({ date: '2026-06-15' })).toEqual(ofAll(({ plannedAt }) => plannedAt.startsWith('2026-06-15')));
  expect(ids({ date: '2026-06-14' })).toEqual([]);
  expect(ids({ text: 'STEADY-1.' })).toEqual(['steady-1.1']);
  const paged: string[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const page = orders({ limit: 1, before });
    paged.push(...page.orders.map(({ id }) => id));
    before = page.next;
  }
  expect(paged).toEqual(ofAll(() => true));
});
