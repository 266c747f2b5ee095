import { formatDecimal } from '../../core/amount.ts';
import { toIso, toMs, type EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { cashToken } from '../state/constants.ts';
import { balanceOf, type Bucket } from '../state/ledger.ts';
import type { Account, Order, Transaction, Asset } from '../state/state.ts';
import { SIDES, TYPES } from './orderView.ts';
import type { VenueState } from '../state/venueState.ts';

/** Actual state of orders and accounts, for tests: no lag, no key. Times are ISO 8601, amounts decimal texts. */
export const truthOf = (venue: VenueState, now: EpochMs) => ({
  now: toIso(now),
  orders: venue.state.orders.map((order) => trueOrder(venue, order)),
  accounts: venue.state.accounts.map((account) => trueAccount(venue, account)),
  /** Requests by method and path. `accepted`: successful; `answered`: the connection was not broken. */
  requests: venue.state.requests,
});

export type Truth = Readonly<ReturnType<typeof truthOf>>;

const amountOrNull = (wad: bigint | null | undefined): string | null =>
  wad === null || wad === undefined ? null : formatDecimal(wad);

function trueOrder(venue: VenueState, order: Order) {
  const { settlement } = order;
  const transaction = venue.transactions.get(order.txHash);
  const minedAt = transaction?.minedAt ?? null;
  const settledAt = settlement === null ? undefined : order.changes.at(-1)?.at;
  return {
    orderId: order.orderId,
    txHash: order.txHash,
    userAddress: order.userAddress,
    apiKey: venue.mappings.get(order.txHash)?.apiKey ?? null,
    symbol: order.symbol,
    stockAddress: venue.listings.get(order.symbol)?.address ?? '',
    side: SIDES[order.side],
    type: TYPES[order.type],
    quantity: amountOrNull(order.quantity),
    notional: amountOrNull(order.notional),
    price: amountOrNull(order.price),
    status: order.word,
    filledQuantity: formatDecimal(order.filled),
    settlePay: amountOrNull(settlement?.pay),
    settleReceive: amountOrNull(settlement?.receive),
    mintFee: amountOrNull(settlement?.mintFee),
    protocolFee: amountOrNull(settlement?.protocolFee),
    deadline: toIso(toMs(order.deadline)),
    /** Also set for a reverted transaction. */
    minedAt: minedAt === null ? null : toIso(minedAt),
    /** Amount locked: mUSD with fees for a buy, otherwise shares. */
    reserve: formatDecimal(order.reserve),
    /** Time of the last settlement, which moved `settlePay` and `settleReceive`; null before the first. */
    settledAt: settledAt === undefined ? null : toIso(settledAt),
    /** The fault rule under which venue or node make false statements about it; null if none. */
    lie: lieAbout(order, transaction),
  };
}

function lieAbout({ fate }: Order, transaction: Transaction | undefined): string | null {
  if (fate?.kind === 'false-end' || fate?.kind === 'false-settlement') return fate.kind;
  return transaction?.lie === undefined ? null : 'false-receipt';
}

function trueAccount(venue: VenueState, { userAddress: holder }: Account) {
  const read = (bucket: Bucket, asset: Asset) =>
    formatDecimal(balanceOf(venue.state.balances, { holder, bucket }, asset));
  const stockOf = (symbol: Ticker) => ({
    symbol,
    exchange: read('exchange', symbol),
    locked: read('locked', symbol),
    wallet: read('wallet', symbol),
    debt: read('debt', symbol),
  });
  const isHeld = ({ symbol: _symbol, ...amounts }: ReturnType<typeof stockOf>) =>
    Object.values(amounts).some((amount) => amount !== '0');
  return {
    userAddress: holder,
    mUsd: read('exchange', 'mUSD'),
    mUsdLocked: read('locked', 'mUSD'),
    /** Amount in transit out, until the cashier settles. */
    mUsdQueued: read('queued', 'mUSD'),
    /** Cash tokens in the wallet, and in transit in. */
    cashToken: { wallet: read('wallet', cashToken.symbol), queued: read('queued', cashToken.symbol) },
    stocks: venue.market.listings.map(({ symbol }) => stockOf(symbol)).filter(isHeld),
  };
}
