import { z } from 'zod';
import { wire } from './wire.ts';
import type { Address } from '../domain/instrument.ts';
import type { MoveTerms } from '../domain/transfers/transfer.ts';
import type { VenueClient } from './client.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { FundedTerms } from '../domain/venue.ts';
import { requireNear } from './offset.ts';
import { bodyOf, TRANSFER_CALLS, withDepositBody } from './bodies.ts';

/**
 * Answer of every `/calldata` endpoint: a transaction for the user's wallet to sign and submit. Before
 * signing, compare `toAddress`, `chainId`, `value` and the decoded arguments with the request.
 *
 * Source: venue specification, "Calldata result".
 */
export const calldata = z.object({
  chainId: z.int(),
  productType: z.string().nullish(),
  /** Router. */
  toAddress: wire.address,
  /** Native token, in its smallest unit; so far always `0`. */
  value: wire.decimal,
  /** ABI-encoded call: 0x and whole bytes in hex. */
  callData: wire.bytes,
  /** Router's function: `placeLimitOrder`, `deposit`, ... */
  method: z.string(),
});
export type Calldata = z.output<typeof calldata>;

/** The venue's part in transfers that the wallet sends itself: it writes the calldata, and links the transaction. */
export interface OperationTransactions {
  /** Changes nothing. @throws {DroverError} whose `effect` is `none`; also while the venue's clock is too far from ours */
  write(terms: MoveTerms): Promise<Calldata>;
  /** Links a transaction to the key, so that the venue's lists show it; a repayment needs no link. May be repeated. */
  record(terms: MoveTerms, txHash: string): Promise<void>;
}

export const createOperationTransactions = (
  client: VenueClient,
  userAddress: Address,
): OperationTransactions => ({
  async write(terms) {
    const written = await TRANSFER_CALLS[terms.kind].write(client, terms, userAddress);
    requireNear(client.offsetMs);
    return written;
  },
  async record({ kind }, txHash) {
    await TRANSFER_CALLS[kind].record?.(client)({ body: { txHash } });
  },
});

/** The venue's part in orders that the wallet sends itself: it writes the calldata, and links the transaction. */
export interface OrderTransactions {
  /** Changes nothing. @throws {DroverError} whose `effect` is `none`; also while the venue's clock is too far from ours */
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
