import { formatDecimal, price, roundTo, stepOf, type Rounding, parseSigned } from '../core/amount.ts';
import { SHARE_STEP } from './fees.ts';
import { tickOf } from './instrument.ts';

/*
 * The rules for showing amounts to people: money in cents, shares in order steps, prices in ticks; an amount below one
 * of these says so. Programs get `formatDecimal`, which is exact.
 */

export type AmountText = (wad: bigint, rounding?: Rounding | 'nearest') => string;

/** Minimum decimals of money and prices. */
const PLACES = 2;
const CENT = stepOf(PLACES);
const DECIMAL = /^-?(0|[1-9]\d{0,40})(\.\d{1,18})?$/;

/** mUSD or a cash token in cents, `5000.25`: rounded to the nearest; `down` for available amounts, `up` for maximum payments. */
export const moneyText: AmountText = (wad, rounding = 'nearest') => roundedText(wad, CENT, rounding);

/** Money to the nearest cent, with a plus sign for a profit: `+12.50`. */
export const signedMoney = (wad: bigint): string => {
  const text = moneyText(wad);
  return text.startsWith('-') || text === '0.00' ? text : `+${text}`;
};

/** Shares in order steps, rounded down unless `rounding` says otherwise, so that the shown shares really exist. */
export const sharesText: AmountText = (wad, rounding = 'down') => roundedText(wad, SHARE_STEP, rounding);

/** Price to the nearest tick, `200.50`. */
export const priceText = (wad: bigint): string => roundedText(wad, tickOf(price(wad)), 'nearest');

/** Amount rounded to a step, with cents for money. An amount that would round down to 0 is shown as `<0.000001`. */
function roundedText(wad: bigint, step: bigint, rounding: Rounding | 'nearest'): string {
  const form = step === SHARE_STEP ? formatDecimal : padded;
  if (rounding === 'nearest') return form(roundTo(wad + step / 2n, step, 'down'));
  const value = roundTo(wad, step, rounding);
  if (value !== 0n || wad === 0n) return form(value);
  return wad > 0n ? `<${form(step)}` : `>${form(-step)}`;
}

/** Rounded amount of a row; text with more places than an amount has stays unchanged. */
export const decimalText = (text: string, form: AmountText, rounding?: Rounding): string =>
  DECIMAL.test(text) ? form(parseSigned(text), rounding) : text;

/** A decimal padded to cents. */
export function padded(wad: bigint): string {
  const [whole = '', fraction = ''] = formatDecimal(wad).split('.');
  return `${whole}.${fraction.padEnd(PLACES, '0')}`;
}
