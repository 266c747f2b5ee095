import type { BacktestResult } from '../../backtest/result.ts';
import { toNumber, parseSigned } from '../../core/amount.ts';
import { moneyText } from '../../report/numberText.ts';
import { table } from '../../process/output.ts';

/** Row of a strategy in a run. Amounts are exact decimals in mUSD. */
export type StrategyRow = Readonly<{
  id: string;
  /** Omitted when all strategies have the same state. */
  state?: string;
  orders: number;
  /** Number of orders with at least one fill. */
  filled: number;
  /** Null for a strategy that did not run. */
  dropped: number | null;
  fees: string;
  realisedPnl: string;
  unrealisedPnl: string;
  pnl: string;
}>;

const RIGHT = ['orders', 'filled', 'dropped', 'fees', 'realised', 'unrealised', 'earned'];

/** An exact amount to the cent, with commas. */
export const centsText = (text: string): string => moneyText(toNumber(parseSigned(text)));

/** Table with a row for each strategy, one for unallocated assets, and their total. */
export function strategyTable(rows: readonly StrategyRow[], unallocated: Readonly<{ pnl: string }>): string {
  const hasState = rows.some(({ state }) => state !== undefined);
  const named = (name: string, state: string, cells: readonly string[]) => [
    name,
    ...(hasState ? [state] : []),
    ...cells,
  ];
  const sum = [...rows, unallocated].reduce((total, { pnl }) => total + parseSigned(pnl), 0n);
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

const PHASE_HEAD = ['phase', 'fills', 'bought', 'sold', 'fees', 'slippage', 'earned'];

/** Table of the trading by phase, after an empty line; empty for a backtest of the regular session alone. */
export function phaseLines({ phases }: Pick<BacktestResult, 'phases'>): string[] {
  if (!phases) return [];
  const rows = phases.map(({ phase, fills, bought, sold, fees, slippage, pnl }) => [
    phase,
    String(fills),
    ...[bought, sold, fees, slippage, pnl].map(centsText),
  ]);
  return ['', table(PHASE_HEAD, rows, PHASE_HEAD.slice(1))];
}
