import { z } from 'zod';
import { indexedUntil, mappingsOf, type VenueState } from '../state/venueState.ts';
import { operationDetail, operationLink, operationRow, operationSight } from '../views/operationView.ts';
import { invalid, notFound, against, failedOnChain } from '../state/messages.ts';
import type { Mapping } from '../state/state.ts';
import { type MoveWord, cashToken, contracts, TOKEN_DECIMALS } from '../state/constants.ts';
import { address, amount, listOf, parseBody, pathId } from './fields.ts';
import {
  answerCalldata,
  preparations,
  recordTx,
  sendDelegated,
  type Preparations,
  type Prepare,
} from './submission.ts';
import { type Context, type Routes, boundUser } from './route.ts';
import { formatDecimal, stepOf, toTokenUnits } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { allowanceOf } from '../state/tokens.ts';

const shownOf = ({ venue, now }: Context, mapping: Mapping) =>
  operationSight(venue, mapping, indexedUntil(venue.state, now));

function detailOf(context: Context, type: MoveWord): string {
  const { venue, key } = context;
  const operation = venue.operations.get(pathId(context, 'operationId'));
  const mapping = venue.mappings.get(operation?.txHash ?? '');
  const own = mapping?.apiKey === key.apiKey && operation?.type === type;
  const shown = own ? shownOf(context, mapping) : null;
  if (!shown?.change) throw notFound('operation not found');
  return JSON.stringify(operationDetail(shown));
}

/** The five endpoints of one operation kind. */
const operationRoutes = (
  path: `/api/v1/${string}`,
  type: MoveWord,
  { calldata, send }: Preparations,
): Routes => ({
  [`GET ${path}`]: (context: Context) =>
    listOf(context, mappingsOf(context.venue, { apiKey: context.key.apiKey, type }), (mapping) =>
      JSON.stringify(operationRow(shownOf(context, mapping))),
    ),
  [`GET ${path}/{operationId}`]: (context: Context) => detailOf(context, type),
  [`POST ${path}/calldata`]: answerCalldata(calldata),
  [`POST ${path}/send`]: sendDelegated(type, send),
  [`POST ${path}/tx`]: recordTx(type, (context, mapping) => operationLink(shownOf(context, mapping))),
});

const cashDeposit = z.object({ tokenAddress: address, tokenAmount: amount(cashToken.decimals) });
const cashWithdrawal = z.object({ tokenAddress: address, creditAmount: amount(TOKEN_DECIMALS) });
const stockMove = z.object({ tokenAddress: address, tokenAmount: amount(TOKEN_DECIMALS) });

function checkCashToken(token: Address): void {
  if (!sameAddress(token, cashToken.address)) throw invalid('tokenAddress must be a cash token');
}

type CashDeposit = Readonly<z.output<typeof cashDeposit>>;

/** A deposit in raw units. @throws {Refusal} when the cashier would not accept it */
export function checkDeposit({ state }: VenueState, { tokenAddress, tokenAmount }: CashDeposit): bigint {
  checkCashToken(tokenAddress);
  if (state.cashier.depositPaused) throw against(`deposits of ${cashToken.symbol} are paused`);
  if (tokenAmount % stepOf(cashToken.decimals) !== 0n)
    throw invalid(`tokenAmount must have at most ${cashToken.decimals} decimal places`);
  const { minDeposit } = state.constants;
  if (tokenAmount < minDeposit) throw against(`tokenAmount must be at least ${formatDecimal(minDeposit)}`);
  return toTokenUnits(tokenAmount, cashToken.decimals);
}

const deposits = preparations(cashDeposit, ({ venue }, body) => ({
  kind: 'deposit',
  token: body.tokenAddress,
  amount: checkDeposit(venue, body),
}));

/** Refuses if the wallet has not approved the router (spec, "One Click"). */
const sendDeposit: Prepare = (context) => {
  const prepared = deposits.send(context);
  const grant = { token: cashToken.address, spender: contracts.router };
  const allowed = allowanceOf(boundUser(context), grant);
  if (allowed < parseBody(cashDeposit, context).tokenAmount)
    throw failedOnChain(
      `the wallet has approved ${formatDecimal(allowed)} ${cashToken.symbol} for the router`,
    );
  return prepared;
};

const withdrawals = preparations(cashWithdrawal, ({ venue }, { tokenAddress, creditAmount }) => {
  checkCashToken(tokenAddress);
  if (creditAmount === 0n) throw invalid('creditAmount must be greater than 0');
  if (venue.state.cashier.withdrawPaused) throw against(`withdrawals of ${cashToken.symbol} are paused`);
  return { kind: 'withdraw', token: tokenAddress, amountWad: creditAmount };
});

/** Stock moves. Approval, balance and permission are checked on the chain, not here. */
const stockMoves = (kind: 'depositStock' | 'withdrawStock') =>
  preparations(stockMove, ({ venue }, { tokenAddress: token, tokenAmount }) => {
    if (!venue.listings.has(token.toUpperCase()))
      throw invalid('tokenAddress must be the contract of a listed stock token');
    if (tokenAmount === 0n) throw invalid('tokenAmount must be greater than 0');
    return { kind, token, amount: tokenAmount };
  });

export const transferRoutes: Routes = {
  ...operationRoutes('/api/v1/cash/deposits', 'deposit', { ...deposits, send: sendDeposit }),
  ...operationRoutes('/api/v1/cash/withdrawals', 'withdraw', withdrawals),
  ...operationRoutes('/api/v1/stock/deposits', 'stock_deposit', stockMoves('depositStock')),
  ...operationRoutes('/api/v1/stock/withdrawals', 'stock_withdraw', stockMoves('withdrawStock')),
};
