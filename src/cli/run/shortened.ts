import { formatDecimal, parseDecimal, roundTo, stepOf } from '../../core/amount.ts';

/** Amounts of money, by what stands around them. */
const MONEY = /(?<=\b(?:for|paid|received) )\d+\.\d{3,18}(?![\d.\w])|(?<![\d.\w])\d+\.\d{3,18}(?= mUSD)/g;
/** Any other decimal with more digits than an eye reads. */
const LONG = /(?<![\d.\w])\d+\.(\d{7,18})(?![\d.\w])/g;
const DIGITS_MAX = 6;
const CENT = stepOf(2);
const HALF = 2n;

/**
 * A text for the screen: money to the cent, other amounts to at most six significant digits after the point. Alarms are shown
 * as they are: the digit that is cut may be what one is about.
 */
export const shortened = (text: string): string => text.replace(MONEY, toCents).replace(LONG, toSignificant);

/** To the nearest cent; what is less than half a cent keeps its digits. */
function toCents(amount: string): string {
  const wad = parseDecimal(amount);
  const cents = roundTo(wad + CENT / HALF, CENT, 'down');
  return cents === 0n ? amount : twoPlaces(formatDecimal(cents));
}

function twoPlaces(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

/** Cut, not rounded: shares that are told are there. */
function toSignificant(amount: string, fraction: string): string {
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const places = Math.min(zeros + DIGITS_MAX, fraction.length);
  return formatDecimal(roundTo(parseDecimal(amount), stepOf(places), 'down'));
}
