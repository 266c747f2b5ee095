import { formatDecimal } from '../../core/amount.ts';
import type { Ticker } from '../instrument.ts';
import { assetOf } from '../orders/order.ts';
import type { External } from '../orders/reportMatching.ts';
import type { ListedKind, TransferReport } from '../transfers/transfer.ts';
import type { OrderReport, UnreadableRow } from '../venue.ts';
import type { AccountState } from './accountState.ts';
import type { Asset, Holding } from './ledger.ts';

/** Amounts by asset; null if the venue does not report them or they cannot be read. */
export type Amounts = ReadonlyMap<Holding, bigint> | null;

/** Order list as far back as an open order can be in it. `complete`: its pages fit together. */
export type OrderList = Readonly<{ rows: readonly (OrderReport | UnreadableRow)[]; complete: boolean }>;

/** Amount of an asset; null if unknown. */
export const amountIn = (amounts: ReadonlyMap<string, bigint> | null, asset: string): bigint | null =>
  amounts && (amounts.get(asset) ?? 0n);

const add = (sums: Map<Holding, bigint>, asset: Holding, amount: bigint): void =>
  void sums.set(asset, (sums.get(asset) ?? 0n) + amount);

const ENDED: ReadonlySet<string> = new Set(['filled', 'cancelled', 'expired', 'rejected', 'reverted']);

/** True for an order whose status means that it has ended. */
export const hasEndedAtVenue = ({ status }: OrderReport): boolean => ENDED.has(status);

/** True for an order with a lock, or whose status implies one. */
export const isOpen = ({ status, locked }: OrderReport): boolean =>
  status === 'open' || status === 'canceling' || locked !== null;

/**
 * Amounts locked by open orders, by asset. Null if one is unknown: the list is incomplete, a row is unreadable or
 * states no lock, or an external order is only a link, which may lock anything.
 */
export function lockedIn(
  { rows, complete }: OrderList,
  { byTx, cancelHashes }: Pick<AccountState, 'byTx' | 'cancelHashes'>,
): Amounts {
  if (!complete) return null;
  const sums = new Map<Holding, bigint>();
  for (const row of rows) {
    if ('unreadable' in row) return null;
    const isOurs = byTx.has(row.txHash) || cancelHashes.has(row.txHash);
    if (hasEndedAtVenue(row) || (row.status === 'pending' && isOurs)) continue;
    if (!row.terms || row.locked === null) return null;
    add(sums, assetOf({ terms: row.terms }), row.locked);
  }
  return sums;
}

type Queue = Readonly<{
  kind: ListedKind;
  /** Stocks by the lower-case address of their token. */
  symbols: ReadonlyMap<string, Ticker>;
  byTx: ReadonlyMap<string, unknown>;
}>;

/** True unless the row of a transfer shows that it has ended. */
export const isUnderWay = (row: TransferReport | UnreadableRow): boolean =>
  'unreadable' in row || (row.status !== 'success' && row.status !== 'failed');

/**
 * Amounts that the transfers of one list have taken and not delivered, by asset: mUSD of withdrawals, cash tokens of
 * deposits, stock. Null if one is unknown, such as an external transfer that is only a link.
 */
export function queuedIn(
  rows: readonly (TransferReport | UnreadableRow)[],
  { kind, symbols, byTx }: Queue,
): Amounts {
  const sums = new Map<Holding, bigint>();
  for (const row of rows.filter(isUnderWay)) {
    if ('unreadable' in row) return null;
    if (row.status === 'pending' && byTx.has(row.txHash)) continue;
    if (row.status !== 'processing' || !row.moved) return null;
    const { token, amount } = row.moved;
    const asset =
      kind === 'cashWithdrawal' ? 'mUSD' : kind === 'cashDeposit' ? token : symbols.get(token.toLowerCase());
    if (asset === undefined) return null;
    add(sums, asset, amount);
  }
  return sums;
}

/** Open orders of the list that the journal does not know. */
export const externalOrdersIn = ({ rows }: OrderList, { byTx }: Pick<AccountState, 'byTx'>): OrderReport[] =>
  rows.flatMap((row) => ('unreadable' in row || !isOpen(row) || byTx.has(row.txHash) ? [] : [row]));

/**
 * External orders that the journal counts as open and locking the asset, and that the list no longer shows: they ended
 * unobserved, or an earlier list invented them.
 */
export const unshownIn = (
  { rows }: OrderList,
  { external }: Pick<AccountState, 'external'>,
  asset: string,
): readonly External[] => {
  const shown = new Set(rows.map(({ txHash }) => txHash));
  return [...external.values()].filter(
    ({ txHash, report }) =>
      report !== null && isOpen(report) && assetLocked(report) === asset && !shown.has(txHash),
  );
};

/** Asset locked by an order; null if the venue does not show its terms. */
const assetLocked = ({ terms }: OrderReport): Asset | null => terms && assetOf({ terms });

/** Orders that lock some of the asset (default: of any); an order without visible terms may lock any. */
export const lockingOf = (orders: readonly OrderReport[], asset?: string): OrderReport[] =>
  orders.filter(
    (order) => order.locked !== 0n && (asset === undefined || (assetLocked(order) ?? asset) === asset),
  );

/** One line per order with its lock, and a last line with the remedy. */
export const locksText = (orders: readonly OrderReport[]): string =>
  [
    ...orders.map((order) => {
      const { terms, locked, txHash } = order;
      const what = terms ? `${terms.side} ${terms.symbol}` : 'of unknown terms';
      const amount = locked === null ? 'an amount that the venue does not report' : formatDecimal(locked);
      return `  ${txHash} (${what}): ${amount} ${assetLocked(order) ?? ''}`.trimEnd();
    }),
    'Cancel them (`drover orders cancel TX`) or wait for their end, at the close at the latest',
  ].join('\n');
