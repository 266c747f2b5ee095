import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { formatDecimal, parseDecimal } from '../../src/core/amount.ts';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { drover, start } from './cli.ts';

/** Output of a command on a state folder that must succeed. */
export async function output(state: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await drover([...args, '--state', state]);
  expect([args, code, code === 0 ? '' : err]).toEqual([args, 0, '']);
  return out;
}

const outputJson = async <T>(state: string, ...args: readonly string[]): Promise<T> =>
  JSON.parse(await output(state, ...args, '--json')) as T;

/** Runs the venue of a state folder alone during `work`; no time passes there. `first`: options of a new one. */
export async function atVenue<T>(
  state: string,
  work: (info: EmulatorInfo) => Promise<T>,
  first: readonly string[] = [],
): Promise<T> {
  const folder = join(state, 'emulator');
  const options = existsSync(folder) ? [] : first;
  const emulator = start(['emulator', '--json', '--speed', '0', '--state', folder, ...options]);
  try {
    return await work(JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo);
  } finally {
    emulator.child.kill('SIGTERM');
    await emulator.done;
  }
}

/** Account that the run trades, as the venue really has it. */
export type TrueAccount = Readonly<{
  cash: string;
  locked: string;
  /** Shares on the exchange by symbol; symbols without shares are left out. */
  stocks: Readonly<Record<string, string>>;
  orders: Truth['orders'];
}>;

export async function trueAccount({ controlUrl, accounts: [first] }: EmulatorInfo): Promise<TrueAccount> {
  const { accounts, orders } = (await (await fetch(`${controlUrl}/truth`)).json()) as Truth;
  const account = accounts.find(({ userAddress }) => userAddress === first?.userAddress);
  if (!account) throw new Error('the venue has no account');
  const held = account.stocks.filter(({ exchange }) => exchange !== '0');
  return {
    cash: account.mUsd,
    locked: account.mUsdLocked,
    stocks: Object.fromEntries(held.map(({ symbol, exchange }) => [symbol, exchange])),
    orders: orders.filter(({ userAddress }) => userAddress === account.userAddress),
  };
}

const LISTS = [['fills'], ...['fifo', 'lifo', 'highest'].map((by) => ['lots', '--method', by]), ['income']];
const FORMS = [['--json'], ['--csv'], ['--year', '2026', '--csv']];

/** Everything computed from a journal, as printed, and its number of entries, starts and sum. */
export async function printedBooks(state: string): Promise<string[]> {
  const texts: string[] = [];
  for (const list of LISTS) for (const form of FORMS) texts.push(await output(state, ...list, ...form));
  texts.push(await output(state, 'report', '--json'));
  const { entries, epochs, sum } = await outputJson<Record<string, unknown>>(state, 'journal', 'verify');
  return [...texts, JSON.stringify({ entries, epochs, sum })];
}

type Fill = Readonly<
  Record<'symbol' | 'side' | 'shares' | 'cash' | 'mintFee' | 'protocolFee' | 'order', string>
>;
type Books = Readonly<{
  fills: Readonly<{ fills: readonly Fill[]; totals: Readonly<{ fees: string; cash: string }> }>;
  lots: Readonly<{
    open: readonly Readonly<{ symbol: string; shares: string }>[];
    totals: Readonly<{ gain: string; openBasis: string; unknownBasis: number }>;
  }>;
  income: Readonly<{ due: readonly unknown[]; totals: Readonly<{ paid: string }> }>;
  report: Readonly<{
    run: Readonly<{ sessions: number }>;
    totals: Readonly<{
      pnl: string;
      fees: string;
      dividends: string;
      flows: string;
      equity: Readonly<{ start: string; end: string }>;
      orders: Readonly<Record<'sent' | 'filled' | 'partlyFilled', number>>;
      open: readonly Readonly<{ symbol: string; quantity: string }>[];
    }>;
  }>;
}>;

async function booksOf(state: string, method: string): Promise<Books> {
  return {
    fills: await outputJson<Books['fills']>(state, 'fills'),
    lots: await outputJson<Books['lots']>(state, 'lots', '--method', method),
    income: await outputJson<Books['income']>(state, 'income'),
    report: await outputJson<Books['report']>(state, 'report'),
  };
}

const wad = (text: string): bigint => parseDecimal(text, { signed: true });
const total = (texts: readonly string[]): string =>
  formatDecimal(texts.reduce((sum, text) => sum + wad(text), 0n));
const less = (from: string, text: string): string => formatDecimal(wad(from) - wad(text));

type Agreement = Readonly<{ opening: TrueAccount; venue: TrueAccount; sessions: number; method: string }>;

/** Expects fills, lots, income and report to agree with each other, and with the venue, to the last digit. */
export async function expectAgreement(state: string, { opening, venue, sessions, method }: Agreement) {
  const { fills, lots, income, report } = await booksOf(state, method);
  const { totals } = report;
  const cashGained = less(venue.cash, opening.cash);
  expect(report.run.sessions).toBe(sessions);
  expect([venue.locked, totals.flows, income.due, lots.totals.unknownBasis]).toEqual(['0', '0', [], 0]);

  expect(fills.fills.map(lineOf).sort()).toEqual(venue.orders.flatMap(settledLine).sort());
  expect(totals.orders.filled + totals.orders.partlyFilled).toBe(fills.fills.length);
  expect(total(fills.fills.map(({ cash }) => cash))).toBe(fills.totals.cash);
  expect(total(fills.fills.flatMap(({ mintFee, protocolFee }) => [mintFee, protocolFee]))).toBe(totals.fees);
  expect(fills.totals.fees).toBe(totals.fees);

  expect(income.totals.paid).toBe(totals.dividends);
  expect(total([fills.totals.cash, income.totals.paid])).toBe(cashGained);

  expect(sharesIn(lots.open.map(({ symbol, shares }) => [symbol, shares]))).toEqual(venue.stocks);
  expect(sharesIn(totals.open.map(({ symbol, quantity }) => [symbol, quantity]))).toEqual(venue.stocks);

  const openingBasis = less(totals.equity.start, opening.cash);
  const basisGained = less(lots.totals.openBasis, openingBasis);
  expect(total([lots.totals.gain, income.totals.paid])).toBe(total([cashGained, basisGained]));
  expect(less(totals.equity.end, totals.equity.start)).toBe(totals.pnl);
}

function sharesIn(parts: readonly (readonly [symbol: string, shares: string])[]): Record<string, string> {
  const bySymbol: Record<string, string> = {};
  for (const [symbol, shares] of parts) bySymbol[symbol] = total([bySymbol[symbol] ?? '0', shares]);
  return bySymbol;
}

const lineOf = ({ symbol, side, shares, cash, mintFee, protocolFee }: Fill): string =>
  [symbol, side, shares, cash, mintFee, protocolFee].join(' ');

/** Line of a fill as `drover fills` should print it; none for an order without a fill. */
function settledLine(order: Truth['orders'][number]): string[] {
  const { symbol, side, settlePay, settleReceive, mintFee, protocolFee } = order;
  if (!settlePay || !settleReceive || settleReceive === '0') return [];
  const isBuy = side === 'Buy';
  const [shares, cash] = isBuy ? [settleReceive, less('0', settlePay)] : [settlePay, settleReceive];
  return [[symbol, side.toLowerCase(), shares, cash, mintFee ?? '0', protocolFee ?? '0'].join(' ')];
}
