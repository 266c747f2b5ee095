import type { Address } from '../domain/instrument.ts';
import { balanceOf, transfer, type Asset, type Bucket } from './ledger.ts';
import type { World } from './world.ts';

export type ForeignMove = Readonly<{ userAddress: Address; bucket: Bucket; asset: Asset; amount: bigint }>;

/** Money that another actor brings, or takes when the amount is negative. Gives the cause of a revert. */
export function moveForeign({ state: { balances } }: World, move: ForeignMove): string | null {
  const { asset, amount } = move;
  const place = { holder: move.userAddress, bucket: move.bucket };
  if (amount >= 0n) {
    transfer(balances, { asset, amount, from: 'venue', to: place });
    return null;
  }
  if (balanceOf(balances, place, asset) < -amount) return `insufficient ${asset}`;
  transfer(balances, { asset, amount: -amount, from: place, to: 'venue' });
  return null;
}
