import { formatDecimal } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { External } from '../../domain/orders/reportMatching.ts';
import type { Asset } from '../../domain/account/ledger.ts';
import type { OrderReport } from '../../domain/venue.ts';
import type { Sweep } from '../../engine/runtime/sweep.ts';

/** What has a lock is open, by whatever word. */
export const isOpen = ({ status, locked }: OrderReport): boolean =>
  status === 'open' || status === 'canceling' || locked !== null;

/** Open orders of the list that the journal does not know. */
export const externalOrdersIn = ({ rows }: Sweep, { byTx }: Pick<AccountState, 'byTx'>): OrderReport[] =>
  rows.flatMap((row) => ('unreadable' in row || !isOpen(row) || byTx.has(row.txHash) ? [] : [row]));

/**
 * External orders that the journal counts as open and locking the asset, and that the list, read as far back as an open order
 * can stand in it, does not show: they ended while nobody looked, or a list has invented them.
 */
export const unshownIn = (
  { rows }: Sweep,
  { external }: Pick<AccountState, 'external'>,
  asset: string,
): readonly External[] => {
  const shown = new Set(rows.map(({ txHash }) => txHash));
  return [...external.values()].filter(
    ({ txHash, report }) =>
      report !== null && isOpen(report) && assetOf(report) === asset && !shown.has(txHash),
  );
};

/** What an order locks; null where the venue does not tell. */
const assetOf = ({ terms }: OrderReport): Asset | null =>
  terms && (terms.side === 'buy' ? 'mUSD' : terms.symbol);

/** Those that lock some of the asset, or of any; one of which the venue does not tell it may lock any. */
export const lockingOf = (orders: readonly OrderReport[], asset?: string): OrderReport[] =>
  orders.filter(
    (order) => order.locked !== 0n && (asset === undefined || (assetOf(order) ?? asset) === asset),
  );

/** A line for each order, with what it locks, and a last one with what ends that. */
export const locksText = (orders: readonly OrderReport[]): string =>
  [
    ...orders.map(({ terms, locked, ...order }) => {
      const what = terms ? `${terms.side} ${terms.symbol}` : 'of unknown terms';
      const amount = locked === null ? 'an amount that the venue does not tell' : formatDecimal(locked);
      return `  ${order.txHash} (${what}): ${amount} ${assetOf({ terms, locked, ...order }) ?? ''}`.trimEnd();
    }),
    'Cancel them (`drover orders cancel TX`) or wait for their end, at the close at the latest',
  ].join('\n');
