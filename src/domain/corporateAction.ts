import {
  type Price,
  type Shares,
  cash,
  formatDecimal,
  notionalOf,
  parseDecimal,
  price,
  shares,
  toNumber,
  type Cash,
} from '../core/amount.ts';
import { InvalidValueError } from '../core/errors.ts';
import { ticker, type Ticker } from './instrument.ts';
import type { StrategyId } from './account/ledger.ts';

/** Common terms of announced actions. `name`: the venue's word for the kind. `exDate`, `payableDate`: days of the exchange. */
type ActionHead = Readonly<{ symbol: Ticker; name: string; exDate: string }>;

/** A split in either direction, or a dividend in stock: `oldRate` shares become `newRate`. Rates as wads. */
export type Split = ActionHead & Readonly<{ kind: 'split'; oldRate: bigint; newRate: bigint }>;
/** Payment in mUSD per share: a dividend, or the value of a spun-off company. */
export type Payment = ActionHead & Readonly<{ kind: 'payment'; payableDate: string | null; perShare: Cash }>;
export type CorporateAction = Split | Payment;

/** Ways in which a payment reaches the holders of a stock: as mUSD, as more shares, or within its price. */
export const DIVIDEND_WAYS = ['cash', 'tokens', 'price'] as const;
export type DividendWay = (typeof DIVIDEND_WAYS)[number];

/** Rules for the stops of exits on an ex-date: lowered by the dividend, or unchanged. */
export const EXIT_DIVIDENDS = ['adjust', 'keep'] as const;
export type ExitDividends = (typeof EXIT_DIVIDENDS)[number];

/** Times at which an ex-date begins: at 20:00 the evening before, or at its session's open. */
export const EX_DATE_BEGINS = ['evening', 'open'] as const;
export type ExDateBegin = (typeof EX_DATE_BEGINS)[number];

/**
 * How payments arrive: `stocks` that differ from `way`, the withheld part, and how far the value of new shares may be
 * from the amount due. `begins`: start of an ex-date; default `open`.
 */
export type DividendRules = Readonly<{
  way: DividendWay;
  stocks: ReadonlyMap<Ticker, DividendWay>;
  withheldBps: number;
  toleranceBps: number;
  begins?: ExDateBegin;
}>;

/** Largest difference between the amount due and the value of the shares received for it, in bps of the amount due. */
export const DIVIDEND_TOLERANCE_BPS = 500;

/** Default rules: payments in cash, in full. */
export const CASH_DIVIDENDS: DividendRules = {
  way: 'cash',
  stocks: new Map(),
  withheldBps: 0,
  toleranceBps: DIVIDEND_TOLERANCE_BPS,
};

const BPS = 10_000n;
const BPS_PER_PERCENT = 100;

/** Rules from how payments arrive and the percentage withheld, as options and configs have them. */
export const dividendRulesOf = ({
  dividends: way = 'cash',
  withheldPercent = 0,
  stocks = CASH_DIVIDENDS.stocks,
  toleranceBps = DIVIDEND_TOLERANCE_BPS,
}: Readonly<{
  dividends?: DividendWay | undefined;
  withheldPercent?: number | undefined;
  stocks?: DividendRules['stocks'];
  toleranceBps?: number | undefined;
}>): DividendRules => ({
  way,
  stocks,
  withheldBps: Math.round(withheldPercent * BPS_PER_PERCENT),
  toleranceBps,
});

export const wayOf = ({ way, stocks }: DividendRules, symbol: Ticker): DividendWay =>
  stocks.get(symbol) ?? way;

/** mUSD per share that reach the holder. */
export const netOf = ({ perShare }: Payment, { withheldBps }: DividendRules): Cash =>
  withheldBps === 0 ? perShare : cash((perShare * (BPS - BigInt(withheldBps))) / BPS);

/** True for a value that equals the amount due, within the tolerance. */
export function isWorth(worth: bigint, due: bigint, { toleranceBps }: DividendRules): boolean {
  const off = worth > due ? worth - due : due - worth;
  return off * BPS <= due * BigInt(toleranceBps);
}

/** Effect of each kind, by the venue's word for it: on the number of shares, or on their holders' cash. */
export const ACTION_KINDS: Readonly<Record<string, CorporateAction['kind']>> = {
  forward_split: 'split',
  reverse_split: 'split',
  cash_dividend: 'payment',
  spin_off: 'payment',
};

/** Corporate action as announced: a split has both rates, a payment `cashPerShare`. Amounts are decimals. */
export type Announcement = Readonly<{
  symbol: string;
  type: string;
  exDate?: string | null | undefined;
  payableDate?: string | null | undefined;
  oldRate?: string | null | undefined;
  newRate?: string | null | undefined;
  cashPerShare?: string | null | undefined;
}>;

type Rates = Pick<Split, 'oldRate' | 'newRate'>;

/** True if the rates fit the name (a forward split adds shares, a reverse one removes them); else they are swapped. */
export const fitsName = (name: string, { oldRate, newRate }: Rates): boolean =>
  name === 'forward_split' ? newRate > oldRate : newRate < oldRate;

/**
 * Converts an announcement to an action.
 * @throws {InvalidValueError} for an unknown kind, missing terms, or a split whose rates contradict its name
 */
export function actionOf(announcement: Announcement): CorporateAction {
  const { type: name, exDate, payableDate = null, oldRate, newRate, cashPerShare } = announcement;
  const announced = { symbol: ticker(announcement.symbol), name, exDate: exDate ?? '' };
  if (!exDate) throw new InvalidValueError(`${name} of ${announcement.symbol} has no ex-date`);
  const positive = (text: string | null | undefined) => {
    const wad = parseDecimal(text ?? '0');
    if (wad > 0n) return wad;
    throw new InvalidValueError(`${name} of ${announcement.symbol} does not say what it changes`);
  };
  switch (ACTION_KINDS[name]) {
    case 'split':
      return asNamed({
        ...announced,
        kind: 'split',
        oldRate: positive(oldRate),
        newRate: positive(newRate),
      });
    case 'payment':
      return { ...announced, kind: 'payment', payableDate, perShare: cash(positive(cashPerShare)) };
    default:
      throw new InvalidValueError(`${name} of ${announcement.symbol} is of a kind that is not known`);
  }
}

function asNamed(split: Split): Split {
  if (fitsName(split.name, split)) return split;
  const name = split.name.replaceAll('_', ' ');
  throw new InvalidValueError(
    `${name} of ${split.symbol} on ${split.exDate}: ${ratioOf(split)} is no ${name}`,
  );
}

/** Identity of an action: all of its terms, so a corrected action is a different one. */
export function actionId(action: CorporateAction): string {
  const terms = action.kind === 'split' ? ratioOf(action) : formatDecimal(action.perShare);
  return `${eventOf(action)}${terms}`;
}

const eventOf = ({ symbol, exDate, name }: ActionHead): string => `${symbol} ${exDate} ${name} `;

/** True for the id of an action of the same stock, day and kind, whatever its terms. */
export const isOfSameEvent = (id: string, action: CorporateAction): boolean => id.startsWith(eventOf(action));

const ratioOf = ({ oldRate, newRate }: Split): string =>
  `${formatDecimal(oldRate)} for ${formatDecimal(newRate)}`;

export const describeAction = (action: CorporateAction): string =>
  `${action.name.replaceAll('_', ' ')} of ${action.symbol} on ${action.exDate}, ${
    action.kind === 'split' ? ratioOf(action) : `${formatDecimal(action.perShare)} a share`
  }`;

/** Number of shares that one share becomes in a split, as float64. */
export const sharesPer = ({ oldRate, newRate }: Rates): number => toNumber(newRate) / toNumber(oldRate);

/** Amount of stock after a split. Rounds holdings down and debts up, at the eighteenth decimal. */
export function rescale(amount: bigint, { oldRate, newRate }: Rates): bigint {
  const product = amount * newRate;
  return amount < 0n ? -((-product + oldRate - 1n) / oldRate) : product / oldRate;
}

/** Price per share after a split, as a wad; rounded down. */
export const rescalePrice = (amount: bigint, { oldRate, newRate }: Rates): bigint =>
  (amount * oldRate) / newRate;

/** Payment for a number of shares, rounded down. */
export const paymentFor = (quantity: bigint, { perShare }: Pick<Payment, 'perShare'>): Cash =>
  notionalOf(shares(quantity), price(perShare), 'down');

/**
 * Parts of a payment by owner of the shares; the unallocated part may be negative. `receivable`: it counts in the
 * equity until it is paid; absent in journals of 0.8.0 and earlier, which decided without it. `inTokens`: on the shares
 * at the venue alone, because those in the wallet grow there. `shares` entitled to each part, if orders since the
 * ex-date have moved some; absent: those held when it became due.
 */
export type Entitlement = Readonly<{
  action: Payment;
  parts: readonly (readonly [StrategyId, Cash])[];
  receivable?: true;
  inTokens?: true;
  shares?: readonly (readonly [StrategyId, Shares])[];
}>;

/**
 * Shares received for a payment, at their price then: `parts` by owner at the venue, more shares in the `wallet`, and
 * more shares owed. Empty if an operator has said that nothing comes.
 */
export type TokenPayment = Readonly<{
  id: string;
  price: Price;
  parts: readonly (readonly [StrategyId, Shares])[];
  wallet?: Shares;
  debt?: Shares;
}>;
