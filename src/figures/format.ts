/** Number formats, used here and by the script of the page. A missing number is a dash. */
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

/** Number in its format, with a true minus sign; one that rounds to 0 has none. */
export function written(value: number | null | undefined, format: Format): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = formatterOf(format).format(value);
  return text.replace('-', /[1-9]/.test(text) ? '−' : '');
}

const DECIMALS_MAX = 8;

/** Writes the labels of an axis: all with as many decimals as distinguish them, money in thousands or millions. */
export function tickWriter(ticks: readonly number[], format: Format): (tick: number) => string {
  const [size, unit] = unitOf(ticks, format);
  const isExact = (digits: number) =>
    ticks.every((tick) => Math.abs(Number((tick / size).toFixed(digits)) - tick / size) < 1e-9);
  let digits = 0;
  while (digits < DECIMALS_MAX && !isExact(digits)) digits++;
  const formatter = new Intl.NumberFormat('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return (tick) => formatter.format(tick / size || 0).replace('-', '−') + unit;
}

const MONEY_UNITS = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e4, 'K'],
] as const;

function unitOf(ticks: readonly number[], format: Format): readonly [size: number, unit: string] {
  if (format.startsWith('percent')) return [0.01, '%'];
  if (format !== 'money') return [1, ''];
  const largest = ticks.reduce((most, tick) => Math.max(most, Math.abs(tick)), 0);
  const [size, unit] = MONEY_UNITS.find(([from]) => largest >= from) ?? [1, ''];
  return [unit === 'K' ? 1000 : size, unit];
}

/** Number with a plus for gains. */
export const signed = (value: number | null | undefined, format: Format): string =>
  value !== null && value !== undefined && value > 0 ? `+${written(value, format)}` : written(value, format);

/** Number for the script of the page: seven digits are more than a screen shows. */
export const brief = (value: number | null | undefined): number | null =>
  value === null || value === undefined || !Number.isFinite(value) ? null : Number(value.toPrecision(7));

/** `2026-03-09` */
export const dayText = (iso: string): string => iso.slice(0, 10);
