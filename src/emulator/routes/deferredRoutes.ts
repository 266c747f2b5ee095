import { z } from 'zod';
import { formatDecimal } from '../../core/amount.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import { balanceOf } from '../state/ledger.ts';
import { invalid } from '../state/messages.ts';
import { boundUser, type Handler, type Routes } from './route.ts';
import { address, amount } from './fields.ts';
import { answerCalldata, preparations, sendDelegated } from './submission.ts';

const repayment = z.object({ stockAddress: address, quantity: amount(TOKEN_DECIMALS) });

/** Repayment of debt. Debt and stock are checked on the chain, not here. */
const repay = preparations(repayment, ({ venue }, { stockAddress: stock, quantity }) => {
  if (!venue.listings.has(stock.toUpperCase()))
    throw invalid('stockAddress must be the contract of a listed stock token');
  if (quantity === 0n) throw invalid('quantity must be greater than 0');
  return { kind: 'repayDeferredStockDebt', stock, amount: quantity };
});

/** Debts of the key's user by stock, read from the chain without lag. */
const debts: Handler = (context) => {
  const { venue, query } = context;
  const { userAddress: holder } = boundUser(context);
  const wanted = query.get('stockAddress') ?? '';
  if (wanted && !address.safeParse(wanted).success) throw invalid('stockAddress must be an EVM address');
  const rows = venue.market.listings
    .filter(({ address: stock }) => !wanted || sameAddress(stock, wanted))
    .map(({ address: stockAddress, symbol: stockSymbol }) => {
      const debt = balanceOf(venue.state.balances, { holder, bucket: 'debt' }, stockSymbol);
      return { stockAddress, stockSymbol, debtQuantity: formatDecimal(debt) };
    });
  return JSON.stringify(rows.filter(({ debtQuantity }) => debtQuantity !== '0'));
};

export const deferredRoutes: Routes = {
  'GET /api/v1/deferred-sell/debts': debts,
  'POST /api/v1/deferred-sell/repay/calldata': answerCalldata(repay.calldata),
  'POST /api/v1/deferred-sell/repay/send': sendDelegated('deferred_repay', repay.send),
};
