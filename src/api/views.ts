import { z } from 'zod';
import { wire } from './wire.ts';

/** A word or an id: what is kept of each is bounded, because the journal keeps it. */
const word = z.string().refine((text) => text.length <= 200, 'longer than 200 characters');

/** The link from a transaction to an API key. */
export const mapping = z.object({
  txHash: wire.hash,
  /** `trade`, `deposit`, `withdraw`, `stock_deposit`, `stock_withdraw` or `deferred_repay`. */
  operationType: word.nullish(),
  status: word.nullish(),
  /** Null until the indexer has seen the transaction. */
  orderId: word.nullish(),
  operationId: word.nullish(),
  /** Unix seconds. */
  createTime: z.number().nullish(),
});

export const openOrder = z.object({
  /** 32 bytes in hex. */
  orderId: word,
  userAddress: word.nullish(),
  side: z.enum(['Buy', 'Sell']),
  type: z.enum(['Market', 'Limit']),
  tif: word.nullish(),
  symbol: word,
  /** mUSD. */
  placeNotional: wire.decimal.nullish(),
  /** Shares. */
  placeQuantity: wire.decimal.nullish(),
  /** What it locks: mUSD with fees for a buy, shares for a sell. */
  pay: wire.decimal.nullish(),
  /** mUSD a share. */
  placePrice: wire.decimal.nullish(),
  status: word,
  deferred: z.boolean().nullish(),
});

export const historyOrder = openOrder.extend({
  settleTxHash: word.nullish(),
  settlePrice: wire.decimal.nullish(),
  /** mUSD with fees for a buy, shares for a sell. */
  settlePay: wire.decimal.nullish(),
  /** Shares for a buy, mUSD after fees for a sell. */
  settleReceive: wire.decimal.nullish(),
  mintFee: wire.decimal.nullish(),
  protocolFee: wire.decimal.nullish(),
});

export type OpenOrder = z.output<typeof openOrder>;
export type HistoryOrder = z.output<typeof historyOrder>;

/** Brings every shape in which an order may come to that of the detail. */
function toDetail(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  if ('mapping' in raw || 'mappingStatus' in raw || 'orderStatus' in raw) return raw;
  const { openOrder, historyOrder }: { openOrder?: unknown; historyOrder?: unknown } = raw;
  if (openOrder !== undefined || historyOrder !== undefined) return { mapping: raw, openOrder, historyOrder };
  if ('settlePrice' in raw || 'settlePay' in raw || 'settleReceive' in raw) return { historyOrder: raw };
  return 'side' in raw ? { openOrder: raw } : { mapping: raw };
}

/**
 * An order from a list row or a detail: its link, and the open or the settled order once the indexer has seen it.
 * A row that is the link alone, or an open or settled order alone, is read too.
 */
export const orderView = z.preprocess(
  toDetail,
  z.object({
    mappingStatus: word.nullish(),
    orderStatus: word.nullish(),
    mapping: mapping.nullish(),
    openOrder: openOrder.nullish(),
    historyOrder: historyOrder.nullish(),
  }),
);
export type OrderView = z.output<typeof orderView>;

/** A deposit or a withdrawal of cash. The venue documents the deposit; the withdrawal mirrors it. */
export const cashOperation = z.object({
  operationId: word,
  userAddress: word.nullish(),
  tokenAddress: word.nullish(),
  /** `processing`, `success` or `failed`; take any other word for one that is not final. */
  status: word.nullish(),
  isInstant: z.boolean().nullish(),
  /** Of the cash token, in whole units. */
  amount: wire.told.nullish(),
  /** mUSD. */
  creditAmount: wire.told.nullish(),
  feeAmount: wire.told.nullish(),
  createTxHash: word.nullish(),
  settleTxHash: word.nullish(),
});

/** A stock token on its way between wallet and exchange. */
export const stockOperation = z.object({
  operationId: word,
  userAddress: word.nullish(),
  tokenAddress: word.nullish(),
  stockSymbol: word.nullish(),
  status: word.nullish(),
  /** Shares. */
  amount: wire.told.nullish(),
  createTxHash: word.nullish(),
});

const link = {
  mappingStatus: word.nullish(),
  operationStatus: word.nullish(),
  /** From the transaction to the key; its `operationId` is null until the indexer has seen the transaction. */
  mapping: mapping.nullish(),
};
const cashDetail = z.object({
  ...link,
  depositOperation: cashOperation.nullish(),
  withdrawalOperation: cashOperation.nullish(),
});
const stockDetail = z.object({ ...link, stockOperation: stockOperation.nullish() });

export type CashView = z.output<typeof cashDetail>;
export type StockView = z.output<typeof stockDetail>;

/** Brings every shape in which an operation may come to that of the detail, where it stands under `field`. */
const detailWith = (field: string) => (raw: unknown) => {
  if (typeof raw !== 'object' || raw === null) return raw;
  if ('mapping' in raw || 'mappingStatus' in raw || 'operationStatus' in raw) return raw;
  if (field in raw) return 'txHash' in raw ? { ...raw, mapping: raw } : raw;
  return 'tokenAddress' in raw || 'amount' in raw ? { [field]: raw } : { mapping: raw };
};

/**
 * An operation from a list row or a detail: its link, and what was moved once the indexer has seen it. A row
 * that is the link alone, or the operation alone, is read too.
 */
export const cashDepositView = z.preprocess(detailWith('depositOperation'), cashDetail);
export const cashWithdrawalView = z.preprocess(detailWith('withdrawalOperation'), cashDetail);
export const stockOperationView = z.preprocess(detailWith('stockOperation'), stockDetail);
