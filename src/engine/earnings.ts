import { cash, notionalOf, type Cash } from '../core/amount.ts';
import type { Books } from '../domain/books.ts';
import { operationHasEnded, type Operation } from '../domain/operation.ts';
import type { Order } from '../domain/order.ts';
import type { Desk } from './desk.ts';
import { accountEquity } from './exposure.ts';

/**
 * Earnings of a strategy in mUSD. `realised`: closed trades and dividends; `unrealised`: what its shares are worth beyond
 * their cost; `pnl`: both together. Fees are taken from both already.
 */
export type Earnings = Readonly<{ realised: Cash; unrealised: Cash; pnl: Cash }>;

/** Transfers in mUSD: stock counts at what it was worth when its transfer was planned. */
export type Transfers = Readonly<{ deposited: Cash; withdrawn: Cash; adopted: Cash }>;

/** Earnings of one strategy since the books were opened. */
export function earningsOf({ books, market }: Desk, owner: string): Earnings {
  let [realised, unrealised] = [0n, 0n];
  for (const [symbol, position] of books.positions.all(owner)) {
    realised += position.realised;
    const price = market.price(symbol);
    if (price !== null) unrealised += notionalOf(position.quantity, price, 'down') - position.cost;
  }
  return { realised: cash(realised), unrealised: cash(unrealised), pnl: cash(realised + unrealised) };
}

/** Fees that the settlements of orders name, in mUSD. */
export function feesOf(orders: readonly Order[]): Cash {
  let fees = 0n;
  for (const { state } of orders)
    if (state.kind === 'closed' && state.settlement)
      fees += state.settlement.mintFee + state.settlement.protocolFee;
  return cash(fees);
}

/**
 * Earnings of what no strategy was given, such as stock that the account held before: whatever the change of the equity
 * since the books were opened has beyond the strategies' `pnl` and the transfers. With it the parts add up exactly.
 */
export function unallocatedPnl(desk: Desk, strategies: readonly Pick<Earnings, 'pnl'>[]): Cash {
  const { deposited, withdrawn, adopted } = transfersOf(desk.books);
  const change = accountEquity(desk) - (desk.books.opened?.equity ?? 0n);
  const earned = strategies.reduce((sum, { pnl }) => sum + pnl, 0n);
  return cash(change - earned - deposited + withdrawn - adopted);
}

/** Transfers since the books were opened. A withdrawal counts from the moment at which its amount is set aside. */
export function transfersOf({ operations, adopted }: Books): Transfers {
  let [deposited, withdrawn] = [0n, 0n];
  for (const operation of operations.all.values()) {
    deposited += depositedBy(operation);
    withdrawn += withdrawnBy(operation);
  }
  return { deposited: cash(deposited), withdrawn: cash(withdrawn), adopted };
}

function depositedBy({ state, terms, value }: Operation): bigint {
  if (state.kind !== 'settled') return 0n;
  if (terms.kind === 'cashDeposit') return state.received;
  return terms.kind === 'stockDeposit' ? value : 0n;
}

function withdrawnBy(operation: Operation): bigint {
  const { state, terms, value } = operation;
  if (operationHasEnded(operation) && state.kind !== 'settled') return 0n;
  if (terms.kind === 'cashWithdrawal') return terms.amount;
  return terms.kind === 'stockWithdrawal' ? value : 0n;
}
