import { stockMoveBody } from '../assumptions/venueRules.ts';
import type { RequestOf, ResponseOf } from '../endpoint.ts';
import {
  calldataEndpoint,
  recordTxEndpoint,
  sendEndpoint,
  transferEndpoint,
  transfersEndpoint,
} from './kinds.ts';
import { stockOperationView } from '../views.ts';
import { wire } from '../wire.ts';

/**
 * Moves a stock token from the wallet onto the exchange, for the user bound to the key, through One Click.
 * Never repeated.
 *
 * `tokenAmount` in shares. Needs the wallet's approval of the router for the token; without it the transaction is
 * mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Stock"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.stockDepositSend({ body: { tokenAddress, tokenAmount: '1.5' } }, gate);
 */
export const stockDepositSend = sendEndpoint('/api/v1/stock/deposits/send', stockMoveBody);

export type StockDepositSendRequest = RequestOf<typeof stockDepositSend>;
export type StockDepositSendResponse = ResponseOf<typeof stockDepositSend>;

/**
 * The transaction that moves a stock token from the wallet onto the exchange. Changes nothing by itself.
 *
 * `tokenAmount` in shares. The wallet must approve the router for the token first.
 *
 * Source: venue specification, "Stock".
 *
 * @example
 * const { callData } = await client.stockDepositCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '1.5' },
 * });
 */
export const stockDepositCalldata = calldataEndpoint(
  '/api/v1/stock/deposits/calldata',
  stockMoveBody.extend({ userAddress: wire.ownAddress }),
);

export type StockDepositCalldataRequest = RequestOf<typeof stockDepositCalldata>;
export type StockDepositCalldataResponse = ResponseOf<typeof stockDepositCalldata>;

/**
 * Links a deposit of stock that the wallet has submitted itself to this key. A repeated request with the same key
 * gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Stock"; the answer is assumed.
 *
 * @example
 * const link = await client.stockDepositRecordTx({ body: { txHash } });
 */
export const stockDepositRecordTx = recordTxEndpoint('/api/v1/stock/deposits/tx');

export type StockDepositRecordTxRequest = RequestOf<typeof stockDepositRecordTx>;
export type StockDepositRecordTxResponse = ResponseOf<typeof stockDepositRecordTx>;

/**
 * Deposits of stock linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Stock"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.stockDeposits({ query: { page: 1, limit: 100 } });
 */
export const stockDeposits = transfersEndpoint('/api/v1/stock/deposits', stockOperationView);

export type StockDepositsRequest = RequestOf<typeof stockDeposits>;
export type StockDepositsResponse = ResponseOf<typeof stockDeposits>;

/**
 * One deposit of stock by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Stock"; the fields are assumed.
 *
 * @example
 * const { operationStatus } = await client.stockDeposit({ path: { operationId } });
 */
export const stockDeposit = transferEndpoint('/api/v1/stock/deposits/{operationId}', stockOperationView);

export type StockDepositRequest = RequestOf<typeof stockDeposit>;
export type StockDepositResponse = ResponseOf<typeof stockDeposit>;

/**
 * Moves a stock token from the exchange to the wallet, for the user bound to the key, through One Click.
 * Never repeated.
 *
 * `tokenAmount` in shares. `exchangeBalance` must cover it in addition to amounts locked by open orders; otherwise the
 * transaction is mined and reverts. Fails like `orderSend`.
 *
 * Source: venue specification, "Stock"; body and wrapper of the answer are assumed.
 *
 * @example
 * const { txHash } = await client.stockWithdrawalSend({ body: { tokenAddress, tokenAmount: '1.5' } }, gate);
 */
export const stockWithdrawalSend = sendEndpoint('/api/v1/stock/withdrawals/send', stockMoveBody);

export type StockWithdrawalSendRequest = RequestOf<typeof stockWithdrawalSend>;
export type StockWithdrawalSendResponse = ResponseOf<typeof stockWithdrawalSend>;

/**
 * The transaction that moves a stock token from the exchange to the wallet. Changes nothing by itself.
 *
 * `tokenAmount` in shares. `exchangeBalance` must cover it in addition to amounts locked by open orders.
 *
 * Source: venue specification, "Stock"; the body is assumed.
 *
 * @example
 * const { callData } = await client.stockWithdrawalCalldata({
 *   body: { userAddress: wallet, tokenAddress, tokenAmount: '1.5' },
 * });
 */
export const stockWithdrawalCalldata = calldataEndpoint(
  '/api/v1/stock/withdrawals/calldata',
  stockMoveBody.extend({ userAddress: wire.ownAddress }),
);

export type StockWithdrawalCalldataRequest = RequestOf<typeof stockWithdrawalCalldata>;
export type StockWithdrawalCalldataResponse = ResponseOf<typeof stockWithdrawalCalldata>;

/**
 * Links a withdrawal of stock that the wallet has submitted itself to this key. A repeated request with the same
 * key gives the same link; a hash that another key has recorded is refused.
 *
 * Source: venue specification, "Stock"; the answer is assumed.
 *
 * @example
 * const link = await client.stockWithdrawalRecordTx({ body: { txHash } });
 */
export const stockWithdrawalRecordTx = recordTxEndpoint('/api/v1/stock/withdrawals/tx');

export type StockWithdrawalRecordTxRequest = RequestOf<typeof stockWithdrawalRecordTx>;
export type StockWithdrawalRecordTxResponse = ResponseOf<typeof stockWithdrawalRecordTx>;

/**
 * Withdrawals of stock linked to this API key. A row is only the link to its transaction until the indexer
 * has seen that transaction.
 *
 * Source: venue specification, "Stock"; wrapper and fields of the rows are assumed.
 *
 * @example
 * const { total, rows } = await client.stockWithdrawals({ query: { page: 1, limit: 100 } });
 */
export const stockWithdrawals = transfersEndpoint('/api/v1/stock/withdrawals', stockOperationView);

export type StockWithdrawalsRequest = RequestOf<typeof stockWithdrawals>;
export type StockWithdrawalsResponse = ResponseOf<typeof stockWithdrawals>;

/**
 * One withdrawal of stock by the indexer's id. Not found until the indexer has seen its transaction;
 * `processing` is not a failure.
 *
 * Source: venue specification, "Stock"; the fields are assumed.
 *
 * @example
 * const { operationStatus } = await client.stockWithdrawal({ path: { operationId } });
 */
export const stockWithdrawal = transferEndpoint(
  '/api/v1/stock/withdrawals/{operationId}',
  stockOperationView,
);

export type StockWithdrawalRequest = RequestOf<typeof stockWithdrawal>;
export type StockWithdrawalResponse = ResponseOf<typeof stockWithdrawal>;
