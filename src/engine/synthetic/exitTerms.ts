import { formatDecimal, type Price, type Shares } from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { INTERVALS } from '../../domain/bar.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type {
  Distance,
  EntryTerms,
  ExitLevel,
  ExitQuantity,
  HoldingTime,
  StopBuyTerms,
  SyntheticTerms,
  TrailingLoss,
} from '../../domain/orders/syntheticOrder.ts';
import type {
  BracketTerms,
  Decimal,
  ExitSize,
  LevelTerms,
  OcoTerms,
  StopTerms,
  TakeProfitPart,
  TrailDistance,
  TrailTerms,
} from '../../strategy/orderTerms.ts';
import {
  all,
  form,
  oneOf,
  requireTerms,
  SIDES,
  toNotional,
  toShares,
  toTickPrice,
  type Form,
} from '../intents/terms.ts';
import { MINUTES_MAX, requireTime } from '../intents/orderTimes.ts';
import { refuse } from '../intents/refusal.ts';
import { belowBy } from './levels.ts';

const HELD = ['tag', 'at', 'expires', 'goodTill', 'phases'];
const SIZES = ['shares', 'all'];

const FORMS = {
  stop: form('stop', ['side', 'stop', 'limit', ...HELD], SIZES),
  trail: form('trail', ['by', ...HELD], SIZES),
  oco: form('oco', ['limit', 'stop', ...HELD]),
  ocoLimit: form('oco', ['price'], SIZES),
  ocoStop: form('oco', ['stop', 'limit']),
  bracket: form('bracket', ['entry', 'takeProfit', 'stopLoss', 'exitAfter', ...HELD]),
  entry: form('bracket', ['limit', 'stop'], ['notional', 'shares']),
  part: form('bracket', ['share'], ['price', 'percent']),
} as const satisfies Record<string, Form>;

/** Data that the terms of an exit are checked against: the instrument, the latest price, and the exact shares of a sell. */
export type ExitInput = Readonly<{
  instrument: Instrument;
  price: Price | null;
  toSell: (value: Decimal) => Shares;
}>;

/** @throws {InvalidValueError} always: the terms are malformed, whatever the market */
const malformed = (text: string): never => {
  throw new InvalidValueError(text);
};

function quantityOf(size: ExitSize, { instrument, toSell }: ExitInput): ExitQuantity {
  return 'all' in size ? all(size.all, instrument) : toSell(size.shares);
}

const sellPrice = (value: Decimal, { instrument }: Pick<ExitInput, 'instrument'>, name: string): Price =>
  toTickPrice(value, { side: 'sell', instrument, of: name });

/** Terms of `order.stop`. @throws {OrderRefusal} for a stop on the wrong side of the price */
export function stopTermsOf(terms: StopTerms, at: ExitInput): SyntheticTerms {
  requireTerms(FORMS.stop, terms);
  const { symbol } = at.instrument;
  const side = oneOf(SIDES, terms.side ?? 'sell', 'side');
  const { instrument } = at;
  const stop = toTickPrice(terms.stop, { side, instrument, of: 'stop of order.stop' });
  const limit =
    terms.limit === undefined
      ? null
      : toTickPrice(terms.limit, { side, instrument, of: 'limit of order.stop' });
  requireSide(`order.stop of ${symbol}`, side, { stop, price: at.price, of: 'price' });
  if (side === 'sell') requireReach(`order.stop of ${symbol}`, stop, limit);
  if (side === 'sell') return { kind: 'stop', side, quantity: quantityOf(terms, at), stop, limit };
  if (!('shares' in terms))
    return malformed(
      `order.stop of ${symbol}: a buy has a number of shares, not { all: true }. Write { shares: 5 }`,
    );
  return { kind: 'stopBuy', side, quantity: toShares(terms.shares, at.instrument), stop, limit };
}

type StopEntry = Readonly<{ shares: Decimal; stop: Decimal; limit?: Decimal }>;

function stopEntryOf(entry: StopEntry, { instrument, price }: ExitInput): StopBuyTerms {
  const exact = (value: Decimal, name: string) =>
    toTickPrice(value, { side: 'buy', instrument, of: `${name} of order.bracket` });
  const stop = exact(entry.stop, 'stop');
  requireSide(`entry of order.bracket of ${instrument.symbol}`, 'buy', { stop, price, of: 'price' });
  const limit = entry.limit === undefined ? null : exact(entry.limit, 'limit');
  return { kind: 'stopBuy', side: 'buy', quantity: toShares(entry.shares, instrument), stop, limit };
}

/** Price that legs are compared with: the latest, or the price at which an entry buys; null if there is none. */
type Reference = Readonly<{ price: Price | null; of: 'price' | 'limit of its entry' | 'stop of its entry' }>;

export function requireSide(
  what: string,
  side: 'buy' | 'sell',
  { stop, price, of }: Reference & Readonly<{ stop: Price }>,
): void {
  if (price === null || (side === 'sell' ? stop < price : stop > price)) return;
  const [word, does] = side === 'sell' ? ['below', 'sell'] : ['above', 'buy'];
  refuse(
    'WRONG_SIDE',
    `${what}: the stop at ${formatDecimal(stop)} is not ${word} the ${of} of ${formatDecimal(price)}: it would ${does} at once. ` +
      `Write a stop ${word} it`,
  );
}

/** @throws {OrderRefusal} for a limit above the stop of a sale: once the price is down at the stop, it could not fill */
export function requireReach(what: string, stop: Price, limit: Price | null): void {
  if (limit === null || limit <= stop) return;
  refuse(
    'WRONG_SIDE',
    `${what}: the limit at ${formatDecimal(limit)} is above the stop at ${formatDecimal(stop)}: it would not sell there. ` +
      'Write a limit at the stop or below it, or none to sell at the market',
  );
}

/** Terms of `order.trail`. @throws {OrderRefusal} for a distance that is not less than the price */
export function trailTermsOf(terms: TrailTerms, at: ExitInput): SyntheticTerms {
  requireTerms(FORMS.trail, terms);
  return { kind: 'trail', quantity: quantityOf(terms, at), by: distanceOf(terms.by, at) };
}

export function distanceOf(
  by: TrailDistance,
  { instrument, price }: Pick<ExitInput, 'instrument' | 'price'>,
): Distance {
  const what = `distance of a trailing stop of ${instrument.symbol}`;
  if (typeof by !== 'object' || (by as unknown) === null || Object.keys(by).length !== 1)
    return malformed(`${what}: write { percent: 5 } or { amount: 2.5 }, not ${JSON.stringify(by)}`);
  if ('percent' in by) return { percent: belowPercent(by.percent, what, price) };
  const amount = sellPrice(by.amount, { instrument }, 'amount of a trailing stop');
  if (price !== null && amount >= price)
    return refuse(
      'OUT_OF_RANGE',
      `${what}: ${formatDecimal(amount)} is not less than the price of ${formatDecimal(price)}. Write a smaller one`,
    );
  return { amount };
}

/** Percentage of a stop below the price. @throws {OrderRefusal} for less than one tick */
function belowPercent(value: unknown, what: string, price: Price | null): number {
  const percent = percentOf(value, what, 100);
  if (price !== null && belowBy(price, { percent }) >= price)
    refuse(
      'OUT_OF_RANGE',
      `${what}: ${percent} percent of ${formatDecimal(price)} are less than a tick: it would sell at once. 5 means 5 percent`,
    );
  return percent;
}

/** Decimal places of a percentage that count; anything beyond is rounding error. */
const PERCENT_PLACES = 9;
/** Upper bound of a percentage, far above any real level. */
const PERCENT_MAX = 1_000_000;

/**
 * Percentage above 0, rounded to nine places. @throws {OrderRefusal} if out of range. @throws {InvalidValueError} if it
 * is not a number
 */
function percentOf(given: unknown, what: string, below: number): number {
  const text = (is: unknown) => `${what}: percent is ${String(is)}, not a number above 0 and below ${below}`;
  if (typeof given !== 'number') return malformed(text(JSON.stringify(given)));
  const percent = Number(given.toFixed(PERCENT_PLACES));
  return percent > 0 && percent < below ? percent : refuse('OUT_OF_RANGE', text(given));
}

/** Terms of `order.oco`. @throws {OrderRefusal} for legs that cross, or that are on the wrong side of the price */
export function ocoTermsOf({ limit, stop, ...held }: OcoTerms, at: ExitInput): SyntheticTerms {
  requireTerms(FORMS.oco, { limit, stop, ...held });
  requireTerms(FORMS.ocoLimit, limit);
  requireTerms(FORMS.ocoStop, stop);
  const what = `order.oco of ${at.instrument.symbol}`;
  const takeProfit = sellPrice(limit.price, at, 'price of order.oco');
  const touched = sellPrice(stop.stop, at, 'stop of order.oco');
  const worst = stop.limit === undefined ? null : sellPrice(stop.limit, at, 'limit of order.oco');
  requireLegs(what, { takeProfit, stop: touched }, { price: at.price, of: 'price' });
  requireReach(what, touched, worst);
  return { kind: 'oco', quantity: quantityOf(limit, at), price: takeProfit, stop: touched, limit: worst };
}

type Legs = Readonly<{ takeProfit: Price | null; stop: Price | null }>;

/** @throws {OrderRefusal} for a take-profit at or below the stop, or below the price, or a stop above it */
export function requireLegs(what: string, { takeProfit, stop }: Legs, { price, of }: Reference): void {
  if (takeProfit !== null && stop !== null && takeProfit <= stop)
    refuse(
      'WRONG_SIDE',
      `${what}: its legs cross: the take-profit at ${formatDecimal(takeProfit)} is not above the stop at ${formatDecimal(stop)}. ` +
        'Write a higher take-profit, or a lower stop',
    );
  if (price === null) return;
  if (takeProfit !== null && takeProfit <= price)
    refuse(
      'WRONG_SIDE',
      `${what}: the take-profit at ${formatDecimal(takeProfit)} is not above the ${of} of ${formatDecimal(price)}: ` +
        'it would sell at once. Write a higher one',
    );
  if (stop !== null) requireSide(what, 'sell', { stop, price, of });
}

/** Terms of `order.bracket`. @throws {OrderRefusal} for legs that cross. @throws {InvalidValueError} for no leg */
export function bracketTermsOf(terms: BracketTerms, at: ExitInput): SyntheticTerms {
  requireTerms(FORMS.bracket, terms);
  requireTerms(FORMS.entry, terms.entry);
  const what = `order.bracket of ${at.instrument.symbol}`;
  const { takeProfit = null, stopLoss = null, exitAfter = null } = terms;
  if (takeProfit === null && stopLoss === null && exitAfter === null)
    malformed(`${what}: it has no exit. Give takeProfit, stopLoss or exitAfter`);
  const entry = entryOf(terms, at);
  const read = {
    kind: 'bracket',
    entry,
    ...takeProfitsOf(takeProfit, what, at),
    stopLoss: stopLoss === null ? null : stopLossOf(stopLoss, at),
    exitAfter: exitAfter === null ? null : holdingTimeOf(exitAfter, what),
  } as const;
  const stop = fixedOf(read.stopLoss);
  for (const level of [read.takeProfit, read.second?.takeProfit ?? null])
    requireLegs(what, { takeProfit: fixedOf(level), stop }, referenceOf(entry, at));
  return read;
}

type TakeProfits = Pick<Extract<SyntheticTerms, { kind: 'bracket' }>, 'takeProfit' | 'second'>;

/** Rounding error allowed when two shares must add up to 1. */
const ROUNDING = 1e-9;

function takeProfitsOf(given: BracketTerms['takeProfit'] | null, what: string, at: ExitInput): TakeProfits {
  if (given === null || given === undefined) return { takeProfit: null };
  if (!isParts(given)) return { takeProfit: levelOf(given, 'takeProfit', at) };
  const levels = given.map((part) => {
    requireTerms(FORMS.part, part);
    const { price, percent, share } = part;
    if (typeof share !== 'number')
      malformed(`${what}: share of a take-profit is ${JSON.stringify(share)}, not a number such as 0.5`);
    return levelOf(price ?? { percent }, 'takeProfit', at);
  });
  const [first, second] = levels;
  if (!first || !second || levels.length > 2)
    return malformed(
      `${what}: takeProfit is a list of ${levels.length}. Give one take-profit, or a list of two`,
    );
  const [{ share }, { share: rest }] = given;
  if (!(share > 0 && rest > 0 && Math.abs(share + rest - 1) <= ROUNDING))
    refuse(
      'OUT_OF_RANGE',
      `${what}: the shares of its take-profits are ${share} and ${rest}, not two above 0 that are 1 together`,
    );
  requireRising(what, first, second);
  return { takeProfit: first, second: { takeProfit: second, firstShare: share } };
}

const isParts = (
  given: NonNullable<BracketTerms['takeProfit']>,
): given is readonly [TakeProfitPart, TakeProfitPart] => Array.isArray(given);

/** @throws {OrderRefusal} for a second take-profit that is not above the first, where the two can be compared */
export function requireRising(what: string, first: ExitLevel, second: ExitLevel): void {
  const isRising =
    'price' in first
      ? !('price' in second) || first.price < second.price
      : !('percent' in second) || first.percent < second.percent;
  if (!isRising)
    refuse(
      'WRONG_SIDE',
      `${what}: its second take-profit is not above the first. Write the nearer one first`,
    );
}

/** Price at which an entry is expected to buy. */
export function referenceOf(entry: EntryTerms, { price }: Pick<ExitInput, 'price'>): Reference {
  if (entry.kind === 'stopBuy') return { price: entry.stop, of: 'stop of its entry' };
  return entry.kind === 'limit' ? { price: entry.price, of: 'limit of its entry' } : { price, of: 'price' };
}

export const fixedOf = (level: ExitLevel | TrailingLoss | null): Price | null =>
  level && 'price' in level ? level.price : null;

function entryOf({ entry, goodTill = 'cancelled' }: BracketTerms, at: ExitInput): EntryTerms {
  const { instrument } = at;
  if ('notional' in entry) {
    const [named] = ['limit', 'stop'].filter((name) => name in entry);
    if (named)
      return malformed(
        `order.bracket of ${instrument.symbol}: an entry with a ${named} has a number of shares, not a notional. Write { shares, ${named} }`,
      );
    return { kind: 'buy', notional: toNotional(entry.notional, instrument) };
  }
  if (entry.stop !== undefined) return stopEntryOf({ ...entry, stop: entry.stop }, at);
  const quantity = toShares(entry.shares, instrument);
  if (entry.limit === undefined) return { kind: 'buyShares', quantity };
  return {
    kind: 'limit',
    side: 'buy',
    quantity,
    price: toTickPrice(entry.limit, { side: 'buy', instrument, of: 'limit of order.bracket' }),
    goodTill,
  };
}

function levelOf(level: LevelTerms, name: 'takeProfit' | 'stopLoss', at: ExitInput): ExitLevel {
  if (typeof level !== 'object') return { price: sellPrice(level, at, `${name} of order.bracket`) };
  const what = `${name} of a bracket of ${at.instrument.symbol}`;
  if (!isObjectOf(level, ['percent']))
    return malformed(`${what}: write a price or { percent: 5 }, not ${JSON.stringify(level)}`);
  return name === 'stopLoss'
    ? { percent: belowPercent(level.percent, what, at.price) }
    : { percent: percentOf(level.percent, what, PERCENT_MAX) };
}

function stopLossOf(
  stopLoss: NonNullable<BracketTerms['stopLoss']>,
  at: ExitInput,
): ExitLevel | TrailingLoss {
  if (typeof stopLoss !== 'object' || !('trail' in stopLoss)) return levelOf(stopLoss, 'stopLoss', at);
  const what = `stopLoss of a bracket of ${at.instrument.symbol}`;
  if (!isObjectOf(stopLoss, ['trail', 'percent']))
    return malformed(`${what}: beside trail it may have percent alone, not ${JSON.stringify(stopLoss)}`);
  const trail = distanceOf(stopLoss.trail, at);
  if (stopLoss.percent === undefined) return { trail };
  const percent = percentOf(stopLoss.percent, what, 100);
  // The higher of both stops is always the trailing one if it is at least as close.
  return 'percent' in trail && trail.percent <= percent ? { trail } : { trail, percent };
}

const isObjectOf = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => names.includes(name));

function holdingTimeOf(time: NonNullable<BracketTerms['exitAfter']>, what: string): HoldingTime {
  if (typeof time === 'string') {
    requireTime(time, `${what}: exitAfter`);
    return { at: time };
  }
  if (!isObjectOf(time, ['bars', 'interval', 'minutes', 'days']))
    return malformed(
      `${what}: exitAfter is ${JSON.stringify(time)}, not { minutes }, { days }, { bars, interval } or a time of a session such as "close-5m"`,
    );
  if (['bars', 'minutes', 'days'].filter((unit) => unit in time).length !== 1)
    malformed(`${what}: exitAfter is ${JSON.stringify(time)}: give one of bars, minutes, days`);
  const count = 'bars' in time ? time.bars : 'minutes' in time ? time.minutes : time.days;
  if (typeof count !== 'number' || !Number.isInteger(count) || count <= 0 || count > MINUTES_MAX) {
    const text = `${what}: exitAfter is ${JSON.stringify(time)}, not { minutes }, { days } or { bars, interval } with a whole number above 0`;
    if (typeof count !== 'number') malformed(text);
    refuse('OUT_OF_RANGE', text);
  }
  if ('bars' in time && !INTERVALS.includes(time.interval))
    malformed(
      `${what}: interval of exitAfter is ${JSON.stringify(time.interval)}, not one of ${INTERVALS.join(', ')}`,
    );
  return time;
}
