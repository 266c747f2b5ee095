import { notionalOf } from '../core/amount.ts';
import { assetOf, type Books } from './books.ts';
import type { Asset } from './ledger.ts';
import type { AccountReport, OrderTerms } from './venue.ts';

/**
 * One asset on which the ledger and the venue differ now. `expected` takes working orders as locked and all others as not
 * yet mined. `explainable`: the live orders could have moved it, and we have just not been told yet.
 */
export type Mismatch = Readonly<{
  asset: Asset;
  expected: bigint;
  actual: bigint;
  explainable: boolean;
  /** What is missing even if every order that is not seen yet has been mined and locked. */
  shortfall: bigint;
}>;

/** Balances of the venue are net of locks, so a working order's reserve is missing from them. */
export function compareAccount(books: Books, account: AccountReport): Mismatch[] {
  const assets = new Set<Asset>([...books.ledger.assets, ...account.holdings.keys()]);
  const mismatches: Mismatch[] = [];
  for (const asset of assets) {
    const actual = asset === 'mUSD' ? account.cash : (account.holdings.get(asset)?.exchange ?? 0n);
    const { expected, least, most } = expectedOf(books, asset);
    if (actual === expected) continue;
    const explainable = actual >= least && actual <= most;
    mismatches.push({
      asset,
      expected,
      actual,
      explainable,
      shortfall: actual < least ? least - actual : 0n,
    });
  }
  return mismatches;
}

/** What the venue should show, and the range in which events we have not seen yet could have moved it. */
function expectedOf(books: Books, asset: Asset): { expected: bigint; least: bigint; most: bigint } {
  const total = books.ledger.total(asset);
  let [locked, unseen, incoming] = [0n, 0n, 0n];
  for (const order of books.live.values()) {
    const { state, terms } = order;
    if (state.kind === 'planned') continue;
    if (assetOf(order) !== asset) {
      if (asset === 'mUSD' || asset === terms.symbol) incoming += mostReceived(order.terms);
      continue;
    }
    if (state.kind === 'working') locked += state.locked;
    else unseen += order.reserve;
  }
  return { expected: total - locked, least: total - locked - unseen, most: total + incoming };
}

/** No price bounds what a market sell brings in; it lives for seconds only. */
const WITHOUT_BOUND = 10n ** 40n;

function mostReceived(terms: OrderTerms): bigint {
  if (terms.type === 'market') return WITHOUT_BOUND;
  return terms.side === 'buy' ? terms.quantity : 2n * notionalOf(terms.quantity, terms.price, 'up');
}
