import { parseSigned } from '../../core/amount.ts';
import { signed, written } from '../../figures/format.ts';
import { moneyText, priceText, sharesText, signedMoney } from '../../domain/amountText.ts';

const NONE = '–';

/** Number with digits in groups of three and a true minus sign: `−12,345.60`. */
export const grouped = (text: string): string => {
  const [whole = '', fraction] = text.replace('-', '−').split('.');
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
};

/** A sentence with a true minus sign in front of its negative numbers; dates and ranges keep their hyphens. */
export const withMinus = (text: string): string => text.replace(/(?<![\w.,-])-(?=[\d.])/g, '−');

/** mUSD in cents; a dash for an unknown amount. */
export const money = (text: string | null): string =>
  text === null ? NONE : grouped(moneyText(parseSigned(text)));
export const price = (text: string | null): string =>
  text === null ? NONE : grouped(priceText(parseSigned(text)));
export const shares = (text: string | null): string =>
  text === null ? NONE : grouped(sharesText(parseSigned(text)));

/** True for a zero amount. */
export const isNothing = (text: string): boolean => /^-?0(\.0*)?$/.test(text);

/** A number with grouped digits; a long fraction is rounded to cents. */
export const plain = (text: string): string => (/\.\d{3}/.test(text) ? money(text) : grouped(text));

/** Share of an amount in the equity; a dash if either is unknown or zero. */
export const partOf = (amount: string | null, equity: string): string =>
  amount === null || Number(equity) <= 0 ? NONE : written(Number(amount) / Number(equity), 'percent1');

/** A profit or loss in mUSD, with its sign; a loss also has its own colour. */
export const Profit = ({ amount }: Readonly<{ amount: string | null }>) => (
  <Gain text={amount === null ? null : grouped(signedMoney(parseSigned(amount)))} />
);

/** A change of a price, 0.01 for 1 %, with its sign and colour. */
export const Change = ({ of }: Readonly<{ of: number | null | undefined }>) => (
  <Gain text={of === null || of === undefined ? null : signed(of, 'percent').replace('-', '−')} />
);

function Gain({ text }: Readonly<{ text: string | null }>) {
  if (text === null) return <span class="none">{NONE}</span>;
  return <span class={text.startsWith('−') ? 'loss' : text.startsWith('+') ? 'gain' : ''}>{text}</span>;
}
