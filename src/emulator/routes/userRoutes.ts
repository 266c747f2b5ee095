import { formatDecimal, toNumber } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { cashToken, CHAIN_ID, PRODUCT, TOKEN_DECIMALS } from '../state/constants.ts';
import { balanceOf } from '../state/ledger.ts';
import type { ListedSymbol } from '../market/index.ts';
import { invalid, notFound } from '../state/messages.ts';
import type { Account, Asset } from '../state/state.ts';
import { allowanceOf } from '../state/tokens.ts';
import { priceOf, type VenueState } from '../state/venueState.ts';
import { shownFree } from '../views/falseEnds.ts';
import type { Context, Handler, Routes } from './route.ts';

const NO_SPENDER = `0x${'0'.repeat(40)}`;

function accountAt({ venue, path }: Context): Account {
  const userId = (path['userId'] ?? '').trim().toLowerCase();
  const account = venue.accounts.get(userId);
  if (!account) throw notFound('user not found');
  return account;
}

const user: Handler = (context) => {
  const { userAddress } = accountAt(context);
  return JSON.stringify({ userId: userAddress.toLowerCase(), userAddress });
};

type Holdings = Readonly<{ venue: VenueState; account: Account; spender: string; now: EpochMs }>;

function holdingsAt(context: Context): Holdings {
  const spender = context.query.get('spenderAddress') ?? NO_SPENDER;
  if (!/^0x[0-9a-fA-F]{40}$/.test(spender)) throw invalid('spenderAddress must be an EVM address');
  return { venue: context.venue, account: accountAt(context), spender, now: context.now };
}

/** Balances of one token, net of locks by open orders. */
function amountsOf({ venue, account, spender, now }: Holdings, token: string, asset: Asset) {
  const { userAddress: holder } = account;
  return {
    walletBalance: formatDecimal(balanceOf(venue.state.balances, { holder, bucket: 'wallet' }, asset)),
    walletAllowance: formatDecimal(allowanceOf(account, { token, spender })),
    exchangeBalance: formatDecimal(shownFree(venue, { holder, asset }, now)),
  };
}

const cashBalance = (holdings: Holdings) => ({
  address: cashToken.address,
  name: 'USD Coin',
  symbol: cashToken.symbol,
  stockSymbol: null,
  isStock: false,
  decimals: cashToken.decimals,
  price: null,
  ...amountsOf(holdings, cashToken.address, cashToken.symbol),
  logoUrl: '',
});

const stockBalance = (holdings: Holdings, listing: ListedSymbol) => ({
  address: listing.address,
  name: listing.contractName,
  symbol: listing.contractSymbol,
  stockSymbol: listing.symbol,
  isStock: true,
  decimals: TOKEN_DECIMALS,
  price: toNumber(priceOf(holdings.venue, listing.symbol, holdings.now)),
  ...amountsOf(holdings, listing.address, listing.symbol),
  logoUrl: '',
});

/** Every stock of the user, in any bucket: a fully locked one is listed with 0. */
const stockBalances = (holdings: Holdings) => {
  const { venue, account } = holdings;
  const has = ({ symbol }: ListedSymbol) =>
    (['exchange', 'locked', 'wallet'] as const).some(
      (bucket) => balanceOf(venue.state.balances, { holder: account.userAddress, bucket }, symbol) > 0n,
    );
  return venue.market.listings.filter(has).map((listing) => stockBalance(holdings, listing));
};

const positions: Handler = (context) => JSON.stringify(stockBalances(holdingsAt(context)));

const balance: Handler = (context) => {
  const holdings = holdingsAt(context);
  const { userAddress: holder } = holdings.account;
  return JSON.stringify({
    chainId: CHAIN_ID,
    productType: PRODUCT,
    address: holder,
    mUsdBalance: formatDecimal(shownFree(context.venue, { holder, asset: 'mUSD' }, context.now)),
    tokenBalances: [cashBalance(holdings), ...stockBalances(holdings)],
  });
};

export const userRoutes: Routes = {
  'GET /api/v1/users/{userId}': user,
  'GET /api/v1/users/{userId}/balance': balance,
  'GET /api/v1/users/{userId}/positions': positions,
};
