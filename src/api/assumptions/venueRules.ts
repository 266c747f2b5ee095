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

/** Codes beside 200. They alone prove nothing about a send; the client decides by documented texts. */
export const CODES = {
  success: 200,
  unauthorized: 401,
  failed: 500,
  validation: 10_000,
  notFound: 10_001,
  rule: 10_002,
  chain: 10_003,
} as const;

/** One Click's word for a delegation that is in force; any other is not. */
export const DELEGATION_ENABLED = 'enable';
export const DELEGATION_WORDS: ReadonlySet<string> = new Set([DELEGATION_ENABLED, 'disabled']);

/** Words of a mapped order while only its link to the key exists. */
export const LINKED_WORDS: ReadonlySet<string> = new Set(['Init', 'Pending', 'New']);
export const REVERTED_WORD = 'Failed';

/** An open order's `status`: the raw words, and the mapped ones in case the venue puts those there. */
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
};

/** What a word of the venue stands for. A name that every object has, such as `constructor`, is no word. */
export const wordIn = <Meaning>(
  words: Readonly<Record<string, Meaning>>,
  word: string,
): Meaning | undefined => (Object.hasOwn(words, word) ? words[word] : undefined);

/** What the transaction of a link is for. */
export const OPERATION_TYPES: ReadonlySet<string> = new Set([
  'trade',
  'deposit',
  'withdraw',
  'stock_deposit',
  'stock_withdraw',
  'deferred_repay',
]);

/** Of cash or stock on its way; any other is not final. */
export const OPERATION_STATUS: Readonly<Record<string, TransferStatus>> = {
  processing: 'processing',
  success: 'success',
  failed: 'failed',
};
export const OPERATION_WORDS: ReadonlySet<string> = new Set(Object.keys(OPERATION_STATUS));

/** Of corporate actions. */
export const ACTION_TYPES: ReadonlySet<string> = new Set(Object.keys(ACTION_KINDS));

/** What every delegated `/send` answers. */
export const sent = z.object({ txHash: wire.hash, uuid: z.string().nullish() });

/** What turning delegation on or off answers. */
export const delegationChanged = z.object({ status: z.string().nullish() }).nullish();

/** What recording a transaction sends: the hash that the wallet's own submission gave. */
export const recordBody = z.strictObject({ txHash: wire.hash });
/** And gets: the link, or null when the answer cannot be read as one. A success is a success either way. */
export const recorded = expecting(
  z.unknown().transform((raw) => mapping.safeParse(raw).data ?? null),
  mapping.nullish(),
);

/** What an order with a deposit names beside the order: cash tokens for a buy, or the shares of a sell, of the wallet. */
export const withDepositFields = {
  /** The cash token, for a buy. A sell deposits the stock itself. */
  tokenAddress: wire.ownAddress.optional(),
  /** Whole units of what is deposited. */
  tokenAmount: wire.amount,
};

/** Cash out of the cashier: `creditAmount` in mUSD, paid out in the cash token. */
export const cashWithdrawalBody = z.strictObject({
  tokenAddress: wire.ownAddress,
  creditAmount: wire.amount,
  gasLimit: wire.gasLimit.optional(),
});

/** A stock token between wallet and exchange, `tokenAmount` in shares. */
export const stockMoveBody = z.strictObject({ tokenAddress: wire.ownAddress, tokenAmount: wire.amount });

/** Stock of the wallet against the debt of deferred sells, `quantity` in shares. */
export const repayBody = z.strictObject({ stockAddress: wire.ownAddress, quantity: wire.amount });
export const debtRow = z.object({
  stockAddress: wire.address,
  stockSymbol: z.string().nullish(),
  /** Shares. */
  debtQuantity: wire.decimal,
});

const day = z.iso.date('not a date such as 2026-06-15');
export const corporateActionQuery = z.strictObject({
  /** One, or several with commas between. */
  symbols: z
    .string()
    .regex(/^[\w.-]+(,[\w.-]+)*$/)
    .optional(),
  start: day.optional(),
  end: day.optional(),
});
export const corporateActionRow = z.object({
  symbol: z.string(),
  /** `forward_split`, `reverse_split`, `cash_dividend` or `spin_off`. */
  type: z.string(),
  exDate: z.string().nullish(),
  recordDate: z.string().nullish(),
  payableDate: z.string().nullish(),
  /** A split turns `oldRate` shares into `newRate`. */
  oldRate: wire.told.nullish(),
  newRate: wire.told.nullish(),
  /** USD. */
  cashPerShare: wire.told.nullish(),
});

/** Sub-fields of `GET /config`. Basis points, and amounts in whole units of their token. */
export const configData = z.object({
  cashierBuffer: z
    .object({
      creditBuffer: wire.signedDecimal.nullish(),
      creditBufferCapacity: wire.signedDecimal.nullish(),
      /** A deposit of at most buffer / divisor is instant. */
      instantThresholdDivisor: z.number().nullish(),
    })
    .nullish(),
  exchangeFeeConfig: z
    .object({
      chainId: z.number().nullish(),
      productType: z.string().nullish(),
      buyMintFeeBps: z.number().nullish(),
      buyProtocolFeeBps: z.number().nullish(),
      sellProtocolFeeBps: z.number().nullish(),
    })
    .nullish(),
  cashierTokenConfig: rowsOf(
    z.object({
      tokenAddress: wire.address,
      symbol: z.string().nullish(),
      decimals: z.number().nullish(),
      minAmount: wire.decimal.nullish(),
      depositPaused: z.boolean().nullish(),
      withdrawPaused: z.boolean().nullish(),
      depositFeeBps: z.number().nullish(),
      withdrawFeeBps: z.number().nullish(),
      withdrawalBuffer: wire.signedDecimal.nullish(),
      withdrawalBufferCapacity: wire.signedDecimal.nullish(),
    }),
  ).nullish(),
});
