import { z } from 'zod';
import { formatDecimal, stepOf, toTokenUnits } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { RouterCall } from '../chain/call.ts';
import { cashToken, contracts, TOKEN_DECIMALS } from '../state/constants.ts';
import { against, failedOnChain, invalid } from '../wire/messages.ts';
import { allowanceOf } from '../chain/tokens.ts';
import type { VenueState } from '../state/venueState.ts';
import { boundUser, type Route } from './route.ts';
import { address, amount, gasLimit, parseBody } from './fields.ts';
import { operationRoutes } from './operationRoutes.ts';
import type { Prepare } from './submission.ts';

const depositFields = { tokenAddress: address, tokenAmount: amount(cashToken.decimals) };
const withdrawalFields = { tokenAddress: address, creditAmount: amount(TOKEN_DECIMALS) };
const own = { userAddress: address };

const depositCalldataBody = z.object({ ...own, ...depositFields });
const depositSendBody = z.object({ ...depositFields, gasLimit });
const withdrawalCalldataBody = z.object({ ...own, ...withdrawalFields });
const withdrawalSendBody = z.object({ ...withdrawalFields, gasLimit });

function checkCashToken(token: Address): void {
  if (!sameAddress(token, cashToken.address)) throw invalid('tokenAddress must be a cash token');
}

export type CashDeposit = Readonly<{ tokenAddress: Address; tokenAmount: bigint }>;

/** The raw units of a deposit. @throws {Refusal} when the cashier would not take it at all */
export function checkDeposit({ state }: VenueState, { tokenAddress, tokenAmount }: CashDeposit): bigint {
  checkCashToken(tokenAddress);
  if (state.cashier.depositPaused) throw against(`deposits of ${cashToken.symbol} are paused`);
  if (tokenAmount % stepOf(cashToken.decimals) !== 0n)
    throw invalid(`tokenAmount must have at most ${cashToken.decimals} decimal places`);
  const { minDeposit } = state.constants;
  if (tokenAmount < minDeposit) throw against(`tokenAmount must be at least ${formatDecimal(minDeposit)}`);
  return toTokenUnits(tokenAmount, cashToken.decimals);
}

const depositCall = (venue: VenueState, body: CashDeposit): RouterCall => ({
  kind: 'deposit',
  token: body.tokenAddress,
  amount: checkDeposit(venue, body),
});

const depositCalldata: Prepare = (context) => ({
  call: depositCall(context.venue, parseBody(depositCalldataBody, context)),
});

/** Fails at once when the wallet has not approved the router (spec, "One Click"). */
const depositSend: Prepare = (context) => {
  const body = parseBody(depositSendBody, context);
  const call = depositCall(context.venue, body);
  const grant = { token: cashToken.address, spender: contracts.router };
  const allowed = allowanceOf(boundUser(context), grant);
  if (allowed < body.tokenAmount)
    throw failedOnChain(
      `the wallet has approved ${formatDecimal(allowed)} ${cashToken.symbol} for the router`,
    );
  return { call, gasLimit: body.gasLimit };
};

function withdrawalCall(
  { state }: VenueState,
  { tokenAddress, creditAmount }: Pick<z.output<typeof withdrawalSendBody>, keyof typeof withdrawalFields>,
): RouterCall {
  checkCashToken(tokenAddress);
  if (creditAmount === 0n) throw invalid('creditAmount must be greater than 0');
  if (state.cashier.withdrawPaused) throw against(`withdrawals of ${cashToken.symbol} are paused`);
  return { kind: 'withdraw', token: tokenAddress, amountWad: creditAmount };
}

const withdrawalCalldata: Prepare = (context) => ({
  call: withdrawalCall(context.venue, parseBody(withdrawalCalldataBody, context)),
});

const withdrawalSend: Prepare = (context) => {
  const body = parseBody(withdrawalSendBody, context);
  return { call: withdrawalCall(context.venue, body), gasLimit: body.gasLimit };
};

export const cashRoutes: readonly Route[] = [
  ...operationRoutes({
    path: '/api/v1/cash/deposits',
    type: 'deposit',
    calldata: depositCalldata,
    send: depositSend,
  }),
  ...operationRoutes({
    path: '/api/v1/cash/withdrawals',
    type: 'withdraw',
    calldata: withdrawalCalldata,
    send: withdrawalSend,
  }),
];
