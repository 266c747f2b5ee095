import { z } from 'zod';
import { cashWithdrawalBody, recordBody, recorded, sent } from '../assumptions/venueRules.ts';
import { defineEndpoint, type RequestOf, type ResponseOf } from '../endpoint.ts';
import { cashDepositView, cashWithdrawalView, calldata } from '../views.ts';
import { operationPath, pageOf, pageQuery, wire } from '../wire.ts';

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
export const cashDepositSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: z.strictObject({
    tokenAddress: wire.ownAddress,
    tokenAmount: wire.amount,
    gasLimit: wire.gasLimit.optional(),
  }),
  response: sent,
});

export type CashDepositSendRequest = RequestOf<typeof cashDepositSend>;
export type CashDepositSendResponse = ResponseOf<typeof cashDepositSend>;

/**
 * The transaction that moves cash tokens from the wallet into the cashier. Changes nothing by itself.
 *
 * `tokenAmount` in whole units of the token. Comes even when the wallet has not approved the spender for it:
 * the transaction then reverts. `walletAllowance` of `balance`, asked with the spender, shows it.
 *
 * Source: venue specification, "Cash".
 *
 * @example
 * const { callData } = await client.cashDepositCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '250.5' },
 * });
 */
export const cashDepositCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    tokenAmount: wire.amount,
  }),
  response: calldata,
});

export type CashDepositCalldataRequest = RequestOf<typeof cashDepositCalldata>;
export type CashDepositCalldataResponse = ResponseOf<typeof cashDepositCalldata>;

/**
 * Links a deposit of cash that the wallet has submitted itself to this key. Asking again with the same key
 * gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Cash"; the answer is assumed.
 *
 * @example
 * const link = await client.cashDepositRecordTx({ body: { txHash } });
 */
export const cashDepositRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/deposits/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

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
export const cashDeposits = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/deposits',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(cashDepositView),
});

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
export const cashDeposit = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/deposits/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: cashDepositView,
});

export type CashDepositRequest = RequestOf<typeof cashDeposit>;
export type CashDepositResponse = ResponseOf<typeof cashDeposit>;

/**
 * Takes cash out of the cashier, to the wallet of the user bound to the key, through One Click. Never
 * repeated.
 *
 * `creditAmount` in mUSD, paid out in the cash token after fees. mUSD is deducted at once; the tokens may
 * come only when a queued withdrawal settles. Fails like `orderSend`.
 *
 * Source: venue specification, "Cash"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.cashWithdrawalSend({ body: { tokenAddress, creditAmount: '250.5' } }, gate);
 */
export const cashWithdrawalSend = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/withdrawals/send',
  access: 'WRITABLE',
  repeat: 'never',
  lane: 'send',
  body: cashWithdrawalBody,
  response: sent,
});

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
export const cashWithdrawalCalldata = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/withdrawals/calldata',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: z.strictObject({
    userAddress: wire.ownAddress,
    tokenAddress: wire.ownAddress,
    creditAmount: wire.amount,
  }),
  response: calldata,
});

export type CashWithdrawalCalldataRequest = RequestOf<typeof cashWithdrawalCalldata>;
export type CashWithdrawalCalldataResponse = ResponseOf<typeof cashWithdrawalCalldata>;

/**
 * Links a withdrawal of cash that the wallet has submitted itself to this key. Asking again with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Cash"; the answer is assumed.
 *
 * @example
 * const link = await client.cashWithdrawalRecordTx({ body: { txHash } });
 */
export const cashWithdrawalRecordTx = defineEndpoint({
  method: 'POST',
  path: '/api/v1/cash/withdrawals/tx',
  access: 'WRITABLE',
  repeat: 'always',
  lane: 'send',
  body: recordBody,
  response: recorded,
});

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
export const cashWithdrawals = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/withdrawals',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  query: pageQuery,
  response: pageOf(cashWithdrawalView),
});

export type CashWithdrawalsRequest = RequestOf<typeof cashWithdrawals>;
export type CashWithdrawalsResponse = ResponseOf<typeof cashWithdrawals>;

/**
 * One withdrawal of cash by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Cash operation detail"; `withdrawalOperation` and the status words are
 * adopted.
 *
 * @example
 * const { operationStatus } = await client.cashWithdrawal({ path: { operationId } });
 */
export const cashWithdrawal = defineEndpoint({
  method: 'GET',
  path: '/api/v1/cash/withdrawals/{operationId}',
  access: 'READ_ONLY',
  repeat: 'always',
  lane: 'reconcile',
  params: operationPath,
  response: cashWithdrawalView,
});

export type CashWithdrawalRequest = RequestOf<typeof cashWithdrawal>;
export type CashWithdrawalResponse = ResponseOf<typeof cashWithdrawal>;
