import { z } from 'zod';
import { wire } from './wire.ts';
import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { MoveTerms } from '../domain/transfers/transfer.ts';
import type { VenueClient } from './client.ts';
import { sameCase } from './convert.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { OrderTerms } from '../domain/venue.ts';
import { requireNear } from './offset.ts';
import { bodyOf } from './bodies.ts';

/**
 * Answer of every `/calldata` endpoint: a transaction for the user's wallet to sign and submit. Before
 * signing, hold `toAddress`, `chainId`, `value` and the decoded arguments against what was asked for.
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

/** Venue's part in transfers that the wallet sends by itself: it writes the calldata, and links the transaction. */
export interface OperationTransactions {
  /** Changes nothing. @throws {DroverError} whose `effect` is `none` */
  write(terms: MoveTerms): Promise<Calldata>;
  /** Links a transaction to the key, so that the venue's lists show it; a repayment needs no link. May be repeated. */
  record(terms: MoveTerms, txHash: string): Promise<void>;
}

export const createOperationTransactions = (
  client: VenueClient,
  userAddress: Address,
): OperationTransactions => ({
  write(terms) {
    const tokenAddress = sameCase(terms.token) as Address;
    const amount = formatDecimal(terms.amount);
    switch (terms.kind) {
      case 'cashDeposit':
        return client.cashDepositCalldata({ body: { userAddress, tokenAddress, tokenAmount: amount } });
      case 'cashWithdrawal':
        return client.cashWithdrawalCalldata({ body: { userAddress, tokenAddress, creditAmount: amount } });
      case 'stockDeposit':
        return client.stockDepositCalldata({ body: { userAddress, tokenAddress, tokenAmount: amount } });
      case 'stockWithdrawal':
        return client.stockWithdrawalCalldata({ body: { userAddress, tokenAddress, tokenAmount: amount } });
      case 'repay':
        return client.repayCalldata({ body: { userAddress, stockAddress: tokenAddress, quantity: amount } });
    }
  },
  async record({ kind }, txHash) {
    const link = { body: { txHash } };
    switch (kind) {
      case 'cashDeposit':
        await client.cashDepositRecordTx(link);
        return;
      case 'cashWithdrawal':
        await client.cashWithdrawalRecordTx(link);
        return;
      case 'stockDeposit':
        await client.stockDepositRecordTx(link);
        return;
      case 'stockWithdrawal':
        await client.stockWithdrawalRecordTx(link);
        return;
      case 'repay':
    }
  },
});

/** Venue's part in orders that the wallet sends by itself: it writes the calldata, and links the transaction. */
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
