/** Length of a regular session, which is one unit of the width; a session with an early close fills only part of it. */
export const SESSION_MINUTES = 390;

/** Position of a session minute along the width. */
export const placeOfMinute = (minute: number): number => minute / SESSION_MINUTES;

/** Intraday candle. `minute`: its start, counted in regular session minutes from the first open. */
export type IntradayCandle = Readonly<
  Record<'minute' | 'open' | 'high' | 'low' | 'close' | 'volume', number>
>;

/** Fill with its minute and description. */
export type PlacedFill = readonly [minute: number, price: number, side: 'buy' | 'sell', text: string];

/** Text with its minute. */
export type PlacedText = readonly [minute: number, text: string];

/** Series along the sessions: each value applies from its minute on; null starts a gap. */
export type PlacedSeries = Readonly<{
  name: string;
  minutes: readonly number[];
  values: readonly (number | null)[];
}>;

/**
 * Compact form of intraday candles for a page, in short numbers. Prices are in multiples of `unit`: `open` relative to
 * the last close, `close` to the open, `high` up from the higher of the two, `low` down from the lower.
 */
export type PackedCandles = Readonly<{
  /** Length of a candle. */
  minutes: number;
  /** Runs of consecutive candles without a gap. */
  runs: readonly (readonly [minute: number, count: number])[];
  unit: number;
  open: readonly number[];
  high: readonly number[];
  low: readonly number[];
  close: readonly number[];
  volume: readonly number[];
}>;

/** Short-range content of a session chart: intraday candles, and everything drawn over them with its time. */
export type Intraday = Readonly<{
  candles: PackedCandles;
  fills: readonly PlacedFill[];
  /** Lines from the entry to the exit of each trade, in minutes along the width. */
  trades: readonly Segment[];
  /** Additional texts of the candles, by column name. */
  texts: readonly Readonly<{ name: string; texts: readonly PlacedText[] }>[];
  series: readonly PlacedSeries[];
}>;

/** Price units: the first that represents all prices exactly is used, otherwise the last. */
const UNITS = [0.01, 0.0001] as const;
/** Significant digits of a volume. */
const DIGITS = 3;

/** @param minutes length of a candle */
export function packCandles(candles: readonly IntradayCandle[], minutes: number): PackedCandles {
  const holds = (unit: number) =>
    candles.every(({ open, high, low, close }) =>
      [open, high, low, close].every((price) => Math.abs(Math.round(price / unit) * unit - price) < 1e-9),
    );
  const unit = UNITS.find(holds) ?? UNITS[1];
  let before = 0;
  const counted = candles.map(({ open: first, high, low, close: last, volume }) => {
    const [open, close] = [Math.round(first / unit), Math.round(last / unit)];
    const change = open - before;
    before = close;
    return {
      open: change,
      high: Math.round(high / unit) - Math.max(open, close),
      low: Math.min(open, close) - Math.round(low / unit),
      close: close - open,
      volume: Number(volume.toPrecision(DIGITS)),
    };
  });
  const column = (name: 'open' | 'high' | 'low' | 'close' | 'volume') => counted.map((each) => each[name]);
  return {
    minutes,
    unit,
    runs: runsOf(candles, minutes),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}

function runsOf(candles: readonly IntradayCandle[], minutes: number): PackedCandles['runs'] {
  const runs: [number, number][] = [];
  for (const { minute } of candles) {
    const last = runs.at(-1);
    if (last && minute === last[0] + last[1] * minutes) last[1]++;
    else runs.push([minute, 1]);
  }
  return runs;
}

export function unpackCandles({ minutes, runs, unit, ...columns }: PackedCandles): IntradayCandle[] {
  const starts = runs.flatMap(([minute, count]) =>
    Array.from({ length: count }, (_, index) => minute + index * minutes),
  );
  let before = 0;
  return starts.map((minute, index) => {
    const of = (name: keyof typeof columns) => columns[name][index] ?? NaN;
    const open = before + of('open');
    const close = open + of('close');
    before = close;
    return {
      minute,
      open: open * unit,
      high: (Math.max(open, close) + of('high')) * unit,
      low: (Math.min(open, close) - of('low')) * unit,
      close: close * unit,
      volume: of('volume'),
    };
  });
}

/** Mark of a fill at its price. */
export type Pin = readonly [at: number, price: number, side: 'buy' | 'sell'];

/** Straight line between two points in time and price, such as a limit that rested. */
export type Segment = readonly [from: number, price: number, until: number, price: number, style: string];
