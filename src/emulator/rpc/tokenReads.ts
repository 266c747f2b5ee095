import { getAddress } from 'viem/utils';
import { InvariantError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import type { CallTo } from '../../wallet/routerAbi.ts';
import type { tokenReads } from '../chain/tokenAbi.ts';
import { cashToken } from '../deployment.ts';
import { balanceOf, type Asset } from '../ledger.ts';
import { allowanceOf, assetOf, decimalsOf, rawOf } from '../tokens.ts';
import type { World } from '../world.ts';

/** As the venue's balances have it. */
const CASH_NAME = 'USD Coin';

type TokenRead = CallTo<(typeof tokenReads)[number]>;

/** What a token answers (ERC-20). Amounts in its raw units. */
export function readToken(world: World, token: Address, read: TokenRead): unknown {
  switch (read.kind) {
    case 'name':
      return world.listings.get(token.toUpperCase())?.contractName ?? CASH_NAME;
    case 'symbol':
      return world.listings.get(token.toUpperCase())?.contractSymbol ?? cashToken.symbol;
    case 'decimals':
      return decimalsOf(token);
    case 'totalSupply':
      return rawOf(token, supplyOf(world, assetIn(world, token)));
    case 'balanceOf':
      return rawOf(token, walletBalance(world, read.owner, assetIn(world, token)));
    case 'allowance':
      return rawOf(token, allowed(world, { token, ...read }));
  }
}

function assetIn(world: World, token: Address): Asset {
  const asset = assetOf(world, token);
  if (asset === null) throw new InvariantError(`no token ${token}`);
  return asset;
}

const walletBalance = ({ state }: World, owner: Address, asset: Asset): bigint =>
  balanceOf(state.balances, { holder: getAddress(owner), bucket: 'wallet' }, asset);

/** All that anyone holds, in wallets and in the contracts. */
const supplyOf = ({ state }: World, asset: Asset): bigint =>
  state.accounts
    .flatMap(({ userAddress: holder }) =>
      (['wallet', 'queued', 'exchange', 'locked'] as const).map((bucket) =>
        balanceOf(state.balances, { holder, bucket }, asset),
      ),
    )
    .reduce((sum, each) => sum + each, 0n);

function allowed(
  { accounts }: World,
  { token, owner, spender }: Readonly<{ token: Address; owner: Address; spender: Address }>,
): bigint {
  const account = accounts.get(owner.toLowerCase());
  return account ? allowanceOf(account, { token, spender }) : 0n;
}
