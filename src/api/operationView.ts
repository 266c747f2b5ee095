import { z } from 'zod';
import { mapping, word } from './orderView.ts';
import { wire } from './wire.ts';

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
