import { z } from 'zod';
import type { RouterCall } from '../chain/call.ts';
import { TOKEN_DECIMALS } from '../state/constants.ts';
import { invalid } from '../wire/messages.ts';
import { address, amount, gasLimit, parseBody } from './fields.ts';
import { operationRoutes } from './operationRoutes.ts';
import type { Context, Route } from './route.ts';
import type { Prepare } from './submission.ts';

const fields = { tokenAddress: address, tokenAmount: amount(TOKEN_DECIMALS) };
const calldataBody = z.object({ userAddress: address, ...fields });
const sendBody = z.object({ ...fields, gasLimit });

type Move = Pick<z.output<typeof sendBody>, keyof typeof fields>;

/** Approval, balance and permission are checked on the chain, not here. */
function callOf({ venue }: Context, kind: 'depositStock' | 'withdrawStock', move: Move): RouterCall {
  if (!venue.listings.has(move.tokenAddress.toUpperCase()))
    throw invalid('tokenAddress must be the contract of a listed stock token');
  if (move.tokenAmount === 0n) throw invalid('tokenAmount must be greater than 0');
  return { kind, token: move.tokenAddress, amount: move.tokenAmount };
}

const preparations = (kind: 'depositStock' | 'withdrawStock'): Record<'calldata' | 'send', Prepare> => ({
  calldata: (context) => ({ call: callOf(context, kind, parseBody(calldataBody, context)) }),
  send(context) {
    const body = parseBody(sendBody, context);
    return { call: callOf(context, kind, body), gasLimit: body.gasLimit };
  },
});

export const stockRoutes: readonly Route[] = [
  ...operationRoutes({
    path: '/api/v1/stock/deposits',
    type: 'stock_deposit',
    ...preparations('depositStock'),
  }),
  ...operationRoutes({
    path: '/api/v1/stock/withdrawals',
    type: 'stock_withdraw',
    ...preparations('withdrawStock'),
  }),
];
