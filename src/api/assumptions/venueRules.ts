import { z } from 'zod';
import { ACTION_KINDS } from '../../domain/corporateAction.ts';
import type { TransferStatus } from '../../domain/transfers/transfer.ts';
import type { VenueStatus } from '../../domain/venue.ts';
import { mapping } from '../views.ts';
import { expecting, rowsOf, wire } from '../wire.ts';

/**
 * Names on the wire that the venue's documentation leaves open. They stand here and nowhere else, so that correcting
 * one is one edit; `doctor --probe` compares them with a real venue.
 */

/** Codes other than 200. By themselves they prove nothing about a send; the client decides by documented texts. */
export const CODES = {
  success: 200,
  unauthorized: 401,
  failed: 500,
  validation: 10_000,
  notFound: 10_001,
  rule: 10_002,
  chain: 10_003,
} as const;

/** One Click's word for an active delegation; any other word means inactive. */
export const DELEGATION_ENABLED = 'enable';
export const DELEGATION_WORDS: ReadonlySet<string> = new Set([DELEGATION_ENABLED, 'disabled']);

/** Status words of an order while only its link to the key exists. */
export const LINKED_WORDS: ReadonlySet<string> = new Set(['Init', 'Pending', 'New']);
export const REVERTED_WORD = 'Failed';

/** Status words of an open order: the raw ones, and the link's in case the venue uses those there. */
export const OPEN_WORDS: Readonly<Record<string, VenueStatus>> = {
  placing: 'open',
  canceling: 'canceling',
  New: 'open',
  'Partial filled': 'open',
};

/** A history order's `status`. */
export const HISTORY_WORDS: Readonly<Record<string, VenueStatus>> = {
  Filled: 'filled',
  Canceled: 'cancelled',
  Expired: 'expired',
  Rejected: 'rejected',
  // Without an order in the history, the word describes a reverted transaction.
  [REVERTED_WORD]: 'rejected',
};

/** Meaning of a venue's word; undefined for names that every object has, such as `constructor`. */
export const wordIn = <Meaning>(
  words: Readonly<Record<string, Meaning>>,
  word: string,
): Meaning | undefined => (Object.hasOwn(words, word) ? words[word] : undefined);

/** Purposes of linked transactions. */
export const OPERATION_TYPES: ReadonlySet<string> = new Set([
  'trade',
  'deposit',
  'withdraw',
  'stock_deposit',
  'stock_withdraw',
  'deferred_repay',
]);

/** Status words of transfers; any other word is not final. */
export const OPERATION_STATUS: Readonly<Record<string, TransferStatus>> = {
  processing: 'processing',
  success: 'success',
  failed: 'failed',
};
export const OPERATION_WORDS: ReadonlySet<string> = new Set(Object.keys(OPERATION_STATUS));

/** Words of corporate actions. */
export const ACTION_TYPES: ReadonlySet<string> = new Set(Object.keys(ACTION_KINDS));

/** Response to every delegated `/send`. */
export const sent = z.object({ txHash: wire.hash, uuid: z.string().nullish() });

/** Response to turning delegation on or off. */
export const delegationChanged = z.object({ status: z.string().nullish() }).nullish();

/** Request to record a transaction, by the hash from the wallet's own submission. */
export const recordBody = z.strictObject({ txHash: wire.hash });
/** Response to recording a transaction: the link, or null if it cannot be parsed. Either way it succeeded. */
export const recorded = expecting(
  z.unknown().transform((raw) => mapping.safeParse(raw).data ?? null),
  mapping.nullish(),
);

/** Fields of the deposit that comes with an order, from the wallet: cash tokens for a buy, shares for a sell. */
export const withDepositFields = {
  /** Cash token of a buy. A sell deposits the stock itself. */
  tokenAddress: wire.ownAddress.optional(),
  /** Whole units of the deposited token, above 0, at most 18 decimals. */
  tokenAmount: wire.amount,
};

/** Withdrawal of cash from the cashier: `creditAmount` in mUSD, paid out in the cash token. */
export const cashWithdrawalBody = z.strictObject({
  /** Cash token that is paid out. */
  tokenAddress: wire.ownAddress,
  /** mUSD, above 0, at most 18 decimals. */
  creditAmount: wire.amount,
});

/** Transfer of a stock token between wallet and exchange; `tokenAmount` in shares. */
export const stockMoveBody = z.strictObject({ tokenAddress: wire.ownAddress, tokenAmount: wire.amount });

/** Repayment of deferred sells' debt with stock from the wallet; `quantity` in shares. */
export const repayBody = z.strictObject({ stockAddress: wire.ownAddress, quantity: wire.amount });
export const debtRow = z.object({
  /** Stock token. */
  stockAddress: wire.address,
  /** Ticker of the stock. */
  stockSymbol: z.string().nullish(),
  /** Shares still owed, 0 or more. */
  debtQuantity: wire.decimal,
});

const day = z.iso.date('not a date such as 2026-06-15');
export const corporateActionQuery = z.strictObject({
  /** One ticker, or several separated by commas; absent: all. */
  symbols: z
    .string()
    .regex(/^[\w.-]+(,[\w.-]+)*$/)
    .optional(),
  /** First day of the exchange, such as 2026-06-15. */
  start: day.optional(),
  /** Last day of the exchange. */
  end: day.optional(),
});
export const corporateActionRow = z.object({
  symbol: z.string(),
  /** `forward_split`, `reverse_split`, `cash_dividend` or `spin_off`. */
  type: z.string(),
  /** Day of the exchange, such as 2026-06-15. */
  exDate: z.string().nullish(),
  /** Day of the exchange. */
  recordDate: z.string().nullish(),
  /** Day of the exchange. */
  payableDate: z.string().nullish(),
  /** Shares before a split, corresponding to `newRate` after it. */
  oldRate: wire.float.nullish(),
  /** Shares after a split, corresponding to `oldRate` before it. */
  newRate: wire.float.nullish(),
  /** USD a share. */
  cashPerShare: wire.float.nullish(),
});

/** Fields of `GET /config`. Basis points, and amounts in whole units of their token. */
export const configData = z.object({
  cashierBuffer: z
    .object({
      /** mUSD still available for instant deposits. */
      creditBuffer: wire.signedDecimal.nullish(),
      /** mUSD. */
      creditBufferCapacity: wire.signedDecimal.nullish(),
      /** A deposit of at most `creditBuffer` / divisor is instant. */
      instantThresholdDivisor: z.number().nullish(),
    })
    .nullish(),
  exchangeFeeConfig: z
    .object({
      chainId: z.number().nullish(),
      productType: z.string().nullish(),
      /** Basis points of the notional. */
      buyMintFeeBps: z.number().nullish(),
      /** Basis points of the notional. */
      buyProtocolFeeBps: z.number().nullish(),
      /** Basis points of the notional. */
      sellProtocolFeeBps: z.number().nullish(),
    })
    .nullish(),
  cashierTokenConfig: rowsOf(
    z.object({
      tokenAddress: wire.address,
      symbol: z.string().nullish(),
      /** Decimals of the token on the chain. */
      decimals: z.number().nullish(),
      /** Whole units of the token. */
      minAmount: wire.decimal.nullish(),
      depositPaused: z.boolean().nullish(),
      withdrawPaused: z.boolean().nullish(),
      /** Basis points of the amount. */
      depositFeeBps: z.number().nullish(),
      /** Basis points of the amount. */
      withdrawFeeBps: z.number().nullish(),
      /** Whole units of the token still available for instant withdrawals. */
      withdrawalBuffer: wire.signedDecimal.nullish(),
      /** Whole units of the token. */
      withdrawalBufferCapacity: wire.signedDecimal.nullish(),
    }),
  ).nullish(),
});
