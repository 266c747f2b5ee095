import type { EpochMs } from '../../core/brand.ts';
import type { Address } from '../../domain/instrument.ts';
import type { Transaction, Wallet } from '../state/state.ts';
import { waitingKey, type VenueState } from '../state/venueState.ts';

/** The wallet of an address; created with its first transaction. */
export function walletOf({ state, wallets }: VenueState, address: Address): Wallet {
  const known = wallets.get(address.toLowerCase());
  if (known) return known;
  const wallet: Wallet = { address, mined: 0, lastBlock: state.start };
  state.wallets.push(wallet);
  wallets.set(address.toLowerCase(), wallet);
  return wallet;
}

/** Nonce that the next block accepts from a wallet. */
export const minedNonce = ({ wallets }: VenueState, address: Address): number =>
  wallets.get(address.toLowerCase())?.mined ?? 0;

/** Nonce of a wallet at the end of an older block, identified by its time. */
export function minedNonceAt(venue: VenueState, address: Address, block: EpochMs): number {
  let nonce = minedNonce(venue, address);
  for (const { from, minedAt } of venue.transactions.values())
    if (minedAt !== null && minedAt > block && from.toLowerCase() === address.toLowerCase()) nonce--;
  return nonce;
}

export const waitingAt = ({ waiting }: VenueState, from: Address, nonce: number): Transaction | undefined =>
  waiting.get(waitingKey({ from, nonce }));

/** The first free nonce after the pending transactions without a gap. */
export function pendingNonce(venue: VenueState, address: Address): number {
  let nonce = minedNonce(venue, address);
  while (waitingAt(venue, address, nonce)) nonce++;
  return nonce;
}

export const waitingOf = (venue: VenueState, address: Address): readonly Transaction[] =>
  [...venue.waiting.values()].filter(({ from }) => from.toLowerCase() === address.toLowerCase());
