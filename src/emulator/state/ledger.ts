import { invariant } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import type { VenueState } from './venueState.ts';
import type { Asset } from './state.ts';
/**
 * `exchange`: free, in the cashier or on the exchange. `queued`: in transit, until the cashier settles. `debt`: owed
 * for deferred sells.
 */
export type Bucket = 'exchange' | 'locked' | 'queued' | 'wallet' | 'debt';

/** A user's bucket, or the venue's side of a movement, which may be negative. */
export type Place = Readonly<{ holder: Address; bucket: Bucket }> | 'venue';

type Balances = Record<string, bigint>;

type Keys = Partial<Record<Bucket, string>>;

/** Keys by asset, holder and bucket, cached because looking up a freshly built string is slow. */
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

type Movement = Readonly<{ asset: Asset; amount: bigint; from: Place; to: Place }>;

/**
 * Moves an amount: the only way in which balances change. Wads (10⁻¹⁸).
 * @throws {InvariantError} when a user's bucket would become negative: the caller must check first
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

type ExternalMove = Readonly<{ userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

const placeOf = ({ userAddress: holder, bucket }: ExternalMove): Place => ({ holder, bucket });

/** Reason why external money cannot be moved, or null. */
export const externalMoveProblem = ({ state }: VenueState, move: ExternalMove): string | null => {
  const isBound = move.bucket === 'locked' || move.bucket === 'queued';
  if (isBound && move.amount < 0n)
    return `what is ${move.bucket} belongs to an order or operation: it can only be added to`;
  return balanceOf(state.balances, placeOf(move), move.asset) + move.amount < 0n
    ? `insufficient ${move.asset}`
    : null;
};

/** Adds external money, or removes it if the amount is negative. The caller has checked that this is possible. */
export function moveExternal({ state: { balances } }: VenueState, move: ExternalMove): void {
  const { asset, amount } = move;
  if (amount >= 0n) transfer(balances, { asset, amount, from: 'venue', to: placeOf(move) });
  else transfer(balances, { asset, amount: -amount, from: placeOf(move), to: 'venue' });
}
