import type { Address } from '../domain/instrument.ts';
import type { MoveTerms, TransferGate } from '../domain/transfers/transfer.ts';
import type { VenueClient } from './client.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { FundedTerms } from '../domain/venue.ts';
import { requireNear } from './offset.ts';
import { bodyOf, withDepositBody, lower } from './bodies.ts';
import type { Calldata } from './views.ts';
import { formatDecimal } from '../core/amount.ts';

/** The venue's part in transfers sent by the wallet itself: writing the calldata, and linking the transaction. */
export interface OperationTransactions {
  /** Changes nothing. @throws {DroverError} with `effect` `none`; also while the venue's clock is too far from ours */
  write(terms: MoveTerms): Promise<Calldata>;
  /** Links a transaction to the key, so that the venue's lists show it; a repayment needs no link. May be repeated. */
  record(terms: MoveTerms, txHash: string): Promise<void>;
}

export const createOperationTransactions = (
  client: VenueClient,
  userAddress: Address,
): OperationTransactions => ({
  async write(terms) {
    const written = await writeTransfer(client, terms, userAddress);
    requireNear(client.offsetMs);
    return written;
  },
  async record({ kind }, txHash) {
    if (kind !== 'repay') await client[`${kind}RecordTx` as const]({ body: { txHash } });
  },
});

/** The venue's part in orders sent by the wallet itself: writing the calldata, and linking the transaction. */
export interface OrderTransactions {
  /** Changes nothing. @throws {DroverError} with `effect` `none`; also while the venue's clock is too far from ours */
  place(terms: FundedTerms, deadline: EpochSeconds): Promise<Calldata>;
  cancel(orderId: string, deadline: EpochSeconds): Promise<Calldata>;
  /** Links a transaction to the key, so that the venue's lists show its order. May be repeated. */
  record(txHash: string): Promise<void>;
}

/** Requests the calldata of an order for the wallet to sign. Changes nothing. */
export const writeOrder = (
  client: VenueClient,
  terms: FundedTerms,
  deadline: EpochSeconds,
): Promise<Calldata> =>
  terms.funding?.kind === 'deposit'
    ? client.orderWithDepositCalldata({ body: { ...withDepositBody(terms, terms.funding), deadline } })
    : client.orderCalldata({ body: { ...bodyOf(terms), deadline } });

export const createOrderTransactions = (client: VenueClient): OrderTransactions => ({
  async place(terms, deadline) {
    const written = await writeOrder(client, terms, deadline);
    requireNear(client.offsetMs);
    return written;
  },
  async cancel(orderId, deadline) {
    const written = await client.orderCancelCalldata({ path: { orderId }, query: { deadline } });
    requireNear(client.offsetMs);
    return written;
  },
  async record(txHash) {
    await client.orderRecordTx({ body: { txHash } });
  },
});

type TransferCall = Pick<MoveTerms, 'kind' | 'token' | 'amount'>;
type Terms = Omit<TransferCall, 'kind'>;

// Addresses are sent in lower case, whatever case the venue lists them in.
const tokenBody = ({ token, amount }: Terms) => ({
  tokenAddress: lower(token),
  tokenAmount: formatDecimal(amount),
});

const creditBody = ({ token, amount }: Terms) => ({
  tokenAddress: lower(token),
  creditAmount: formatDecimal(amount),
});

const repayBody = ({ token, amount }: Terms) => ({
  stockAddress: lower(token),
  quantity: formatDecimal(amount),
});

/** Sends a transfer through One Click. */
export function sendTransfer(
  client: VenueClient,
  { kind, ...terms }: TransferCall,
  gate: TransferGate,
): Promise<{ txHash: string }> {
  if (kind === 'cashWithdrawal') return client.cashWithdrawalSend({ body: creditBody(terms) }, gate);
  if (kind === 'repay') return client.repaySend({ body: repayBody(terms) }, gate);
  return client[`${kind}Send` as const]({ body: tokenBody(terms) }, gate);
}

/** Requests the calldata of a transfer for the wallet of `userAddress` to sign. Changes nothing. */
export function writeTransfer(
  client: VenueClient,
  { kind, ...terms }: TransferCall,
  userAddress: Address,
): Promise<Calldata> {
  if (kind === 'cashWithdrawal')
    return client.cashWithdrawalCalldata({ body: { userAddress, ...creditBody(terms) } });
  if (kind === 'repay') return client.repayCalldata({ body: { userAddress, ...repayBody(terms) } });
  return client[`${kind}Calldata` as const]({ body: { userAddress, ...tokenBody(terms) } });
}
