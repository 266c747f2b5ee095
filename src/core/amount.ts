import type { Brand } from './brand.ts';
import { InvalidValueError, orElse } from './errors.ts';
import { shownText } from './printable.ts';

/** Whole number of 10⁻¹⁸ mUSD. Signed: a balance, a payment or a profit. */
export type Cash = Brand<bigint, 'Cash'>;
/** Whole number of 10⁻¹⁸ shares. Signed: a holding or a change of one. */
export type Shares = Brand<bigint, 'Shares'>;
/** Whole number of 10⁻¹⁸ mUSD a share. */
export type Price = Brand<bigint, 'Price'>;

export type Rounding = 'down' | 'up';

/** Absolute value of an amount. */
export const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Minimum and maximum of some amounts. */
export const least = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((found, amount) => (amount < found ? amount : found), first);
export const greatest = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((found, amount) => (amount > found ? amount : found), first);

/** Decimal places of every amount inside this program. */
export const WAD_PLACES = 18;
export const WAD = 10n ** 18n;
/** Longest text that is parsed: an unlimited allowance, 2²⁵⁶ − 1 units, has 79 characters.. */
const TEXT_MAX = 80;
const BPS = 10_000n;

export const cash = (wad: bigint): Cash => wad as Cash;
export const shares = (wad: bigint): Shares => wad as Shares;
export const price = (wad: bigint): Price => wad as Price;

export type DecimalRule = Readonly<{
  /** Maximum number of digits after the point. Default 18. */
  places?: number;
  /** True to accept a leading minus. Default false. */
  signed?: boolean;
}>;

/**
 * Parses a decimal such as `12`, `0.5` or, where signed, `-3.25` into wads (10⁻¹⁸). Rejects exponents, plus signs,
 * spaces, leading or missing zeros, and more decimals than the unit has.
 * @throws {InvalidValueError} naming the text and what is wrong with it
 */
export function parseDecimal(text: string, rule: DecimalRule = {}): bigint {
  const { places = WAD_PLACES, signed = false } = rule;
  // Half of the venue's numbers are 0.
  if (text === '0') return 0n;
  const parts = text.length <= TEXT_MAX ? /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) : null;
  const [, minus = '', whole = '', fraction = ''] = parts ?? [];
  if (!parts) throw notDecimal(text, 'is not a plain decimal number such as 1000 or 0.5');
  if (minus && !signed) throw notDecimal(text, 'must not be negative');
  if (fraction.length > places)
    throw notDecimal(text, `has ${fraction.length} decimal places, at most ${places} are possible`);
  const wad = BigInt(whole + fraction.padEnd(WAD_PLACES, '0'));
  return minus ? -wad : wad;
}

/** Parses a decimal with an optional minus sign. */
export const parseSigned = (text: string): bigint => parseDecimal(text, { signed: true });

const notDecimal = (text: string, what: string) =>
  new InvalidValueError(`${shownText(text, TEXT_MAX)} ${what}`);

/** True for the text of a decimal above 0. */
export const isAboveZero = (text: string): boolean => orElse(() => parseDecimal(text) > 0n, false);

export const parseCash = (text: string, rule?: DecimalRule): Cash => cash(parseDecimal(text, rule));
export const parseShares = (text: string, rule?: DecimalRule): Shares => shares(parseDecimal(text, rule));
export const parsePrice = (text: string, rule?: DecimalRule): Price => price(parseDecimal(text, rule));

/** Prints wads as a decimal with no trailing zeros: `-0.5`, `12`. Exact. */
export function formatDecimal(wad: bigint): string {
  const digits = (wad < 0n ? -wad : wad).toString().padStart(WAD_PLACES + 1, '0');
  const fraction = digits.slice(-WAD_PLACES).replace(/0+$/, '');
  return `${wad < 0n ? '-' : ''}${digits.slice(0, -WAD_PLACES)}${fraction && `.${fraction}`}`;
}

/** `T` with its amounts as decimal strings. */
export type Decimals<T> = T extends bigint
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : { -readonly [K in keyof T]: Decimals<T[K]> };

/** Copy of a value with all amounts as decimal strings. */
export const decimalsOf = <T>(value: T): Decimals<T> => withDecimals(value) as Decimals<T>;

function withDecimals(value: unknown): unknown {
  if (typeof value === 'bigint') return formatDecimal(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withDecimals);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withDecimals(inner)]));
}

/** Decimals handled by a fast path: whole numbers up to 2⁵³ over a power of ten convert exactly to float64. */
const SHORT_PLACES = 6;
const SHORT_UNITS = 10 ** SHORT_PLACES;
const SHORT_STEP = 10n ** BigInt(WAD_PLACES - SHORT_PLACES);

/** Converts a wad to a float for indicators, statistics and display; never for money that moves. */
export function toNumber(wad: bigint): number {
  if (wad === 0n) return 0;
  const units = wad / SHORT_STEP;
  const short = Number(units);
  return units * SHORT_STEP === wad && Number.isSafeInteger(short)
    ? short / SHORT_UNITS
    : Number(formatDecimal(wad));
}

/** Bound below which a whole number has at most 15 digits. */
const SHORT_UNITS_MAX = 1e15;

/** Converts a float64 to a wad with 15 significant digits, truncated towards zero beyond 18 decimals. */
export function wadFromNumber(value: number): bigint {
  if (!Number.isFinite(value)) throw new InvalidValueError(`${value} is not a finite number`, { value });
  const units = Math.round(value * SHORT_UNITS);
  if (Math.abs(units) < SHORT_UNITS_MAX && units / SHORT_UNITS === value) return BigInt(units) * SHORT_STEP;
  const [mantissa = '0', exponent = '0'] = value.toExponential(14).split('e');
  const digits = BigInt(mantissa.replace('.', ''));
  const power = Number(exponent) - 14 + WAD_PLACES;
  return power >= 0 ? digits * 10n ** BigInt(power) : digits / 10n ** BigInt(-power);
}

/** True if `shown` is the amount itself, or the amount rounded to 15 significant digits. */
export const isShownAs = (shown: bigint, amount: bigint): boolean =>
  shown === amount || shown === wadFromNumber(toNumber(amount));

/** Number in plain digits: `1e-7` becomes `0.0000001`. */
export function plainText(value: number): string {
  const text = String(value);
  const [small, minus = '', first = '', others = '', power] =
    /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text) ?? [];
  return small === undefined ? text : `${minus}0.${'0'.repeat(Number(power) - 1)}${first}${others}`;
}

/** Nearest multiple of `step` that is not above (`down`) or not below (`up`) `wad`. */
export function roundTo(wad: bigint, step: bigint, rounding: Rounding): bigint {
  const rest = wad % step;
  if (rest === 0n) return wad;
  const below = rest < 0n ? wad - rest - step : wad - rest;
  return rounding === 'down' ? below : below + step;
}

/** Smallest step of a unit with that many decimals, `10⁻ᵖˡᵃᶜᵉˢ`, as a wad. */
export const stepOf = (places: number): bigint => 10n ** BigInt(WAD_PLACES - places);

const divide = (dividend: bigint, divisor: bigint, rounding: Rounding): bigint => {
  if (rounding === 'up' && dividend >= 0n && divisor > 0n) return (dividend + divisor - 1n) / divisor;
  const quotient = dividend / divisor;
  const towardsZero = dividend < 0n === divisor < 0n ? 'down' : 'up';
  if (rounding === towardsZero || quotient * divisor === dividend) return quotient;
  return rounding === 'up' ? quotient + 1n : quotient - 1n;
};

/** Quantity times price, rounded at the eighteenth decimal. */
export const notionalOf = (quantity: Shares, at: Price, rounding: Rounding): Cash =>
  cash(divide(quantity * at, WAD, rounding));

/** Shares that `amount` buys at a price. */
export const sharesFor = (amount: Cash, at: Price, rounding: Rounding): Shares =>
  shares(divide(amount * WAD, at, rounding));

/** `bps` hundredths of a percent of `amount`. */
export const bpsOf = (amount: Cash, bps: number, rounding: Rounding): Cash =>
  bps === 0 || amount === 0n ? cash(0n) : cash(divide(amount * BigInt(bps), BPS, rounding));

/** Wad as whole units of a token with fewer decimals, for the chain. @throws when digits would be lost */
export function toTokenUnits(wad: bigint, decimals: number): bigint {
  const step = stepOf(decimals);
  if (wad % step !== 0n)
    throw new InvalidValueError(`${formatDecimal(wad)} has more than the ${decimals} places of the token`);
  return wad / step;
}
