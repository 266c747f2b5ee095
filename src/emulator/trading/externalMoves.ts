import type { Address } from '../../domain/instrument.ts';
import { balanceOf, transfer, type Asset, type Bucket, type Place } from '../state/ledger.ts';
import type { VenueState } from '../state/venueState.ts';

export type ExternalMove = Readonly<{ userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

const placeOf = ({ userAddress: holder, bucket }: ExternalMove): Place => ({ holder, bucket });

/** Why money cannot be moved so, or null. */
export const externalMoveProblem = ({ state }: VenueState, move: ExternalMove): string | null => {
  const isBound = move.bucket === 'locked' || move.bucket === 'queued';
  if (isBound && move.amount < 0n)
    return `what is ${move.bucket} belongs to an order or operation: it can only be added to`;
  return balanceOf(state.balances, placeOf(move), move.asset) + move.amount < 0n
    ? `insufficient ${move.asset}`
    : null;
};

/** Money that another actor brings, or takes when the amount is negative. The caller has checked that it can happen. */
export function moveExternal({ state: { balances } }: VenueState, move: ExternalMove): void {
  const { asset, amount } = move;
  if (amount >= 0n) transfer(balances, { asset, amount, from: 'venue', to: placeOf(move) });
  else transfer(balances, { asset, amount: -amount, from: placeOf(move), to: 'venue' });
}
