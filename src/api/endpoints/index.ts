export { config, type ConfigResponse } from './config.ts';
export { symbols, type SymbolsResponse } from './symbols.ts';
export { prices, type PricesRequest, type PricesResponse } from './prices.ts';
export { history, type HistoryRequest, type HistoryResponse } from './history.ts';
export { underlying, type UnderlyingRequest, type UnderlyingResponse } from './underlying.ts';
export {
  corporateActions,
  type CorporateActionsRequest,
  type CorporateActionsResponse,
} from './corporateActions.ts';
export { user, type UserRequest, type UserResponse } from './user.ts';
export { balance, type BalanceRequest, type BalanceResponse } from './balance.ts';
export { positions, type PositionsRequest, type PositionsResponse } from './positions.ts';
export { orders, type OrdersRequest, type OrdersResponse } from './orders.ts';
export { order, type OrderRequest, type OrderResponse } from './order.ts';
export { orderByTx, type OrderByTxRequest, type OrderByTxResponse } from './orderByTx.ts';
export { orderCalldata, type OrderCalldataRequest, type OrderCalldataResponse } from './orderCalldata.ts';
export { orderSend, type OrderSendRequest, type OrderSendResponse } from './orderSend.ts';
export {
  orderWithDepositCalldata,
  type OrderWithDepositCalldataRequest,
  type OrderWithDepositCalldataResponse,
} from './orderWithDepositCalldata.ts';
export {
  orderWithDepositSend,
  type OrderWithDepositSendRequest,
  type OrderWithDepositSendResponse,
} from './orderWithDepositSend.ts';
export { orderRecordTx, type OrderRecordTxRequest, type OrderRecordTxResponse } from './orderRecordTx.ts';
export {
  orderCancelCalldata,
  type OrderCancelCalldataRequest,
  type OrderCancelCalldataResponse,
} from './orderCancelCalldata.ts';
export {
  orderCancelSend,
  type OrderCancelSendRequest,
  type OrderCancelSendResponse,
} from './orderCancelSend.ts';
export { repayCalldata, type RepayCalldataRequest, type RepayCalldataResponse } from './repayCalldata.ts';
export { repaySend, type RepaySendRequest, type RepaySendResponse } from './repaySend.ts';
export { debts, type DebtsRequest, type DebtsResponse } from './debts.ts';
export {
  cashDepositCalldata,
  type CashDepositCalldataRequest,
  type CashDepositCalldataResponse,
} from './cashDepositCalldata.ts';
export {
  cashDepositSend,
  type CashDepositSendRequest,
  type CashDepositSendResponse,
} from './cashDepositSend.ts';
export {
  cashDepositRecordTx,
  type CashDepositRecordTxRequest,
  type CashDepositRecordTxResponse,
} from './cashDepositRecordTx.ts';
export { cashDeposits, type CashDepositsRequest, type CashDepositsResponse } from './cashDeposits.ts';
export { cashDeposit, type CashDepositRequest, type CashDepositResponse } from './cashDeposit.ts';
export {
  cashWithdrawalCalldata,
  type CashWithdrawalCalldataRequest,
  type CashWithdrawalCalldataResponse,
} from './cashWithdrawalCalldata.ts';
export {
  cashWithdrawalSend,
  type CashWithdrawalSendRequest,
  type CashWithdrawalSendResponse,
} from './cashWithdrawalSend.ts';
export {
  cashWithdrawalRecordTx,
  type CashWithdrawalRecordTxRequest,
  type CashWithdrawalRecordTxResponse,
} from './cashWithdrawalRecordTx.ts';
export {
  cashWithdrawals,
  type CashWithdrawalsRequest,
  type CashWithdrawalsResponse,
} from './cashWithdrawals.ts';
export { cashWithdrawal, type CashWithdrawalRequest, type CashWithdrawalResponse } from './cashWithdrawal.ts';
export {
  stockDepositCalldata,
  type StockDepositCalldataRequest,
  type StockDepositCalldataResponse,
} from './stockDepositCalldata.ts';
export {
  stockDepositSend,
  type StockDepositSendRequest,
  type StockDepositSendResponse,
} from './stockDepositSend.ts';
export {
  stockDepositRecordTx,
  type StockDepositRecordTxRequest,
  type StockDepositRecordTxResponse,
} from './stockDepositRecordTx.ts';
export { stockDeposits, type StockDepositsRequest, type StockDepositsResponse } from './stockDeposits.ts';
export { stockDeposit, type StockDepositRequest, type StockDepositResponse } from './stockDeposit.ts';
export {
  stockWithdrawalCalldata,
  type StockWithdrawalCalldataRequest,
  type StockWithdrawalCalldataResponse,
} from './stockWithdrawalCalldata.ts';
export {
  stockWithdrawalSend,
  type StockWithdrawalSendRequest,
  type StockWithdrawalSendResponse,
} from './stockWithdrawalSend.ts';
export {
  stockWithdrawalRecordTx,
  type StockWithdrawalRecordTxRequest,
  type StockWithdrawalRecordTxResponse,
} from './stockWithdrawalRecordTx.ts';
export {
  stockWithdrawals,
  type StockWithdrawalsRequest,
  type StockWithdrawalsResponse,
} from './stockWithdrawals.ts';
export {
  stockWithdrawal,
  type StockWithdrawalRequest,
  type StockWithdrawalResponse,
} from './stockWithdrawal.ts';
export { oneClickStatus, type OneClickStatusResponse } from './oneClickStatus.ts';
export {
  oneClickPrepare,
  type OneClickPrepareRequest,
  type OneClickPrepareResponse,
} from './oneClickPrepare.ts';
export { oneClickEnable, type OneClickEnableRequest, type OneClickEnableResponse } from './oneClickEnable.ts';
export { oneClickDisable, type OneClickDisableResponse } from './oneClickDisable.ts';
