import type { Cash, Price, Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Payment, Split } from '../corporateAction.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';
import type { TransferId } from '../transfers/transfer.ts';
import type { Side } from '../venue.ts';
import type { StrategyId } from './ledger.ts';

/** Settled order. `quantity`, `notional` and `fees` are positive; the change of the account is in `cash` and `shares`. */
export type TradeTerms = Readonly<{
  orderId: OrderId;
  /** The venue's id of the order, and the hash of its transaction; null if they were never known. */
  venueId: string | null;
  txHash: string | null;
  intentId: string;
  side: Side;
  /** Shares that were bought or sold. */
  quantity: Shares;
  price: Price;
  /** Money before fees. */
  notional: Cash;
  mintFee: Cash;
  protocolFee: Cash;
  /** True for a deferred sell: it sells shares of the wallet, which are owed from then on, and none at the venue. */
  deferred: boolean;
  reason: string;
  tag?: string;
}>;

/** Kinds of money and stock that come or go without a trade. `accepted`: a balance that an operator accepted. */
export type FlowKind = 'cashDeposit' | 'cashWithdrawal' | 'stockDeposit' | 'stockWithdrawal' | 'accepted';

/** Value in mUSD of an amount that comes (above 0) or goes. `id`: of the transfer; null for an accepted balance. */
export type FlowTerms = Readonly<{ source: FlowKind; id: TransferId | null; value: Cash }>;

/**
 * Part of a dividend by owner of the shares, the unallocated part less what owed shares cost. `quantity`: shares entitled. `price`:
 * of the shares that came instead of cash, of which `amount` is the value.
 */
export type DividendTerms = Readonly<{ action: Payment; quantity: Shares; amount: Cash; price?: Price }>;

/**
 * Cause of a change. `traded` and `reversed` (the chain undid the trade) are settled orders; `flow` and `flowReturned` (the
 * transfer failed) move capital; `covered` moves an amount between owners, because an order took more than its own had left.
 * `entitled` changes nothing yet, and `debtRepaid` nothing at the venue.
 */
export type ChangeCause = Readonly<
  | { kind: 'opened'; price: Price | null }
  | { kind: 'allocated' }
  | ({ kind: 'traded' | 'reversed' } & TradeTerms)
  | ({ kind: 'flow' | 'flowReturned' } & FlowTerms)
  | { kind: 'covered' }
  | ({ kind: 'entitled' | 'paid' } & DividendTerms)
  | { kind: 'split'; action: Split }
  | { kind: 'writtenOff'; value: Cash; why: string }
  | { kind: 'debtRepaid'; quantity: Shares }
>;

/**
 * Change of one owner's balances at the venue, free and reserved together: `cash` in mUSD, and `shares` of `symbol`. The sum of
 * all changes is the ledger, owner by owner.
 */
export type AccountChange = Readonly<{
  at: EpochMs;
  strategyId: StrategyId;
  cash: Cash;
  /** Stock that it is about; null if it is about cash alone. */
  symbol: Ticker | null;
  shares: Shares;
}> &
  ChangeCause;
