import { getAddress } from 'viem/utils';
import { stepOf } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { Emit } from './events.ts';
import { cashToken, contracts, TOKEN_DECIMALS } from './constants.ts';
import { balanceOf, transfer, type Place } from './ledger.ts';
import type { Account, Asset, Hex } from './state.ts';
import { accountOf, type VenueState } from './venueState.ts';

/** Right of a spender to take a token from a wallet. */
type Allowance = Account['allowances'][number];

type Grant = Readonly<{ token: string; spender: string }>;

const grantIn = ({ allowances }: Account, { token, spender }: Grant): Allowance | undefined =>
  allowances.find((each) => sameAddress(each.token, token) && sameAddress(each.spender, spender));

/** Amount that a spender may take. A wad. */
export const allowanceOf = (account: Account, grant: Grant): bigint => grantIn(account, grant)?.amount ?? 0n;

/** Sets an allowance, replacing the earlier one. */
export function approve(account: Account, { token, spender, amount }: Allowance): void {
  const given = grantIn(account, { token, spender });
  if (given) given.amount = amount;
  else account.allowances.push({ token, spender, amount });
}

/** A token's raw amount as a wad. */
const wadOf = (token: Address, raw: bigint): bigint => raw * stepOf(decimalsOf(token));
/** A wad in raw units of a token, rounded down. */
export const rawOf = (token: Address, wad: bigint): bigint => wad / stepOf(decimalsOf(token));

export const decimalsOf = (token: Address): number =>
  sameAddress(token, cashToken.address) ? cashToken.decimals : TOKEN_DECIMALS;

/** Executes an approval sent by a wallet. */
export function approveBy(
  venue: VenueState,
  { user, token, spender, amount, emit }: TokenAmount & Readonly<{ spender: Address; emit: Emit }>,
): void {
  approve(accountOf(venue, user), { token, spender, amount: wadOf(token, amount) });
  emit({ address: token, name: 'Approval', args: { owner: user, spender, value: amount } });
}

/** Amount of a token that a contract moves for a user: a wad, or for the cashier in the router's units. */
export type TokenAmount = Readonly<{ user: Address; token: Address; amount: bigint }>;
/** The same with the transaction that moves it. */
export type TokenCall = TokenAmount & Readonly<{ hash: Hex; emit: Emit }>;

/** Ledger asset of a token. Null for a token that the venue does not know. */
export const assetOf = ({ listings }: VenueState, token: Address): Asset | null =>
  sameAddress(token, cashToken.address)
    ? cashToken.symbol
    : (listings.get(token.toUpperCase())?.symbol ?? null);

/** Reason why the router cannot take the token, or null. */
export function spendingProblem(venue: VenueState, { user, token, amount }: TokenAmount): string | null {
  const asset = assetOf(venue, token);
  if (asset === null) return 'unknown token';
  const allowed = allowanceOf(accountOf(venue, user), { token, spender: contracts.router });
  if (allowed < amount) return 'insufficient allowance';
  const held = balanceOf(venue.state.balances, { holder: user, bucket: 'wallet' }, asset);
  return held < amount ? 'insufficient wallet balance' : null;
}

/** Reduces the wallet's allowance for the router. The caller moves the token and has checked the allowance. */
export function spendAllowance(venue: VenueState, { user, token, amount }: TokenAmount): void {
  const account = accountOf(venue, user);
  const allowed = allowanceOf(account, { token, spender: contracts.router });
  approve(account, { token, spender: contracts.router, amount: allowed - amount });
}

/** Ledger place of native money, in wei: any address may hold it, and gas is paid from it. */
const pocketOf = (address: Address): Place => ({ holder: getAddress(address), bucket: 'wallet' });

export const nativeOf = ({ state }: VenueState, address: Address): bigint =>
  balanceOf(state.balances, pocketOf(address), 'native');

/** Moves native money. The caller has checked the balance. */
export function pay(
  { state }: VenueState,
  { from, to, amount }: Readonly<{ from: Address; to: Address; amount: bigint }>,
): void {
  transfer(state.balances, { asset: 'native', amount, from: pocketOf(from), to: pocketOf(to) });
}

/** Charges a wallet for gas. The caller has checked the balance. */
export function payGas({ state }: VenueState, from: Address, amount: bigint): void {
  transfer(state.balances, { asset: 'native', amount, from: pocketOf(from), to: 'venue' });
}
