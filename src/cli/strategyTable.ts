import { parseDecimal, toNumber } from '../core/amount.ts';
import { moneyText } from './metricText.ts';
import { table } from './table.ts';

/** A strategy of a run. Amounts are exact decimals in mUSD. */
export type StrategyRow = Readonly<{
  id: string;
  /** Left out where all have the same. */
  state?: string;
  orders: number;
  /** Orders that moved something. */
  filled: number;
  /** Unknown of a strategy that this run has not run. */
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

/** A line a strategy, one for what none was given, and their sum. */
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
  ...[String(orders), String(filled), dropped === null ? '' : String(dropped)],
  ...[row.fees, row.realisedPnl, row.unrealisedPnl, row.pnl].map(centsText),
];
