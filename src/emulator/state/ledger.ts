import { invariant } from '../../core/errors.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';

/** Cash in the cashier, the cash token, the chain's own money, or a stock. */
export type Asset = 'mUSD' | 'USDC' | 'native' | Ticker;
/**
 * `exchange`: free to use, in the cashier or on the exchange. `queued`: on its way in or out, until the cashier settles.
 * `debt`: owed for deferred sells.
 */
export type Bucket = 'exchange' | 'locked' | 'queued' | 'wallet' | 'debt';

/** A user's bucket, or the venue's side of every movement, which may be negative. */
export type Place = Readonly<{ holder: Address; bucket: Bucket }> | 'venue';

type Balances = Record<string, bigint>;

type Keys = Partial<Record<Bucket, string>>;

/** Cache by asset and holder: looking up by a freshly built string is slow. */
const keys = new Map<Asset, Map<Address, Keys>>();

function keyOf(place: Place, asset: Asset): string {
  if (place === 'venue') return `venue/${asset}`;
  const { holder, bucket } = place;
  let ofAsset = keys.get(asset);
  if (!ofAsset) keys.set(asset, (ofAsset = new Map<Address, Keys>()));
  let ofHolder = ofAsset.get(holder);
  if (!ofHolder) ofAsset.set(holder, (ofHolder = {}));
  return (ofHolder[bucket] ??= `${holder}/${bucket}/${asset}`);
}

export const balanceOf = (balances: Balances, place: Place, asset: Asset): bigint =>
  balances[keyOf(place, asset)] ?? 0n;

export type Movement = Readonly<{ asset: Asset; amount: bigint; from: Place; to: Place }>;

/**
 * The only way an amount changes: what one place loses, another gains. Wads (10⁻¹⁸).
 * @throws {InvariantError} when a user's bucket would become negative: the caller has to look first
 */
export function transfer(balances: Balances, { asset, amount, from, to }: Movement): void {
  const left = balanceOf(balances, from, asset) - amount;
  invariant(amount >= 0n && (from === 'venue' || left >= 0n), 'no bucket of a user is negative', {
    asset,
    amount,
    from,
  });
  balances[keyOf(from, asset)] = left;
  balances[keyOf(to, asset)] = balanceOf(balances, to, asset) + amount;
}
