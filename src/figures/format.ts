/** Number formats, shared with the script of the page. A missing number is a dash. */
export const FORMATS = {
  money: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
  round: { maximumFractionDigits: 0 },
  volume: { notation: 'compact', maximumSignificantDigits: 3 },
  price: { minimumFractionDigits: 2, maximumFractionDigits: 4 },
  price4: { minimumFractionDigits: 4, maximumFractionDigits: 4 },
  shares: { maximumFractionDigits: 6 },
  shares4: { minimumFractionDigits: 4, maximumFractionDigits: 4 },
  percent: { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 },
  percent1: { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 },
  percent0: { style: 'percent', maximumFractionDigits: 0 },
  ratio: { minimumFractionDigits: 2, maximumFractionDigits: 2 },
  general: { maximumSignificantDigits: 5 },
  tenths: { minimumFractionDigits: 1, maximumFractionDigits: 1 },
} as const satisfies Record<string, Intl.NumberFormatOptions>;

export type Format = keyof typeof FORMATS;

const formatters = new Map<Format, Intl.NumberFormat>();

const formatterOf = (format: Format): Intl.NumberFormat => {
  const known = formatters.get(format) ?? new Intl.NumberFormat('en-US', FORMATS[format]);
  formatters.set(format, known);
  return known;
};

/** Share precision, to which float64 is exact enough. */
const SHARE_PARTS = 1e6;
const EXACT_DIGITS = 15;

/** Shares rounded down to order steps, as by `sharesText` in `domain/amountText`. */
const cutShares = (value: number): number =>
  Math.trunc(Number((value * SHARE_PARTS).toPrecision(EXACT_DIGITS))) / SHARE_PARTS;

/** Formatted number, a price in ticks, with a true minus sign, or without a sign if it rounds to 0. */
export function written(value: number | null | undefined, format: Format): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const isCoarse = format === 'price' && Math.abs(value) >= 1;
  const text = formatterOf(isCoarse ? 'money' : format).format(
    format === 'shares' ? cutShares(value) : value,
  );
  return text.replace('-', /[1-9]/.test(text) ? '−' : '');
}

const DECIMALS_MAX = 8;

/**
 * Formats axis labels with enough decimals to distinguish them, and money in thousands or millions if that is shorter.
 */
export function tickWriter(ticks: readonly number[], format: Format): (tick: number) => string {
  const short = ticksIn(ticks, unitOf(ticks, format));
  if (format !== 'money') return short;
  const whole = ticksIn(ticks, WHOLE);
  const longest = (write: (tick: number) => string) => Math.max(...ticks.map((tick) => write(tick).length));
  return longest(whole) <= longest(short) ? whole : short;
}

type Unit = readonly [size: number, unit: string];
const WHOLE: Unit = [1, ''];

function ticksIn(ticks: readonly number[], [size, unit]: Unit): (tick: number) => string {
  const isExact = (digits: number) =>
    ticks.every((tick) => Math.abs(Number((tick / size).toFixed(digits)) - tick / size) < 1e-9);
  let digits = 0;
  while (digits < DECIMALS_MAX && !isExact(digits)) digits++;
  const formatter = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (tick) =>
    tick === 0 && size > 1 ? '0' : formatter.format(tick / size || 0).replace('-', '−') + unit;
}

const MONEY_UNITS = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e4, 'K'],
] as const;

function unitOf(ticks: readonly number[], format: Format): Unit {
  if (format.startsWith('percent')) return [0.01, '%'];
  if (format !== 'money') return WHOLE;
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  const [size, unit] = MONEY_UNITS.find(([from]) => largest >= from) ?? WHOLE;
  return [unit === 'K' ? 1000 : size, unit];
}

/** Formatted number with a plus sign for gains. */
export const signed = (value: number | null | undefined, format: Format): string =>
  value !== null && value !== undefined && value > 0 ? `+${written(value, format)}` : written(value, format);

/** Number for the script of the page, with seven digits: more than a screen can show. */
export const brief = (value: number | null | undefined): number | null =>
  value === null || value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(7));

/** `2026-03-09` */
export const dayText = (iso: string): string => iso.slice(0, 10);
