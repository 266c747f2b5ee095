import { z } from 'zod';
import { getAddress } from 'viem/utils';
import { formatDecimal, parseDecimal, stepOf, WAD } from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { hashHex } from '../../core/random.ts';
import { DIVIDEND_WAYS, EX_DATE_BEGINS } from '../../domain/corporateAction.ts';
import { DAY_READINGS, type Address } from '../../domain/instrument.ts';

/** The fields that a change may name, all required. */
type Whole<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };
type FeeRates = Whole<z.output<typeof feeRates>>;
/** Constants stored as wads, and given as decimal text in a change. */
type Amount = 'minDeposit' | 'minNotional' | 'tick' | 'fineTick';
/** Constants missing in states of earlier versions. */
type Late = 'dayEnds' | 'nights' | 'dividends' | 'tokens';

/** Constants of the venue, which a test can change. They are independent of any client's tables. */
export type VenueConstants = Whole<Omit<Change, 'fees' | 'statedFees' | Amount | Late>> &
  Readonly<Record<'fees' | 'statedFees', FeeRates> & Record<Amount, bigint> & Pick<Change, Late>>;

const FEES: FeeRates = { buyMintFeeBps: 10, buyProtocolFeeBps: 1, sellProtocolFeeBps: 1 };

/**
 * The venue's documented values, from its specification ("Limits", "Authentication") and, where it is silent, from
 * public notes.
 */
export const GENESIS_CONSTANTS: VenueConstants = {
  fees: FEES,
  statedFees: FEES,
  feePlaces: 18,
  depositFeeBps: 0,
  withdrawFeeBps: 21,
  minDeposit: 90n * WAD,
  minNotional: WAD,
  tick: stepOf(2),
  fineTick: stepOf(4),
  listRows: 10,
  listRowsMax: 100,
  barsMax: 5_000,
  windowMs: 45_000,
  deadlineMaxS: null,
  dayEnds: 'nextClose',
  nights: {},
  dividends: {},
  tokens: {},
  words: {},
  texts: [],
};

/** Lengths of bars (spec, "K-line query parameters"). */
export const BAR_INTERVALS = ['1m', '3m', '5m', '15m', '1h', '1d', '1w'] as const;

const bps = z.int().min(0).max(10_000);
/** Functions with which stock token contracts state a multiplier: of ERC-8056, xStocks and dShares. */
export const MULTIPLIER_FUNCTIONS = ['uiMultiplier', 'getCurrentMultiplier', 'balancePerShare'] as const;
const tokenTraits = z.strictObject({
  premiumBps: z.number().min(-10_000).max(1_000_000).optional(),
  multiplier: z.union([z.number(), z.string().max(40)]).optional(),
  contract: z.enum(MULTIPLIER_FUNCTIONS).optional(),
  shown: z.boolean().optional(),
});

/**
 * Traits of a token. `multiplier`: shares that it represents, unchecked; `contract`: the function with which its contract states them, or how
 * its balances have grown; `shown`: false for no price.
 */
export type TokenTraits = Readonly<z.output<typeof tokenTraits>>;

/** Fee rates of orders, in basis points of the executed notional. */
const feeRates = z.strictObject({
  buyMintFeeBps: bps.optional(),
  buyProtocolFeeBps: bps.optional(),
  sellProtocolFeeBps: bps.optional(),
});
const wad = z.string().regex(/^\d{1,30}(\.\d{1,18})?$/, 'must be a decimal number such as 12.5');
const wording = z.string().min(1).max(200);

/** A change of constants; omitted ones stay. `fees` also changes the stated fees, unless `statedFees` is given. */
export const constants = z.strictObject({
  /** Fees charged on the executed part at settlement. */
  fees: feeRates.optional(),
  /** Fees that `GET /config` states. */
  statedFees: feeRates.optional(),
  /** Decimal places to which each fee is rounded up. */
  feePlaces: z.int().min(0).max(18).optional(),
  depositFeeBps: bps.optional(),
  withdrawFeeBps: bps.optional(),
  /** Minimum deposit, in whole cash tokens, and minimum notional of an order, in mUSD. */
  minDeposit: wad.optional(),
  minNotional: wad.optional(),
  /** Price ticks for prices of 1 mUSD and more, and for lower ones. */
  tick: wad.optional(),
  fineTick: wad.optional(),
  /** Rows of a page: default and maximum. */
  listRows: z.int().min(1).max(1_000).optional(),
  listRowsMax: z.int().min(1).max(1_000).optional(),
  /** Maximum number of bars in a response. */
  barsMax: z.int().min(1).max(5_000).optional(),
  /** Maximum deviation of a timestamp in ms, in either direction. */
  windowMs: z.int().min(0).max(3_600_000).optional(),
  /** Maximum time to a deadline in seconds; null for no limit. */
  deadlineMaxS: z.int().min(1).max(86_400).nullable().optional(),
  /** End of a DAY order mined outside the regular session; absent in states of 0.8.0 and before: at the next close. */
  dayEnds: z.enum(DAY_READINGS).optional(),
  /** Traits of stocks outside the regular session that differ from their listing. */
  nights: z
    .record(
      z.string(),
      z.strictObject({
        overnightTradable: z.boolean().optional(),
        fractionalEhEnabled: z.boolean().optional(),
      }),
    )
    .optional(),
  /** How payments are made, and the share withheld; absent in states of 0.9.0 and before: in cash, none. */
  dividends: z
    .strictObject({
      pays: z.enum(DIVIDEND_WAYS).optional(),
      stocks: z.record(z.string(), z.enum(DIVIDEND_WAYS)).optional(),
      withheldBps: bps.optional(),
      /** Start of an ex-date for payments; absent: the open. */
      begins: z.enum(EX_DATE_BEGINS).optional(),
    })
    .optional(),
  /** Tokens by stock, with `*` for all others: their premium in bps over the shares they represent. Absent: at the share's price. */
  tokens: z.record(z.string(), tokenTraits).optional(),
  /** Replacements for documented status words. */
  words: z.record(wording, wording).optional(),
  /** Changes to texts of refusals: `say` replaces each `find`. */
  texts: z
    .array(z.strictObject({ find: wording, say: z.string().max(200) }))
    .max(100)
    .optional(),
});

type Change = Readonly<z.output<typeof constants>>;

/** The part of the venue's state that holds its constants. */
type InForce = { constants: VenueConstants };

/** Changes constants. @throws {InvalidValueError} for a tick of 0; nothing has changed then */
export function changeConstants(state: InForce, { fees, statedFees, ...change }: Change): void {
  const { minDeposit, minNotional, tick, fineTick, ...plain } = change;
  const before = state.constants;
  const amount = (text: string | undefined, kept: bigint): bigint =>
    text === undefined ? kept : parseDecimal(text);
  const steps = { tick: amount(tick, before.tick), fineTick: amount(fineTick, before.fineTick) };
  if (steps.tick === 0n || steps.fineTick === 0n)
    throw new InvalidValueError('a step of prices must be above 0');
  state.constants = Object.assign(
    { ...before },
    Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    steps,
    {
      fees: { ...before.fees, ...fees },
      statedFees: { ...before.statedFees, ...fees, ...statedFees },
      minDeposit: amount(minDeposit, before.minDeposit),
      minNotional: amount(minNotional, before.minNotional),
    },
  );
}

/** Tick at a price; both wads. */
export const tickAt = ({ tick, fineTick }: VenueConstants, price: bigint): bigint =>
  price < WAD ? fineTick : tick;

const STATUS_FIELDS: ReadonlySet<string> = new Set(['status', 'mappingStatus', 'orderStatus']);

/** The response with the venue's current status words and texts. */
export function inPresentWords(reply: VenueReply, { words, texts }: VenueConstants): VenueReply {
  if (texts.length === 0 && Object.keys(words).length === 0) return reply;
  const said = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    if (STATUS_FIELDS.has(name)) return Object.hasOwn(words, value) ? words[value] : value;
    return name === 'errMsg'
      ? texts.reduce((text, { find, say }) => text.replaceAll(find, say), value)
      : value;
  };
  return { ...reply, body: JSON.stringify(JSON.parse(reply.body, said)) };
}

/** The current constants, with amounts as decimal text. */
export const constantsView = ({ constants: at }: InForce) => ({
  ...at,
  minDeposit: formatDecimal(at.minDeposit),
  minNotional: formatDecimal(at.minNotional),
  tick: formatDecimal(at.tick),
  fineTick: formatDecimal(at.fineTick),
});

/** Address derived from a name. */
export const addressOf = (name: string): Address => getAddress(hashHex(name).slice(0, 42));

/** Chain and product of every key (spec, "Authentication", 1). */
export const CHAIN_ID = 143;
export const PRODUCT = 'ProductA';

export const contracts = {
  router: addressOf('contract router'),
  cashier: addressOf('contract cashier'),
  stock: addressOf('contract stock'),
  oneClickRouter: addressOf('contract oneClickRouter'),
} as const;

/** On-chain wallet of the venue's operator. Its seed must not change. */
export const operatorWallet = addressOf('wallet desk');

/** Token of deposits and withdrawals. */
export const cashToken = { address: addressOf('token USDC'), symbol: 'USDC', decimals: 6 } as const;

/** Decimals of stock tokens and of mUSD. */
export const TOKEN_DECIMALS = 18;

/**
 * Numbers and words of the API that the venue's specification leaves open, as this venue uses them. They are defined
 * only here.
 */

/** Codes of the envelope. */
export const CODES = {
  success: 200,
  unauthorized: 401,
  failed: 500,
  validation: 10_000,
  notFound: 10_001,
  /** Refusal by a trading rule. */
  rule: 10_002,
  /** Failure on chain or in delegation. */
  chain: 10_003,
} as const;
export type Code = (typeof CODES)[keyof typeof CODES];

/** An operation that moves cash or stock between wallet and venue. */
export type MoveWord = 'deposit' | 'withdraw' | 'stock_deposit' | 'stock_withdraw';

/** Purpose of a transaction linked to a key. */
export type OperationWord = MoveWord | 'trade' | 'deferred_repay';

/** Status of an operation. Before that its link is `Pending`. */
export type OperationStatus = 'processing' | 'success' | 'failed';

/** Final status of an order that reached the chain. */
export type Ending = 'Filled' | 'Canceled' | 'Expired' | 'Rejected';

/** Status of a linked order: `Pending` until the chain has it, `Failed` when its transaction reverted. */
export type OrderWord = 'Pending' | 'New' | 'Partial filled' | 'Failed' | Ending;

/** Raw status of an open order. */
export type RawWord = 'placing' | 'canceling';

/** Response of the venue. Header names in lower case. */
export type VenueReply = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Additional milliseconds for the second half of the body. */
  slowMs?: number;
  /** True if 1xx responses precede it. */
  interim?: boolean;
}>;
