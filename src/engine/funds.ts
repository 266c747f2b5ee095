import type { Asset } from '../domain/ledger.ts';
import type { Order } from '../domain/order.ts';
import { assetOf } from '../domain/orderAmounts.ts';
import type { Desk } from './desk.ts';

/** What the account can pay now, by ledger and venue together. `unshown`: more that the balance has yet to show. */
export type Funds = Readonly<{ available: bigint; missing: bigint; unshown: bigint }>;

/** Null before the account was read. What live orders have been sent with is theirs. */
export function fundsFor({ books, account, unshown }: Desk, asset: Asset): Funds | null {
  if (!account) return null;
  const missing = account.shortfalls.get(asset) ?? 0n;
  const coming = unshown.get(asset) ?? 0n;
  // What has not come yet may be the very thing that is missing.
  let available = books.ledger.total(asset) - (missing > coming ? missing : coming);
  for (const other of books.live.values())
    if (other.state.kind !== 'planned' && assetOf(other) === asset) available -= other.reserve;
  return { available, missing, unshown: coming };
}

/** Whether an order can be paid only with what the balance has yet to show. */
export function awaitsBalance(desk: Desk, order: Pick<Order, 'terms' | 'reserve'>): boolean {
  if (desk.unshown.size === 0) return false;
  const funds = fundsFor(desk, assetOf(order));
  return (
    funds !== null && funds.available < order.reserve && funds.available + funds.unshown >= order.reserve
  );
}
