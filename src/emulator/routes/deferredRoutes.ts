import { z } from 'zod';
import { formatDecimal } from '../../core/amount.ts';
import { sameAddress } from '../../domain/instrument.ts';
import type { RouterCall } from '../state/calls.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import { balanceOf } from '../state/ledger.ts';
import { invalid } from '../state/messages.ts';
import { boundUser, type Context, type Handler, type Route } from './route.ts';
import { address, amount, gasLimit, parseBody } from './fields.ts';
import { answerCalldata, sendDelegated } from './submission.ts';

const fields = { stockAddress: address, quantity: amount(TOKEN_DECIMALS) };
const calldataBody = z.object({ userAddress: address, ...fields });
const sendBody = z.object({ ...fields, gasLimit });

type Repayment = Pick<z.output<typeof sendBody>, keyof typeof fields>;

/** Builds the call. Debt and stock are checked on the chain, not here. */
function repayCall({ venue }: Context, { stockAddress, quantity }: Repayment): RouterCall {
  if (!venue.listings.has(stockAddress.toUpperCase()))
    throw invalid('stockAddress must be the contract of a listed stock token');
  if (quantity === 0n) throw invalid('quantity must be greater than 0');
  return { kind: 'repayDeferredStockDebt', stock: stockAddress, amount: quantity };
}

/** Debts of the key's user by stock, read from the chain without lag. */
const debts: Handler = (context) => {
  const { venue, query } = context;
  const { userAddress: holder } = boundUser(context);
  const wanted = query.get('stockAddress') ?? '';
  if (wanted && !address.safeParse(wanted).success) throw invalid('stockAddress must be an EVM address');
  const rows = venue.market.listings
    .filter((listing) => !wanted || sameAddress(listing.address, wanted))
    .map((listing) => ({
      listing,
      debt: balanceOf(venue.state.balances, { holder, bucket: 'debt' }, listing.symbol),
    }));
  return JSON.stringify(
    rows
      .filter(({ debt }) => debt > 0n)
      .map(({ listing, debt }) => ({
        stockAddress: listing.address,
        stockSymbol: listing.symbol,
        debtQuantity: formatDecimal(debt),
      })),
  );
};

export const deferredRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/v1/deferred-sell/debts', handle: debts },
  {
    method: 'POST',
    path: '/api/v1/deferred-sell/repay/calldata',
    handle: answerCalldata((context) => ({
      call: repayCall(context, parseBody(calldataBody, context)),
    })),
  },
  {
    method: 'POST',
    path: '/api/v1/deferred-sell/repay/send',
    handle: sendDelegated('deferred_repay', (context) => {
      const body = parseBody(sendBody, context);
      return { call: repayCall(context, body), gasLimit: body.gasLimit };
    }),
  },
];
