import { formatDecimal, parseDecimal, price, roundTo, stepOf } from '../core/amount.ts';
import { padded } from './amountText.ts';
import { SHARE_STEP } from './fees.ts';
import { tickOf } from './instrument.ts';

/** Decimals in a text, except parts of an address, a version or a number with more decimals than an amount has. */
const DECIMAL = /(?<![\d.\w])(?:0|[1-9]\d{0,29})(?:\.\d{1,18})?(?!\w|\.\d)/g;
/** Words before an amount of money; its currency may also follow it, or come earlier in the same clause. */
const PAID = /\b(?:for|paid|received) $/;
const IN_MONEY = /\bmUSD\b[^;\n]*$/;
/** Text after shares, and before a price. */
const OF_STOCK = /^ [A-Z]/;
const AS_PRICE = /\bat $/;

const COMMAND = /`[^`]*`/;
const PART = new RegExp(`${COMMAND.source}|${DECIMAL.source}`, 'g');

const CENT = stepOf(2);
const [STEP_PARTS, HALF] = [10n, 2n];

/** An amount in a text. Everything that is neither money nor a price counts as shares. */
type Amount = Readonly<{ written: string; wad: bigint; kind: 'money' | 'price' | 'shares' }>;

/**
 * Rounds the amounts in a text for people, as `amountText` does: money to the nearest cent, prices to the nearest tick,
 * shares down to the order step. Amounts that differ keep the digits in which they do, so that a difference is never
 * rounded away. Text in backticks stays exact, because it is a command to copy.
 */
export function shortAmounts(text: string): string {
  const amounts = [...text.matchAll(PART)].flatMap(({ 0: written, index }) =>
    isCommand(written) ? [] : [amountAt(text, written, index)],
  );
  let next = 0;
  return text.replace(PART, (written) => {
    const amount = isCommand(written) ? undefined : amounts[next++];
    return amount ? shownBeside(amount, amounts) : written;
  });
}

const isCommand = (part: string): boolean => part.startsWith('`');

function amountAt(text: string, written: string, index: number): Amount {
  const before = text.slice(0, index);
  const after = text.slice(index + written.length);
  const isShown = after.startsWith(' mUSD') || PAID.test(before) || IN_MONEY.test(before);
  const isPrice = AS_PRICE.test(before);
  const isMoney = isShown && !OF_STOCK.test(after) && !isPrice;
  return { written, wad: parseDecimal(written), kind: isMoney ? 'money' : isPrice ? 'price' : 'shares' };
}

/** Rounded amount, with the fewest decimals that distinguish it from every other amount in its text. */
function shownBeside(amount: Amount, others: readonly Amount[]): string {
  const { wad, kind, written } = amount;
  let step = stepFor(amount);
  if (wad % step === 0n) return written;
  const apart = others.filter((other) => other.wad !== wad && other.kind === kind);
  const isAlone = apart.every((other) => other.wad === 0n || rounded(other, step) !== 0n);
  if (rounded(amount, step) === 0n && isAlone) return `<${formatDecimal(step)}`;
  while (step > 1n && apart.some((other) => rounded(other, step) === rounded(amount, step)))
    step /= STEP_PARTS;
  const value = rounded(amount, step);
  return kind === 'shares' ? formatDecimal(value) : padded(value);
}

const stepFor = ({ wad, kind }: Amount): bigint =>
  kind === 'money' ? CENT : kind === 'price' ? tickOf(price(wad)) : SHARE_STEP;

/** Rounds money and prices to the nearest step, and shares down, so that the shown shares are held. */
const rounded = ({ wad, kind }: Amount, step: bigint): bigint =>
  roundTo(kind === 'shares' ? wad : wad + step / HALF, step, 'down');
