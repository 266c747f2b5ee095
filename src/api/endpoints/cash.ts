import { z } from 'zod';
import { cashWithdrawalBody } from '../assumptions/venueRules.ts';
import type { RequestOf, ResponseOf } from '../endpoint.ts';
import {
  calldataEndpoint,
  recordTxEndpoint,
  sendEndpoint,
  transferEndpoint,
  transfersEndpoint,
} from './kinds.ts';
import { cashDepositView, cashWithdrawalView } from '../views.ts';
import { wire } from '../wire.ts';

/**
 * Moves cash tokens from the wallet of the user bound to the key into the cashier, through One Click. Never
 * repeated.
 *
 * `tokenAmount` in whole units of the token. Needs the wallet's approval of the spender; without it the send
 * fails or its transaction reverts. A deposit that is not instant stays `processing` until it settles. Fails
 * like `orderSend`.
 *
 * Source: venue specification, "Cash"; the wrapper of the answer is assumed.
 *
 * @example
 * const { txHash } = await client.cashDepositSend({ body: { tokenAddress, tokenAmount: '250.5' } }, gate);
 */
export const cashDepositSend = sendEndpoint(
  '/api/v1/cash/deposits/send',
  z.strictObject({ tokenAddress: wire.ownAddress, tokenAmount: wire.amount }),
);

export type CashDepositSendRequest = RequestOf<typeof cashDepositSend>;
export type CashDepositSendResponse = ResponseOf<typeof cashDepositSend>;

/**
 * The transaction that moves cash tokens from the wallet into the cashier. Changes nothing by itself.
 *
 * `tokenAmount` in whole units of the token. Returned even if the wallet has not approved the spender:
 * the transaction then reverts. `walletAllowance` of `balance`, queried with the spender, shows it.
 *
 * Source: venue specification, "Cash".
 *
 * @example
 * const { callData } = await client.cashDepositCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '250.5' },
 * });
 */
export const cashDepositCalldata = calldataEndpoint(
  '/api/v1/cash/deposits/calldata',
  z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    tokenAmount: wire.amount,
  }),
);

export type CashDepositCalldataRequest = RequestOf<typeof cashDepositCalldata>;
export type CashDepositCalldataResponse = ResponseOf<typeof cashDepositCalldata>;

/**
 * Links a deposit of cash that the wallet has submitted itself to this key. A repeated request with the same key
 * gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Cash"; the answer is assumed.
 *
 * @example
 * const link = await client.cashDepositRecordTx({ body: { txHash } });
 */
export const cashDepositRecordTx = recordTxEndpoint('/api/v1/cash/deposits/tx');

export type CashDepositRecordTxRequest = RequestOf<typeof cashDepositRecordTx>;
export type CashDepositRecordTxResponse = ResponseOf<typeof cashDepositRecordTx>;

/**
 * Deposits of cash linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Cash"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.cashDeposits({ query: { page: 1, limit: 100 } });
 */
export const cashDeposits = transfersEndpoint('/api/v1/cash/deposits', cashDepositView);

export type CashDepositsRequest = RequestOf<typeof cashDeposits>;
export type CashDepositsResponse = ResponseOf<typeof cashDeposits>;

/**
 * One deposit of cash by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Cash operation detail"; the status words are assumed.
 *
 * @example
 * const { operationStatus } = await client.cashDeposit({ path: { operationId } });
 */
export const cashDeposit = transferEndpoint('/api/v1/cash/deposits/{operationId}', cashDepositView);

export type CashDepositRequest = RequestOf<typeof cashDeposit>;
export type CashDepositResponse = ResponseOf<typeof cashDeposit>;

/**
 * Takes cash out of the cashier, to the wallet of the user bound to the key, through One Click. Never
 * repeated.
 *
 * `creditAmount` in mUSD, paid out in the cash token after fees. mUSD is deducted immediately; the tokens may
 * arrive only when a queued withdrawal settles. Fails like `orderSend`.
 *
 * Source: venue specification, "Cash"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.cashWithdrawalSend({ body: { tokenAddress, creditAmount: '250.5' } }, gate);
 */
export const cashWithdrawalSend = sendEndpoint('/api/v1/cash/withdrawals/send', cashWithdrawalBody);

export type CashWithdrawalSendRequest = RequestOf<typeof cashWithdrawalSend>;
export type CashWithdrawalSendResponse = ResponseOf<typeof cashWithdrawalSend>;

/**
 * The transaction that takes cash out of the cashier, to the wallet. Changes nothing by itself.
 *
 * `creditAmount` in mUSD. `config` has fees and limits.
 *
 * Source: venue specification, "Cash".
 *
 * @example
 * const { callData } = await client.cashWithdrawalCalldata({
 *   body: { userAddress: wallet, tokenAddress, creditAmount: '250.5' },
 * });
 */
export const cashWithdrawalCalldata = calldataEndpoint(
  '/api/v1/cash/withdrawals/calldata',
  z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    creditAmount: wire.amount,
  }),
);

export type CashWithdrawalCalldataRequest = RequestOf<typeof cashWithdrawalCalldata>;
export type CashWithdrawalCalldataResponse = ResponseOf<typeof cashWithdrawalCalldata>;

/**
 * Links a withdrawal of cash that the wallet has submitted itself to this key. A repeated request with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Cash"; the answer is assumed.
 *
 * @example
 * const link = await client.cashWithdrawalRecordTx({ body: { txHash } });
 */
export const cashWithdrawalRecordTx = recordTxEndpoint('/api/v1/cash/withdrawals/tx');

export type CashWithdrawalRecordTxRequest = RequestOf<typeof cashWithdrawalRecordTx>;
export type CashWithdrawalRecordTxResponse = ResponseOf<typeof cashWithdrawalRecordTx>;

/**
 * Withdrawals of cash linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Cash"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.cashWithdrawals({ query: { page: 1, limit: 100 } });
 */
export const cashWithdrawals = transfersEndpoint('/api/v1/cash/withdrawals', cashWithdrawalView);

export type CashWithdrawalsRequest = RequestOf<typeof cashWithdrawals>;
export type CashWithdrawalsResponse = ResponseOf<typeof cashWithdrawals>;

/**
 * One withdrawal of cash by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Cash operation detail"; `withdrawalOperation` and the status words are
 * assumed.
 *
 * @example
 * const { operationStatus } = await client.cashWithdrawal({ path: { operationId } });
 */
export const cashWithdrawal = transferEndpoint('/api/v1/cash/withdrawals/{operationId}', cashWithdrawalView);

export type CashWithdrawalRequest = RequestOf<typeof cashWithdrawal>;
export type CashWithdrawalResponse = ResponseOf<typeof cashWithdrawal>;
