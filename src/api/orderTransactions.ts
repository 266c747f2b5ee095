import type { EpochSeconds } from '../core/brand.ts';
import type { OrderTerms } from '../domain/venue.ts';
import type { Calldata } from './calldata.ts';
import type { VenueClient } from './client.ts';
import { requireNear } from './offset.ts';
import { bodyOf } from './orderBody.ts';

/** What the venue has to do with orders that the wallet sends by itself: it writes the calldata, and links the transaction. */
export interface OrderTransactions {
  /** Changes nothing. @throws {DroverError} whose `effect` is `none`; also while the venue's clock is too far from ours */
  place(terms: OrderTerms, deadline: EpochSeconds): Promise<Calldata>;
  cancel(orderId: string, deadline: EpochSeconds): Promise<Calldata>;
  /** Links a transaction to the key, so that the venue's lists show its order. May be repeated. */
  record(txHash: string): Promise<void>;
}

export const createOrderTransactions = (client: VenueClient): OrderTransactions => ({
  async place(terms, deadline) {
    const written = await client.orderCalldata({ body: { ...bodyOf(terms), deadline } });
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
