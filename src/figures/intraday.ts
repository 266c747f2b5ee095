/** Length of a regular session, which is one unit of the width; one that closes early fills a part of it. */
export const SESSION_MINUTES = 390;

/** Place along the sessions of a minute of them. */
export const placeOfMinute = (minute: number): number => minute / SESSION_MINUTES;

/** Candle within a session. `minute`: how many of regular sessions have passed at its start since the first open. */
export type IntradayCandle = Readonly<
  Record<'minute' | 'open' | 'high' | 'low' | 'close' | 'volume', number>
>;

/** Fill at its minute, with its description. */
export type PlacedFill = readonly [minute: number, price: number, side: 'buy' | 'sell', text: string];

/** Text at its minute. */
export type PlacedText = readonly [minute: number, text: string];

/** Series along the sessions: each value from its minute on; null begins a gap. */
export type PlacedSeries = Readonly<{
  name: string;
  minutes: readonly number[];
  values: readonly (number | null)[];
}>;

/**
 * Candles within sessions as a page holds them, in numbers of few digits. Prices are counted in `unit`: `open` from the close
 * before, `close` from the open, `high` up from the higher of both and `low` down from the lower.
 */
export type PackedCandles = Readonly<{
  /** Length of a candle. */
  minutes: number;
  /** Candles that follow each other without a gap. */
  runs: readonly (readonly [minute: number, count: number])[];
  unit: number;
  open: readonly number[];
  high: readonly number[];
  low: readonly number[];
  close: readonly number[];
  volume: readonly number[];
}>;

/** Content of a chart of sessions where its range is short: candles within them, and all that is drawn over these at its time. */
export type Intraday = Readonly<{
  candles: PackedCandles;
  fills: readonly PlacedFill[];
  /** From the entry of each trade to its exit, in minutes along the width. */
  trades: readonly Segment[];
  /** Further texts of its candles, by the name of a column. */
  texts: readonly Readonly<{ name: string; texts: readonly PlacedText[] }>[];
  series: readonly PlacedSeries[];
}>;

/** Units of prices: the first that can represent all of them, or the last. */
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

/** Mark of a fill, at its price. */
export type Pin = readonly [at: number, price: number, side: 'buy' | 'sell'];

/** Straight line from one place and price to another, such as a limit that rested. */
export type Segment = readonly [from: number, price: number, until: number, price: number, style: string];
