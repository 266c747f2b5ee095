import { getAddress } from 'viem/utils';
import type { Address } from '../domain/instrument.ts';
import { balanceOf, transfer, type Place } from './ledger.ts';
import type { World } from './world.ts';

/** The chain's own money, in wei: any address may hold it, and gas is paid in it. */
const pocketOf = (address: Address): Place => ({ holder: getAddress(address), bucket: 'wallet' });

export const nativeOf = ({ state }: World, address: Address): bigint =>
  balanceOf(state.balances, pocketOf(address), 'native');

/** The caller has looked before. */
export function pay(
  { state }: World,
  { from, to, amount }: Readonly<{ from: Address; to: Address; amount: bigint }>,
): void {
  transfer(state.balances, { asset: 'native', amount, from: pocketOf(from), to: pocketOf(to) });
}

/** What a block takes for gas. The caller has looked before. */
export function payGas({ state }: World, from: Address, amount: bigint): void {
  transfer(state.balances, { asset: 'native', amount, from: pocketOf(from), to: 'venue' });
}
