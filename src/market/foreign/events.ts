import type { Layout } from './layout.ts';
import { isEmpty } from './numbers.ts';
import type { ForeignTable } from './table.ts';

/** Dividend or split in a row. `cash`: USD per share. `ratio`: new shares per old share. */
export type ForeignEvent = Readonly<{
  place: string;
  exDate: string;
}> &
  (
    | Readonly<{ kind: 'dividend'; cash: string }>
    | Readonly<{ kind: 'split'; oldRate: string; newRate: string }>
  );

type Rows = Readonly<{ rows: readonly number[]; dates: (index: number) => string }>;

/** Events in the dividend and split columns. @throws {ConfigError} with the row of an amount that cannot be read */
export function eventsOf(table: ForeignTable, { columns }: Layout, { rows, dates }: Rows): ForeignEvent[] {
  const { dividends, splits } = columns;
  if (dividends === undefined && splits === undefined) return [];
  const events: ForeignEvent[] = [];
  /** Texts of cells without an event, as most are. */
  const [noCash, noSplit] = [new Set<string>(), new Set<string>()];
  for (const [index, row] of rows.entries()) {
    const paid = dividends === undefined ? '' : table.cell(row, dividends);
    const split = splits === undefined ? '' : table.cell(row, splits);
    const cash = noCash.has(paid) ? null : cashOf(paid, table, row);
    const rates = noSplit.has(split) ? null : ratesOf(split, table, row);
    if (cash === null) noCash.add(paid);
    if (rates === null) noSplit.add(split);
    if (cash === null && rates === null) continue;
    const about = { place: table.place(row), exDate: dates(index) };
    if (cash !== null) events.push({ ...about, kind: 'dividend', cash });
    if (rates) events.push({ ...about, kind: 'split', ...rates });
  }
  return events;
}

/** Amount in a cell, as a decimal; null for none. */
export function cashOf(text: string, table: ForeignTable, row: number): string | null {
  const plain = text.replace(/^\$\s*/, '').replace(/\s*(usd|dividend)$/i, '');
  if (isEmpty(plain) || /^0*(\.0*)?$/.test(plain)) return null;
  if (/^\d+(\.\d+)?(e-?\d+)?$/i.test(plain)) return decimalText(Number(plain));
  throw table.error(row, `the dividend is "${text}": write USD a share, such as 0.24`);
}

const decimalText = (value: number): string => value.toFixed(8).replace(/\.?0+$/, '');

type Rates = Readonly<{ oldRate: string; newRate: string }>;

/** Rates of `4.0`, `4:1`, `4-for-1` or `4.0/1.0`, which all mean four shares for one; null for no split. */
export function ratesOf(text: string, table: ForeignTable, row: number): Rates | null {
  const plain = text.replace(/\s*stock splits?$/i, '');
  if (isEmpty(plain) || /^(0*(\.0*)?|1(\.0*)?)$/.test(plain)) return null;
  const [, to = '', from] =
    /^(\d+(?:\.\d+)?)(?:\s*(?:[:/]|-?\s*for\s*-?)\s*(\d+(?:\.\d+)?))?$/i.exec(plain) ?? [];
  const [after, before] = [Number(to), Number(from ?? '1')];
  if (to === '' || !(after > 0) || !(before > 0))
    throw table.error(row, `the split is "${text}": write new shares for old ones, such as 4:1 or 4.0`);
  if (after === before) return null;
  return from === undefined
    ? wholeRates(after)
    : { oldRate: decimalText(before), newRate: decimalText(after) };
}

/** Largest number of shares in a split whose ratio is written as a decimal. */
const SHARES_MAX = 200;
const EXACT = 1e-5;

/** Whole-number rates of a ratio: 0.05 is 1 for 20, 1.333333 is 4 for 3. */
function wholeRates(ratio: number): Rates {
  for (let old = 1; old <= SHARES_MAX; old++) {
    const fresh = Math.round(ratio * old);
    if (fresh > 0 && Math.abs((ratio * old) / fresh - 1) < EXACT)
      return { oldRate: String(old), newRate: String(fresh) };
  }
  return { oldRate: '1', newRate: decimalText(ratio) };
}
