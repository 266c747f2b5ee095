import { sameAddress } from '../../domain/instrument.ts';
import type { RouterCall } from '../chain/call.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import { DAY } from '../trading/orders.ts';
import { invalid } from '../wire/messages.ts';
import { checkOrder } from './tradingRules.ts';
import { checkDeposit } from './cashRoutes.ts';
import { userOf, type Context, type Route } from './route.ts';
import { address, amount, parseBody } from './fields.ts';
import { listingOfBody, orderBody, orderOf, type OrderBody, type OrderRequest } from './orderRequest.ts';
import { answerCalldata, sendDelegated, type Prepare } from './submission.ts';

/** A buy names its cash token, a sell deposits the very stock. Amounts in whole units. */
const withDepositBody = orderBody.extend({
  tokenAddress: address.nullish(),
  tokenAmount: amount(TOKEN_DECIMALS),
});

type Deposited = Readonly<{ tokenAmount: bigint; tokenAddress?: `0x${string}` | null | undefined }>;

/** Allowance, balance and whether the deposit is instant are for the chain to say. */
const prepare: Prepare = (context) => {
  const body = parseBody(withDepositBody, context);
  const order = orderOf(body);
  const listing = listingOfBody(context.venue, body);
  if (body.deferred) throw invalid('deferred must not be true with a deposit');
  checkOrder(context.venue, { order, body, listing, user: userOf(context) }, context.now);
  const call = order.side === 'Buy' ? buyCall(context, order, body) : sellCall(order, body);
  return { call, gasLimit: body.gasLimit };
};

function buyCall({ venue }: Context, order: OrderRequest, body: OrderBody & Deposited): RouterCall {
  const { tokenAddress: depositToken, tokenAmount, stockAddress: stock, deadline } = body;
  if (!depositToken) throw invalid('tokenAddress is required for a buy');
  const depositAmount = checkDeposit(venue, { tokenAddress: depositToken, tokenAmount });
  const common = { depositToken, depositAmount, stock, deadline };
  if (order.type === 'Limit') {
    const { quantity, price } = order;
    return { kind: 'depositAndLimitBuy', ...common, quantity, price, tif: DAY };
  }
  if (!('notional' in order)) throw invalid('notional is required for a market buy');
  return { kind: 'depositAndMarketBuy', ...common, usdAmount: order.notional };
}

function sellCall(order: OrderRequest, body: OrderBody & Deposited): RouterCall {
  const { tokenAddress, tokenAmount: depositAmount, stockAddress: stock, deadline } = body;
  if (tokenAddress && !sameAddress(tokenAddress, stock))
    throw invalid('tokenAddress must be the stock itself for a sell');
  if (depositAmount === 0n) throw invalid('tokenAmount must be greater than 0');
  if ('notional' in order) throw invalid('quantity is required for a market sell');
  const common = { stock, depositAmount, quantity: -order.quantity, deadline };
  if (order.type === 'Market') return { kind: 'depositStockAndMarketSell', ...common };
  return { kind: 'depositStockAndLimitSell', ...common, price: order.price, tif: DAY };
}

export const withDepositRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/v1/orders/with-deposit/calldata',
    handle: answerCalldata(prepare),
  },
  {
    method: 'POST',
    path: '/api/v1/orders/with-deposit/send',
    handle: sendDelegated('trade', prepare),
  },
];
