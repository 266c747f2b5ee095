import { formatDecimal, price, roundTo, stepOf, type Rounding, parseSigned } from '../core/amount.ts';
import { SHARE_STEP } from './fees.ts';
import { tickOf } from './instrument.ts';

/*
 * The rule by which people read amounts: money in cents, shares in steps of an order, prices in ticks. What is less than one of
 * them says so. Machines read `formatDecimal`, which is exact.
 */

export type AmountText = (wad: bigint, rounding?: Rounding | 'nearest') => string;

/** Minimum decimals of money and prices. */
const PLACES = 2;
const CENT = stepOf(PLACES);
const DECIMAL = /^-?(0|[1-9]\d{0,40})(\.\d{1,18})?$/;

/** mUSD or a cash token in cents, `5000.25`: rounded to the nearest, `down` for available amounts, `up` for maximum payments. */
export const moneyText: AmountText = (wad, rounding = 'nearest') => roundedText(wad, CENT, rounding);

/** Money to the nearest cent, a profit with its sign: `+12.50`. */
export const signedMoney = (wad: bigint): string => {
  const text = moneyText(wad);
  return text.startsWith('-') || text === '0.00' ? text : `+${text}`;
};

/** Shares in steps of an order, rounded down unless `rounding` says otherwise, so that the shares shown are really there. */
export const sharesText: AmountText = (wad, rounding = 'down') => roundedText(wad, SHARE_STEP, rounding);

/** Price to the nearest tick, `200.50`. */
export const priceText = (wad: bigint): string => roundedText(wad, tickOf(price(wad)), 'nearest');

/** Amount in steps, with cents where a step has decimals of money. One that vanishes when it is cut is not nothing: `<0.000001`. */
function roundedText(wad: bigint, step: bigint, rounding: Rounding | 'nearest'): string {
  const form = step === SHARE_STEP ? formatDecimal : padded;
  if (rounding === 'nearest') return form(roundTo(wad + step / 2n, step, 'down'));
  const value = roundTo(wad, step, rounding);
  if (value !== 0n || wad === 0n) return form(value);
  return wad > 0n ? `<${form(step)}` : `>${form(-step)}`;
}

/** Amount of a row, rounded; one with more places than an amount has stays as it is. */
export const decimalText = (text: string, form: AmountText, rounding?: Rounding): string =>
  DECIMAL.test(text) ? form(parseSigned(text), rounding) : text;

/** A decimal with cents. */
export function padded(wad: bigint): string {
  const [whole = '', fraction = ''] = formatDecimal(wad).split('.');
  return `${whole}.${fraction.padEnd(PLACES, '0')}`;
}
