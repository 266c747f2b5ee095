import { formatDecimal, parseDecimal, roundTo, stepOf } from '../core/amount.ts';
import { padded } from './amountText.ts';

/** Decimals in a text, without parts of an address, a version or a number with more decimals than an amount has. */
const DECIMAL = /(?<![\d.\w])(?:0|[1-9]\d{0,29})(?:\.\d{1,18})?(?!\w|\.\d)/g;
/** Words before an amount of money; its currency may also follow, or stand earlier in the same clause. */
const PAID = /\b(?:for|paid|received) $/;
const IN_MONEY = /\bmUSD\b[^;\n]*$/;
/** Words after shares, and before a price. */
const OF_STOCK = /^ [A-Z]/;
const AS_PRICE = /\bat $/;

const CENT_PLACES = 2;
const SHARE_PLACES = 6;
const PLACES_MAX = 18;
const HALF = 2n;

type Amount = Readonly<{ written: string; wad: bigint; isMoney: boolean }>;

/**
 * Rounds the amounts of a text for people: money to the nearest cent, others cut to six decimals (below 1, to six significant
 * digits). Amounts that differ keep the digits in which they do, so that a difference is never rounded away.
 */
export function shortAmounts(text: string): string {
  const amounts = [...text.matchAll(DECIMAL)].map(({ 0: written, index }) => amountAt(text, written, index));
  let next = 0;
  return text.replace(DECIMAL, (written) => {
    const amount = amounts[next++];
    return amount ? shownBeside(amount, amounts) : written;
  });
}

function amountAt(text: string, written: string, index: number): Amount {
  const before = text.slice(0, index);
  const after = text.slice(index + written.length);
  const isShown = after.startsWith(' mUSD') || PAID.test(before) || IN_MONEY.test(before);
  const isMoney = isShown && !OF_STOCK.test(after) && !AS_PRICE.test(before);
  return { written, wad: parseDecimal(written), isMoney };
}

/** Fewest decimals that distinguish an amount from every other one in its text. */
function shownBeside(amount: Amount, others: readonly Amount[]): string {
  const places = placesOf(amount.written);
  const apart = others.filter(({ wad, isMoney }) => wad !== amount.wad && isMoney === amount.isMoney);
  let shown = leastPlaces(amount);
  if (places <= shown) return amount.written;
  const isTaken = () =>
    apart.some(({ wad }) => rounded(wad, amount, shown) === rounded(amount.wad, amount, shown));
  while (shown < PLACES_MAX && isTaken()) shown++;
  const value = rounded(amount.wad, amount, shown);
  if (value === 0n) return amount.written;
  return amount.isMoney ? padded(value) : formatDecimal(value);
}

const placesOf = (written: string): number => written.split('.')[1]?.length ?? 0;

function leastPlaces({ written, isMoney }: Amount): number {
  if (isMoney) return CENT_PLACES;
  const zeros = /^0\.(0*)/.exec(written)?.[1]?.length ?? 0;
  return Math.min(zeros + SHARE_PLACES, PLACES_MAX);
}

/** Rounds money to the nearest, and shares down, so that the shown shares are held. */
function rounded(wad: bigint, { isMoney }: Amount, places: number): bigint {
  const step = stepOf(places);
  return roundTo(isMoney ? wad + step / HALF : wad, step, 'down');
}
