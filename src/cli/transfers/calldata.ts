import * as calls from '../../wallet/router.ts';
import * as bodies from './move.ts';
import type { Calldata } from '../../api/transactions.ts';
import type { VenueClient } from '../../api/client.ts';
import { requireNear } from '../../api/offset.ts';
import { shares } from '../../core/amount.ts';
import type { EpochSeconds } from '../../core/brand.ts';
import {
  InvariantError,
  isVenueFault,
  messageOf,
  NotSentError,
  OutcomeUnknownError,
  SafetyError,
  VenueRefusedError,
} from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import type { SendOutcome, SignedTransaction } from '../../domain/venue.ts';
import type { Chain } from '../../wallet/chain.ts';
import { checkCalldata } from '../../wallet/checkCalldata.ts';
import { routerCodec, type RouterCall } from '../../wallet/routerAbi.ts';
import type { Sender, WalletCall } from '../../wallet/sender.ts';
import type { VenueConfig } from '../config/schema.ts';
import type { CommandContext } from '../context.ts';
import type { Move, Submit, MoveReceipt } from './move.ts';
import { requirePlaces } from './market.ts';

type Parts = Readonly<{
  client: VenueClient;
  sender: Pick<Sender, 'send' | 'address'>;
  chain: Pick<Chain, 'decimals'>;
  venue: VenueConfig;
  /** The one contract that is called. */
  router: Address;
  deadline: () => EpochSeconds;
  context: CommandContext;
}>;

/** Sends by the wallet itself: the venue's calldata is compared with the intended call, signed, sent, and linked to the key. */
export const calldata =
  (parts: Parts): Submit =>
  async (move) => {
    const { client, venue, router, context } = parts;
    const codec = routerCodec(venue.assumptions?.functions);
    const token = cashTokenIn(move);
    if (token) await requirePlaces(token, parts.chain);
    const callFor = async (deadline: EpochSeconds) => {
      const written = await requestCalldata(client, move, { deadline, userAddress: venue.userAddress });
      requireNear(client.offsetMs);
      return checkCalldata(written, {
        chainId: venue.chainId,
        router,
        codec,
        call: callOf(move, deadline),
      });
    };
    const submitted = await sendOnce(parts, callFor).catch((error: unknown) => {
      const { txHash: signed } = error instanceof OutcomeUnknownError ? error.details : {};
      const target = linkOf(client, move);
      if (target && typeof signed === 'string')
        context.terminal.err(`if the chain has it, link it to the key: ${target.again(signed)}`);
      throw error;
    });
    await link(parts, move, submitted.txHash);
    return submitted;
  };

type SendParts = Pick<Parts, 'sender' | 'deadline' | 'context'> &
  Readonly<{
    /** The transaction whose place it takes. */
    replaces?: SignedTransaction;
    /** Makes it durable before its first byte leaves. */
    keep?: (transaction: SignedTransaction) => void;
  }>;

/** Sends a call of the wallet's own and returns its transaction. Prints the hash before the first byte leaves. */
export async function sendOnce(
  { sender, deadline, context, replaces, keep }: SendParts,
  callFor: (deadline: EpochSeconds) => Promise<WalletCall>,
): Promise<MoveReceipt> {
  let signed: MoveReceipt | null = null;
  const outcome = await sender.send({
    callFor,
    ...(replaces ? { replaces } : {}),
    gate: {
      open: (prepared) => ({ deadline: prepared ?? deadline() }),
      commit(request) {
        if (!('txHash' in request)) throw new InvariantError('a wallet sends transactions');
        keep?.(request);
        const { txHash, nonce } = request;
        signed = { txHash, signed: { from: sender.address, nonce } };
        context.terminal.err(`signed: ${txHash}`);
      },
    },
  });
  return submittedOf(outcome, signed);
}

function submittedOf(outcome: SendOutcome, signed: MoveReceipt | null): MoveReceipt {
  const txHash = signed?.txHash ?? '';
  switch (outcome.kind) {
    case 'accepted':
      return { ...signed, txHash: outcome.txHash };
    case 'refused':
      throw outcome.alarm ? new SafetyError(outcome.reason) : new VenueRefusedError(outcome.reason);
    case 'stopped':
      throw outcome.alarm ? new SafetyError(outcome.reason) : new NotSentError(outcome.reason);
    case 'unknown':
      throw new OutcomeUnknownError(
        `${outcome.reason}. Its transaction is ${txHash}: \`drover wallet show ${txHash} --wait\` asks the chain for it`,
        { txHash },
      );
  }
}

type CalldataQuery = Readonly<{ deadline: EpochSeconds; userAddress: Address }>;

/** Requests the calldata that the venue would have the wallet sign. Changes nothing. */
function requestCalldata(
  client: VenueClient,
  move: Move,
  { deadline, userAddress }: CalldataQuery,
): Promise<Calldata> {
  switch (move.kind) {
    case 'cashDeposit':
      return client.cashDepositCalldata({ body: { userAddress, ...bodies.cashDepositBody(move) } });
    case 'cashWithdrawal':
      return client.cashWithdrawalCalldata({ body: { userAddress, ...bodies.cashWithdrawalBody(move) } });
    case 'stockDeposit':
      return client.stockDepositCalldata({ body: { userAddress, ...bodies.stockBody(move) } });
    case 'stockWithdrawal':
      return client.stockWithdrawalCalldata({ body: { userAddress, ...bodies.stockBody(move) } });
    case 'repay':
      return client.repayCalldata({ body: { userAddress, ...bodies.repayBody(move) } });
    case 'order':
      return client.orderCalldata({ body: { ...bodies.orderBody(move), deadline } });
    case 'orderWithDeposit':
      return client.orderWithDepositCalldata({ body: { ...bodies.orderWithDepositBody(move), deadline } });
    case 'cancel':
      return client.orderCancelCalldata({ path: { orderId: move.orderId }, query: { deadline } });
  }
}

/** The very call that is meant. */
function callOf(move: Move, deadline: EpochSeconds): RouterCall {
  switch (move.kind) {
    case 'cashDeposit':
      return calls.depositCall(move.token, move.amount);
    case 'cashWithdrawal':
      return calls.withdrawCall(move.token, move.credit);
    case 'stockDeposit':
      return calls.depositStockCall(move.stock, move.amount);
    case 'stockWithdrawal':
      return calls.withdrawStockCall(move.stock, move.amount);
    case 'repay':
      return calls.repayCall(move.stock, move.amount);
    case 'order':
      return move.deferred ? deferredCall(move, deadline) : calls.orderCall(move.terms, { deadline });
    case 'orderWithDeposit':
      return withDepositCall(move, deadline);
    case 'cancel':
      return calls.cancelCall(move.orderId, { deadline });
  }
}

function cashTokenIn(move: Move): calls.CashToken | null {
  if (move.kind === 'cashDeposit' || move.kind === 'cashWithdrawal') return move.token;
  return move.kind === 'orderWithDeposit' && move.terms.side === 'buy' ? move.deposit.token : null;
}

type Of<Kind extends Move['kind']> = Extract<Move, { kind: Kind }>;

function deferredCall({ terms }: Of<'order'>, deadline: EpochSeconds): RouterCall {
  if (!isSell(terms)) throw new InvariantError('only a sell is deferred');
  return calls.deferredSellCall(terms, { deadline });
}

function withDepositCall({ terms, deposit }: Of<'orderWithDeposit'>, deadline: EpochSeconds): RouterCall {
  const { token, amount } = deposit;
  if (isSell(terms)) return calls.sellWithDepositCall(terms, { amount: shares(amount), deadline });
  if (token === null || !isBuy(terms)) throw new InvariantError('a buy deposits a cash token');
  return calls.buyWithDepositCall(terms, { token, amount, deadline });
}

const isSell = (terms: Of<'order'>['terms']): terms is calls.SellTerms => terms.side === 'sell';
const isBuy = (terms: Of<'order'>['terms']): terms is calls.BuyTerms => terms.side === 'buy';

const byApi =
  (path: string) =>
  (txHash: string): string =>
    `\`drover api POST /api/v1${path} --data '${JSON.stringify({ txHash })}' --allow record\``;

/** Where the transaction of each move is linked to the key; a repayment and a cancel show without. */
function linkOf(client: VenueClient, move: Move) {
  switch (move.kind) {
    case 'cashDeposit':
      return { again: byApi('/cash/deposits/tx'), record: client.cashDepositRecordTx };
    case 'cashWithdrawal':
      return { again: byApi('/cash/withdrawals/tx'), record: client.cashWithdrawalRecordTx };
    case 'stockDeposit':
      return { again: byApi('/stock/deposits/tx'), record: client.stockDepositRecordTx };
    case 'stockWithdrawal':
      return { again: byApi('/stock/withdrawals/tx'), record: client.stockWithdrawalRecordTx };
    case 'order':
    case 'orderWithDeposit':
      return {
        again: (txHash: string) => `\`drover orders record ${txHash}\``,
        record: client.orderRecordTx,
      };
    case 'repay':
    case 'cancel':
      return null;
  }
}

/** The transaction is on its way whatever becomes of its link, so a failure is reported and the rest goes on. */
async function link({ client, context }: Parts, move: Move, txHash: string): Promise<void> {
  const target = linkOf(client, move);
  if (!target) return;
  try {
    await target.record({ body: { txHash } });
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    context.terminal.err(
      `${messageOf(error)}. The transaction was sent, but the venue's lists do not show it before it is linked: ` +
        target.again(txHash),
    );
  }
}
