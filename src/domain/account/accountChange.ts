import type { Cash, Price, Shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Payment, Split } from '../corporateAction.ts';
import type { Ticker } from '../instrument.ts';
import type { OrderId } from '../orders/order.ts';
import type { TransferId } from '../transfers/transfer.ts';
import type { Side } from '../venue.ts';
import type { StrategyId } from './ledger.ts';

/** Settled order. `quantity`, `notional` and `fees` are positive; the account's change is in `cash` and `shares`. */
export type TradeTerms = Readonly<{
  orderId: OrderId;
  /** The venue's id of the order, and its transaction hash; null if never known. */
  venueId: string | null;
  txHash: string | null;
  intentId: string;
  side: Side;
  /** Shares bought or sold. */
  quantity: Shares;
  price: Price;
  /** Money before fees. */
  notional: Cash;
  mintFee: Cash;
  protocolFee: Cash;
  /** True for a deferred sell: it sells shares in the wallet, which are owed from then on, and none at the venue. */
  deferred: boolean;
  reason: string;
  tag?: string;
}>;

/** Kinds of money and stock that arrive or leave without a trade. `accepted`: a balance accepted by an operator. */
export type FlowKind = 'cashDeposit' | 'cashWithdrawal' | 'stockDeposit' | 'stockWithdrawal' | 'accepted';

/** Value in mUSD of an amount that arrives (positive) or leaves. `id`: of the transfer; null for an accepted balance. */
export type FlowTerms = Readonly<{ source: FlowKind; id: TransferId | null; value: Cash }>;

/**
 * An owner's part of a dividend; the unallocated part is reduced by the cost of owed shares. `quantity`: entitled
 * shares. `price`: of shares received instead of cash, whose value is `amount`.
 */
export type DividendTerms = Readonly<{ action: Payment; quantity: Shares; amount: Cash; price?: Price }>;

/**
 * Cause of a change. `traded` and `reversed` (the chain undid the trade) are settled orders; `flow` and `flowReturned`
 * (the transfer failed) move capital; `covered` moves an amount between owners, because an order took more than its
 * owner had left. `entitled` changes nothing yet, and `debtRepaid` changes nothing at the venue.
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
 * Change of one owner's balances at the venue, free plus reserved: `cash` in mUSD, and `shares` of `symbol`. Per owner,
 * the sum of all changes is the ledger.
 */
export type AccountChange = Readonly<{
  at: EpochMs;
  strategyId: StrategyId;
  cash: Cash;
  /** Stock concerned; null if only cash changes. */
  symbol: Ticker | null;
  shares: Shares;
}> &
  ChangeCause;
