import {
  cash,
  parseDecimal,
  price,
  roundTo,
  shares,
  stepOf,
  wadFromNumber,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { type Instrument, tickOf } from '../../domain/instrument.ts';
import type { Side } from '../../domain/venue.ts';
import type { Decimal, TargetSize } from '../../strategy/orderTerms.ts';
import { cutToStep } from '../state/market.ts';
import { refuse } from './refusal.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';

const CENT = stepOf(2);

/** @throws {OrderRefusal} naming the purpose of the amount. @throws {InvalidValueError} if it is not an amount */
function wadOf(value: Decimal, of: string, { symbol }: Instrument): bigint {
  const what = () => `${of} of ${symbol}`;
  requireDecimal(value, what);
  try {
    const wad = typeof value === 'string' ? parseDecimal(value) : wadFromNumber(value);
    if (wad > 0n) return wad;
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    refuse('OUT_OF_RANGE', `${what()}: ${error.message}`);
  }
  return refuse('OUT_OF_RANGE', `${what()}: ${value} is not above zero`);
}

/** @throws {InvalidValueError} for a value that no compiler has rejected: undefined, or an object */
function requireDecimal(value: unknown, what: () => string): void {
  if (typeof value === 'number' || typeof value === 'string') return;
  if (value === undefined) throw new InvalidValueError(`${what()} is missing`);
  const shown = typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
  throw new InvalidValueError(`${what()}: ${shown} is not a number, such as 95.5`);
}

/** A string unchanged; a number rounded down to the instrument's step. */
export function toShares(value: Decimal, instrument: Instrument): Shares {
  const wad = wadOf(value, 'shares', instrument);
  return shares(typeof value === 'string' ? wad : cutToStep(wad, instrument));
}

/** A string unchanged; a number rounded down to the cent. */
export function toNotional(value: Decimal, instrument: Instrument): Cash {
  const wad = wadOf(value, 'notional', instrument);
  return cash(typeof value === 'string' ? wad : roundTo(wad, CENT, 'down'));
}

/** Exact decimal of a number or string. `of`: its name in errors. */
export const toPrice = (value: Decimal, instrument: Instrument, of = 'price'): Price =>
  price(wadOf(value, of, instrument));

/** Context of a price that an author writes: the side of its order, and its name in errors. */
type PriceUse = Readonly<{ side: Side; instrument: Instrument; of?: string }>;

/** A string must be on the tick; a number is rounded to it, down for a buy and up for a sell. */
export function toTickPrice(value: Decimal, { side, instrument, of = 'price' }: PriceUse): Price {
  const wad = toPrice(value, instrument, of);
  const rounded = roundTo(wad, tickOf(price(wad)), side === 'buy' ? 'down' : 'up');
  if (typeof value === 'string' && rounded !== wad)
    refuse(
      'OUT_OF_RANGE',
      `${of} of ${instrument.symbol}: ${value} is not on the tick (0.01; 0.0001 below 1)`,
    );
  return price(rounded);
}

/** Fields that a call of `order` may have. No compiler checks a strategy before it trades, so others are refused here. */
export type Form = Readonly<{
  call: string;
  /** Size fields: if there are any, exactly one is required. */
  sizes: readonly string[];
  known: ReadonlySet<string>;
}>;

const TIMING = ['at', 'outside', 'expires', 'tag'];
export const form = (call: string, others: readonly string[], sizes: readonly string[] = []): Form => ({
  call,
  sizes,
  known: new Set([...sizes, ...others]),
});

export const FORMS = {
  buy: form('buy', TIMING, ['notional', 'shares']),
  sell: form('sell', ['depositFirst', 'deferred', ...TIMING], ['shares', 'all']),
  limit: form('limit', ['side', 'shares', 'price', 'goodTill', ...TIMING]),
  target: form('target', TIMING, ['weight', 'shares', 'notional']),
  rebalance: form('rebalance', ['band', 'rest', ...TIMING]),
  replace: form('replace', ['shares', 'limit']),
  adjust: form('adjust', ['stop', 'takeProfit', 'secondTakeProfit', 'trail']),
  cancel: form('cancel', ['symbol', 'side']),
};

/** @throws {InvalidValueError} for a value that is not an object, an unknown field, no size or two sizes */
export function requireTerms({ call, known, sizes }: Form, terms: object): void {
  if (typeof terms !== 'object' || (terms as unknown) === null)
    throw new InvalidValueError(
      `order.${call}: ${JSON.stringify(terms)} is none of its terms: an object with ${listed(known)}`,
    );
  let given = 0;
  for (const name in terms) {
    if (!known.has(name))
      throw new InvalidValueError(`order.${call}: there is no ${JSON.stringify(name)}, but ${listed(known)}`);
    if (sizes.includes(name)) given++;
  }
  if (sizes.length > 0 && given !== 1)
    throw new InvalidValueError(`order.${call}: give one of ${sizes.join(', ')}`);
}

/** @throws {InvalidValueError} unless given the id of an order and the change to it */
export function requireChange(form: Form, id: unknown, change: object): void {
  if (typeof id !== 'string')
    throw new InvalidValueError(`order.${form.call}: ${JSON.stringify(id)} is not the id of an order`);
  requireTerms(form, change);
  if (Object.values(change).every((value) => value === undefined))
    throw new InvalidValueError(`order.${form.call}: give at least one of ${listed(form.known)}`);
}

const listed = (names: Iterable<string>): string => [...names].join(', ');

/** Rounding error by which weights may be below 0 or above 1, each and in total. */
const ROUNDING = 1e-9;

/** @throws {InvalidValueError} unless given numbers by symbol. @throws {OrderRefusal} for weights above 1 in total */
export function requireWeights(weights: Readonly<Record<string, number>>): void {
  if (typeof weights !== 'object' || (weights as unknown) === null || Array.isArray(weights))
    throw new InvalidValueError(
      `weights of a rebalance: ${JSON.stringify(weights)} is no object of weights by symbol, such as { AAPL: 0.5 }`,
    );
  let sum = 0;
  for (const [symbol, weight] of Object.entries(weights)) {
    sum += weightOf(symbol, weight);
  }
  if (sum > 1 + ROUNDING)
    refuse('OUT_OF_RANGE', `weights of a rebalance: together they are ${sum}, more than 1`);
}

/** A weight between 0 and 1. @throws {OrderRefusal} for any other number, naming its symbol */
const weightOf = (symbol: string, weight: number): number => fractionOf(weight, `weight of ${symbol}`);

/** A number between 0 and 1, with rounding errors beyond them removed. @throws {InvalidValueError} if it is not a number */
export function fractionOf(value: number, what: string): number {
  if (typeof value === 'string')
    throw new InvalidValueError(`${what}: ${JSON.stringify(value)} is text: write a number, such as 0.5`);
  const text = `${what}: ${String(value)} is not between 0 and 1`;
  if (typeof value !== 'number') throw new InvalidValueError(text);
  if (value >= -ROUNDING && value <= 1 + ROUNDING) return Math.min(1, Math.max(0, value));
  return refuse('OUT_OF_RANGE', text);
}

/** Maximum length of a stored reason in characters; the rest is cut. */
const REASON_MAX = 500;

const ZERO = shares(0n);
/** True for 0 only: an empty text is an error. */
const isZero = (value: Decimal): boolean =>
  value === 0 || (typeof value === 'string' && /^0(\.0+)?$/.test(value));

export const SIDES = ['buy', 'sell'] as const;
export const GOOD_TILL = ['day', 'cancelled'] as const;
export const OUTSIDE = ['wait', 'refuse', 'limit'] as const;
export const RESTS = ['sell', 'keep'] as const;

/** @throws {InvalidValueError} for a word that is not in the list */
export function oneOf<Word extends string>(words: readonly Word[], word: Word, of: string): Word {
  if (words.includes(word)) return word;
  const known = words.map((each) => JSON.stringify(each)).join(' or ');
  throw new InvalidValueError(`${of} of an order: ${JSON.stringify(word)} is not ${known}`);
}

/** @throws {InvalidValueError} unless it is a string, because the journal cannot store every value that code may pass */
export function textOf(reason: unknown): string {
  if (typeof reason === 'string') return reason.slice(0, REASON_MAX);
  throw new InvalidValueError(`reason of an order: ${typeof reason} is not a text`);
}

/** Maximum length of a tag in characters. */
const TAG_MAX = 100;

/** Field of a tag; empty without one. @throws {OrderRefusal} for an empty or long text. @throws {InvalidValueError} for others */
export function tagOf(tag: unknown): Readonly<{ tag?: string }> {
  if (tag === undefined || isTag(tag)) return tag === undefined ? {} : { tag };
  const text = `tag of an order: ${JSON.stringify(tag)} is not a text of 1 to ${TAG_MAX} characters`;
  if (typeof tag === 'string') refuse('OUT_OF_RANGE', text);
  throw new InvalidValueError(text);
}

export const isTag = (tag: unknown): tag is string =>
  typeof tag === 'string' && tag.length > 0 && tag.length <= TAG_MAX;

export function all(is: unknown, { symbol }: Instrument): 'all' {
  if (is === true) return 'all';
  throw new InvalidValueError(
    `sell of ${symbol}: all is ${JSON.stringify(is)}. Write { all: true }, or { shares }`,
  );
}

export function targetOf(
  size: TargetSize,
  instrument: Instrument,
): Extract<IntentTerms, { kind: 'target' }>['to'] {
  if ('weight' in size) return { weight: weightOf(instrument.symbol, size.weight) };
  if ('shares' in size) return { quantity: isZero(size.shares) ? ZERO : toShares(size.shares, instrument) };
  return isZero(size.notional) ? { quantity: ZERO } : { notional: toNotional(size.notional, instrument) };
}

type SellInput = Readonly<{ instrument: Instrument; quantity: Shares | 'all'; allowed: ReadonlySet<string> }>;

/** Places other than the venue from which a sell is delivered, and the config permission that each needs. */
const DELIVERIES = { depositFirst: 'depositsBeforeSells', deferred: 'deferredSells' } as const;
type Delivery = keyof typeof DELIVERIES;

/**
 * Place from which a sell is delivered; null for the venue. @throws {OrderRefusal} if the config does not allow it.
 * @throws {InvalidValueError} for both places, and for a sell of all, which has no quantity
 */
export function deliveryOf(
  size: Readonly<Partial<Record<Delivery, unknown>>>,
  { instrument: { symbol }, quantity, allowed }: SellInput,
): Delivery | null {
  if (size.depositFirst === undefined && size.deferred === undefined) return null;
  const delivery = size.deferred === undefined ? 'depositFirst' : 'deferred';
  const where = `sell of ${symbol}: ${delivery}`;
  if (size.depositFirst !== undefined && size.deferred !== undefined)
    throw new InvalidValueError(`${where} and depositFirst exclude each other: leave one out`);
  if (size[delivery] !== true)
    throw new InvalidValueError(`${where} is ${JSON.stringify(size[delivery])}. Write true, or leave it out`);
  if (!allowed.has(DELIVERIES[delivery]))
    refuse(
      'NOT_ALLOWED',
      `${where} is not allowed, nothing was sent: add ${DELIVERIES[delivery]} to allowOrders of this strategy's entry in the config`,
    );
  if (quantity === 'all')
    throw new InvalidValueError(`${where} goes with { shares }: { all: true } is what lies at the venue`);
  return delivery;
}
