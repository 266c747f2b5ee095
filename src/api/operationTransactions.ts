import { formatDecimal } from '../core/amount.ts';
import type { Address } from '../domain/instrument.ts';
import type { MoveTerms } from '../domain/operation.ts';
import type { Calldata } from './calldata.ts';
import type { VenueClient } from './client.ts';
import { sameCase } from './convert.ts';

/** What the venue has to do with operations that the wallet sends by itself: it writes the calldata, and links the transaction. */
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
