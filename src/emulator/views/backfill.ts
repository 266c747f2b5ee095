import type { EpochMs } from '../../core/brand.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { requestOf, type Call } from '../state/calls.ts';
import type { ChainEvent } from '../state/events.ts';
import { placementOf } from '../trading/orders.ts';
import type { Hex, Mapping, Transaction } from '../state/state.ts';
import type { OperationWord } from '../state/constants.ts';
import { operationIdOf, type VenueState } from '../state/venueState.ts';

/** Purpose of transactions that can be linked to a key but place no order, by kind of call. */
const MOVES: Readonly<Partial<Record<Call['kind'], OperationWord>>> = {
  deposit: 'deposit',
  withdraw: 'withdraw',
  depositStock: 'stock_deposit',
  withdrawStock: 'stock_withdraw',
  repayDeferredStockDebt: 'deferred_repay',
};

/** Types read so far, cached because decoding calldata for each row of each list is slow. */
const types = new WeakMap<Transaction, OperationWord | null>();

/** Purpose of a transaction. Null for one that cannot be linked: a cancel, an approval, or any non-router call. */
export function typeOf(venue: VenueState, transaction: Transaction): OperationWord | null {
  let type = types.get(transaction);
  if (type === undefined) {
    const asked = requestOf(venue, transaction);
    type = !asked ? null : placementOf(asked) ? 'trade' : (MOVES[asked.kind] ?? null);
    types.set(transaction, type);
  }
  return type;
}

/** Facts that the indexer has read from a linked transaction. */
export type Backfill = Readonly<{ orderId: Hex | null; operationId: Hex | null; reverted: boolean }>;

/**
 * Facts about a link's transaction. Null until the indexer has reached its block, and always if the transaction belongs to another
 * wallet or purpose. Ids come from the events; those of stock have none, and are derived from the transaction (spec, "What the
 * service does").
 */
export function backfillOf(venue: VenueState, mapping: Mapping, until: EpochMs): Backfill | null {
  const transaction = venue.transactions.get(mapping.txHash);
  if (!transaction?.receipt || transaction.minedAt === null || transaction.minedAt > until) return null;
  if (!isFor(venue, mapping, transaction)) return null;
  const { revert, events } = transaction.receipt;
  const ids = { orderId: null, operationId: null, reverted: revert !== null };
  return events.reduce<Backfill>((known, event) => ({ ...known, ...idsIn(event, transaction.hash) }), ids);
}

function isFor(venue: VenueState, { apiKey, type }: Mapping, transaction: Transaction): boolean {
  const key = venue.keys.get(apiKey);
  if (!key || typeOf(venue, transaction) !== type) return false;
  return key.unbound || sameAddress(transaction.user, key.userAddress);
}

function idsIn({ name, args }: ChainEvent, hash: Hex): Partial<Backfill> {
  switch (name) {
    case 'MarketOrderPlaced':
    case 'LimitOrderPlaced':
      return { orderId: args.orderId };
    case 'InstantDeposit':
    case 'DepositRequested':
    case 'InstantWithdrawal':
    case 'WithdrawalRequested':
      return { operationId: args.opId };
    case 'StockDeposited':
    case 'StockWithdrawn':
      return { operationId: operationIdOf(hash) };
    default:
      return {};
  }
}
