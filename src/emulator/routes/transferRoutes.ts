import { z } from 'zod';
import { indexedUntil, mappingsOf, type VenueState } from '../state/venueState.ts';
import {
  operationDetail,
  operationLink,
  operationRow,
  operationSight,
  type ShownOperation,
} from '../views/operationView.ts';
import { invalid, notFound, against, failedOnChain } from '../state/messages.ts';
import type { Mapping } from '../state/state.ts';
import { type MoveWord, cashToken, contracts, TOKEN_DECIMALS } from '../state/constants.ts';
import { listOf, address, amount, gasLimit, parseBody } from './fields.ts';
import { recordTx, answerCalldata, sendDelegated, type Prepare } from './submission.ts';
import { type Context, type Route, boundUser } from './route.ts';
import { formatDecimal, stepOf, toTokenUnits } from '../../core/amount.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { RouterCall } from '../state/calls.ts';
import { allowanceOf } from '../state/tokens.ts';

/**
 * One kind of operation, with the checks of its two ways: calldata for the wallet, and sent for the user of the key.
 */
type OperationKind = Readonly<{
  path: `/api/v1/${string}`;
  type: MoveWord;
  calldata: Prepare;
  send: Prepare;
}>;

const shownOf = ({ venue, now }: Context, mapping: Mapping): ShownOperation =>
  operationSight(venue, mapping, indexedUntil(venue.state, now));

function detailOf(context: Context, type: MoveWord): string {
  const { venue, key } = context;
  const id = (context.path['operationId'] ?? '').toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(id)) throw invalid('operationId must be 32 bytes in hex');
  const operation = venue.operations.get(`0x${id}`);
  const mapping = venue.mappings.get(operation?.txHash ?? '');
  const own = mapping?.apiKey === key.apiKey && operation?.type === type;
  const shown = own ? shownOf(context, mapping) : null;
  if (!shown?.change) throw notFound('operation not found');
  return JSON.stringify(operationDetail(shown));
}

/** The five endpoints of one kind of operation. */
const operationRoutes = ({ path, type, calldata, send }: OperationKind): readonly Route[] => [
  {
    method: 'GET',
    path,
    handle: (context) =>
      listOf(context, mappingsOf(context.venue, { apiKey: context.key.apiKey, type }), (mapping) =>
        JSON.stringify(operationRow(shownOf(context, mapping))),
      ),
  },
  { method: 'GET', path: `${path}/{operationId}`, handle: (context) => detailOf(context, type) },
  { method: 'POST', path: `${path}/calldata`, handle: answerCalldata(calldata) },
  { method: 'POST', path: `${path}/send`, handle: sendDelegated(type, send) },
  {
    method: 'POST',
    path: `${path}/tx`,
    handle: recordTx(type, (context, mapping) => operationLink(shownOf(context, mapping))),
  },
];

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

type CashDeposit = Readonly<{ tokenAddress: Address; tokenAmount: bigint }>;

/** The raw units of a deposit. @throws {Refusal} when the cashier would not take it */
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

/** Refuses when the wallet has not approved the router (spec, "One Click"). */
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

const fields = { tokenAddress: address, tokenAmount: amount(TOKEN_DECIMALS) };
const calldataBody = z.object({ userAddress: address, ...fields });
const sendBody = z.object({ ...fields, gasLimit });

type Move = Pick<z.output<typeof sendBody>, keyof typeof fields>;

/** Builds the call. Approval, balance and permission are checked on the chain, not here. */
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
