import { parseDecimal, toNumber } from '../../core/amount.ts';
import { labelOf, METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricEntry, MetricUnit } from '../../statistics/metricEntries/entry.ts';
import type { MarkName } from '../../statistics/markName.ts';
import { table } from '../output.ts';

/** Number with thousands separators; one that rounds to 0 has no sign. */
function fixed(value: number, digits: number): string {
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return /[1-9]/.test(text) ? text : text.replace('-', '');
}

const percentText = (value: number): string => `${fixed(value * 100, 2)} %`;

const FORMS: Readonly<Record<MetricUnit, (value: number, mark: MarkName) => string>> = {
  percent: percentText,
  ratio: (value) => fixed(value, 2),
  money: (value) => fixed(value, 2),
  bps: (value) => `${fixed(value, 1)} bps`,
  days: (value) =>
    Math.abs(value) < 2 ? `${fixed(value * 24, 1)} h` : `${fixed(value, Number.isInteger(value) ? 0 : 1)} d`,
  marks: (value, mark) => `${fixed(value, 0)} ${mark}s`,
  count: (value) => fixed(value, 0),
};

const entryOf = (name: string) => (METRIC_TABLE as Readonly<Record<string, MetricEntry>>)[name];

/** Label of a metric; its name if the table does not have it (in another version). */
export function metricLabel(name: string, mark: MarkName): string {
  const entry = entryOf(name);
  return entry ? labelOf(entry, mark) : name;
}

/** Value of a metric in its unit, for people; a dash where it is undefined. */
export function metricText(
  name: string,
  value: number | null | undefined,
  mark: MarkName = 'session',
): string {
  if (value === null || value === undefined) return '–';
  return FORMS[entryOf(name)?.unit ?? 'ratio'](value, mark);
}

/** Amount in mUSD with cents and thousands separators. */
export const moneyText = (value: number): string => fixed(value, 2);

/** Number of shares with at most six decimals. */
export const sharesText = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 6 });

/** Price in mUSD with two to four decimals. */
export const priceText = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 });

/** Basis points with two decimals; a dash where they are undefined. */
export const bpsText = (value: number | null): string => (value === null ? '–' : `${fixed(value, 2)} bps`);

/** Fraction as a percentage with its sign. */
export const changeText = (value: number): string => `${value > 0 ? '+' : ''}${percentText(value)}`;

/** Row of a strategy in a run. Amounts are exact decimals in mUSD. */
export type StrategyRow = Readonly<{
  id: string;
  /** Omitted where all have the same. */
  state?: string;
  orders: number;
  /** Orders that moved something. */
  filled: number;
  /** Null for a strategy that this run has not run. */
  dropped: number | null;
  fees: string;
  realisedPnl: string;
  unrealisedPnl: string;
  pnl: string;
}>;

const RIGHT = ['orders', 'filled', 'dropped', 'fees', 'realised', 'unrealised', 'earned'];

const exact = (text: string): bigint => parseDecimal(text, { signed: true });

/** An exact amount to the cent, with commas. */
export const centsText = (text: string): string => moneyText(toNumber(exact(text)));

/** Table with a line for each strategy, one for unallocated assets, and their sum. */
export function strategyTable(rows: readonly StrategyRow[], unallocated: Readonly<{ pnl: string }>): string {
  const hasState = rows.some(({ state }) => state !== undefined);
  const named = (name: string, state: string, cells: readonly string[]) => [
    name,
    ...(hasState ? [state] : []),
    ...cells,
  ];
  const sum = [...rows, unallocated].reduce((total, { pnl }) => total + exact(pnl), 0n);
  const beside = (name: string, earned: string) => named(name, '', ['', '', '', '', '', '', earned]);
  return table(
    named('strategy', 'state', RIGHT),
    [
      ...rows.map((row) => named(row.id, row.state ?? '', cellsOf(row))),
      beside('unallocated', centsText(unallocated.pnl)),
      beside('together', moneyText(toNumber(sum))),
    ],
    RIGHT,
  );
}

const cellsOf = ({ orders, filled, dropped, ...row }: StrategyRow): string[] => [
  String(orders),
  String(filled),
  dropped === null ? '' : String(dropped),
  ...[row.fees, row.realisedPnl, row.unrealisedPnl, row.pnl].map(centsText),
];

/** Counts of orders by how they ended, such as `3 filled, 1 never existed`; `none` without any. */
export const countsText = (orders: Readonly<Record<string, number>>): string =>
  Object.entries(orders)
    .filter(([name, count]) => count > 0 && name !== 'planned')
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`)
    .join(', ') || 'none';
