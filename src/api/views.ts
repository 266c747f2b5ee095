import { z } from 'zod';
import { wire } from './wire.ts';

/** A word or an id, with limited length, because the journal stores it. */
const word = z.string().refine((text) => text.length <= 200, 'longer than 200 characters');

/** The link from a transaction to an API key. */
export const mapping = z.object({
  /** 0x and 64 hex digits. */
  txHash: wire.hash,
  /** `trade`, `deposit`, `withdraw`, `stock_deposit`, `stock_withdraw` or `deferred_repay`. */
  operationType: word.nullish(),
  /** `Init`, `Pending` or `New` while only the link exists; `Failed` when the transaction reverted. */
  status: word.nullish(),
  /** On-chain order id, 32 bytes in hex; null until the indexer has seen the transaction. */
  orderId: word.nullish(),
  /** Id of the indexer, for transfers; null until it has seen the transaction. */
  operationId: word.nullish(),
  /** Unix seconds; milliseconds when above 4294967295. */
  createTime: z.number().nullish(),
});

export const openOrder = z.object({
  /** On-chain order id, 32 bytes in hex. */
  orderId: word,
  userAddress: word.nullish(),
  side: z.enum(['Buy', 'Sell']),
  type: z.enum(['Market', 'Limit']),
  /** `DAY`, for limit orders. */
  tif: word.nullish(),
  /** Ticker of the stock. */
  symbol: word,
  /** Size of a market buy, in mUSD; 0 or absent for other orders. */
  placeNotional: wire.decimal.nullish(),
  /** Size of a limit order or a market sell, in shares; 0 or absent for a market buy. */
  placeQuantity: wire.decimal.nullish(),
  /** Amount locked: mUSD with fees for a buy, shares for a sell. */
  pay: wire.decimal.nullish(),
  /** Limit price, in mUSD a share; 0 or absent for market orders. */
  placePrice: wire.decimal.nullish(),
  /** `placing` or `canceling`; the order book's words (`New`, `Partial filled`) are accepted as well. */
  status: word,
  /** True for a deferred sell, which locks nothing. */
  deferred: z.boolean().nullish(),
});

export const historyOrder = openOrder.extend({
  /** Transaction of the settlement, 0x and 64 hex digits; null when nothing was settled. */
  settleTxHash: word.nullish(),
  /** Execution price, in mUSD a share. */
  settlePrice: wire.decimal.nullish(),
  /** Amount paid: mUSD with fees for a buy, shares for a sell. */
  settlePay: wire.decimal.nullish(),
  /** Amount received: shares for a buy, mUSD after fees for a sell. */
  settleReceive: wire.decimal.nullish(),
  /** mUSD; buys only. */
  mintFee: wire.decimal.nullish(),
  /** mUSD. */
  protocolFee: wire.decimal.nullish(),
});

export type OpenOrder = z.output<typeof openOrder>;
export type HistoryOrder = z.output<typeof historyOrder>;

/** Converts every possible form of an order to that of a detail. */
function toDetail(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null) return raw;
  if ('mapping' in raw || 'mappingStatus' in raw || 'orderStatus' in raw) return raw;
  const { openOrder, historyOrder }: { openOrder?: unknown; historyOrder?: unknown } = raw;
  if (openOrder !== undefined || historyOrder !== undefined) return { mapping: raw, openOrder, historyOrder };
  if ('settlePrice' in raw || 'settlePay' in raw || 'settleReceive' in raw) return { historyOrder: raw };
  return 'side' in raw ? { openOrder: raw } : { mapping: raw };
}

/**
 * An order from a list row or a detail: its link, and the open or settled order once the indexer has seen it. A row
 * with only the link, or only an open or settled order, is accepted too.
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

/** A deposit or withdrawal of cash. The venue documents the deposit; the withdrawal is assumed to be similar. */
export const cashOperation = z.object({
  /** Id of the indexer. */
  operationId: word,
  userAddress: word.nullish(),
  /** Cash token. */
  tokenAddress: word.nullish(),
  /** `processing`, `success` or `failed`; any other word is not final. */
  status: word.nullish(),
  /** False for a transfer in the cashier's queue. */
  isInstant: z.boolean().nullish(),
  /** Cash token, in whole units. */
  amount: wire.float.nullish(),
  /** mUSD. */
  creditAmount: wire.float.nullish(),
  /** Human-readable; the specification does not name its token. */
  feeAmount: wire.float.nullish(),
  /** 0x and 64 hex digits. */
  createTxHash: word.nullish(),
  /** 0x and 64 hex digits; null until a queued transfer has settled. */
  settleTxHash: word.nullish(),
});

/** A stock token in transit between wallet and exchange. */
export const stockOperation = z.object({
  /** Id of the indexer. */
  operationId: word,
  userAddress: word.nullish(),
  /** Stock token. */
  tokenAddress: word.nullish(),
  /** Ticker of the stock. */
  stockSymbol: word.nullish(),
  /** `processing`, `success` or `failed`; any other word is not final. */
  status: word.nullish(),
  /** Shares. */
  amount: wire.float.nullish(),
  /** 0x and 64 hex digits. */
  createTxHash: word.nullish(),
});

const link = {
  mappingStatus: word.nullish(),
  operationStatus: word.nullish(),
  /** Link from the transaction to the key; its `operationId` is null until the indexer has seen the transaction. */
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

/** Converts every possible form of a transfer to that of a detail, where it is in `field`. */
const detailWith = (field: string) => (raw: unknown) => {
  if (typeof raw !== 'object' || raw === null) return raw;
  if ('mapping' in raw || 'mappingStatus' in raw || 'operationStatus' in raw) return raw;
  if (field in raw) return 'txHash' in raw ? { ...raw, mapping: raw } : raw;
  return 'tokenAddress' in raw || 'amount' in raw ? { [field]: raw } : { mapping: raw };
};

/**
 * An operation from a list row or a detail: its link, and the operation once the indexer has seen it. A row with only the
 * link, or only the operation, is accepted too.
 */
export const cashDepositView = z.preprocess(detailWith('depositOperation'), cashDetail);
export const cashWithdrawalView = z.preprocess(detailWith('withdrawalOperation'), cashDetail);
export const stockOperationView = z.preprocess(detailWith('stockOperation'), stockDetail);

/** Balance of one token of a user. */
export const tokenBalance = z.object({
  address: wire.address,
  name: z.string().nullish(),
  symbol: z.string(),
  /** Ticker, for stock tokens. */
  stockSymbol: z.string().nullish(),
  isStock: z.boolean(),
  /** Decimals of the token on the chain. */
  decimals: z.number().nullish(),
  /** mUSD a share, for stock tokens. */
  price: z.number().nullish(),
  /** Whole units of the token, or shares. */
  walletBalance: wire.signedDecimal,
  /** Whole units that the given spender may take from the wallet. */
  walletAllowance: wire.signedDecimal.nullish(),
  /** Whole units of the token, or shares, net of amounts locked by open orders. */
  exchangeBalance: wire.signedDecimal,
  logoUrl: z.string().nullish(),
});

/** Stock quote and basic info, the same on every chain. */
export const basicInfo = z.object({
  symbol: z.string(),
  contractAddress: z.string().nullish(),
  contractSymbol: z.string().nullish(),
  /** Decimals of the token on the chain. */
  onChainDecimals: z.number().nullish(),
  name: z.string().nullish(),
  exchange: z.string().nullish(),
  /** `active` or `inactive`. */
  status: z.string().nullish(),
  /** mUSD a share. */
  price: z.number(),
  /** mUSD a share, over the last 24 hours. */
  change24H: z.number().nullish(),
  /** Percentage over the last 24 hours, as the venue gives it. */
  change24HPercent: z.number().nullish(),
  /** Volume of the last 24 hours, in shares. */
  volume24H: z.number().nullish(),
  tradable: z.boolean().nullish(),
  fractionable: z.boolean().nullish(),
  /** Time of the price, in Unix seconds. */
  lastUpdateTimestamp: z.number().nullish(),
});

/**
 * Response of every `/calldata` endpoint: a transaction for the user's wallet to sign and submit. Before
 * signing, compare `toAddress`, `chainId`, `value` and the decoded arguments with the request.
 *
 * Source: venue specification, "Calldata result".
 */
export const calldata = z.object({
  chainId: z.int(),
  productType: z.string().nullish(),
  /** Address of the router. */
  toAddress: wire.address,
  /** Native token, in its smallest unit; so far always `0`. */
  value: wire.decimal,
  /** ABI-encoded call: 0x and whole bytes in hex. */
  callData: wire.bytes,
  /** Function of the router: `placeLimitOrder`, `deposit`, ... */
  method: z.string(),
});

export type Calldata = z.output<typeof calldata>;
