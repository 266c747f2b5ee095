import {
  placeOfMinute,
  SESSION_MINUTES,
  unpackCandles,
  type Intraday,
  type IntradayCandle,
  type PlacedText,
  type Pin,
  type Segment,
} from './intraday.ts';
import { countOf, placeOf } from './points.ts';
import type { Range } from './scale.ts';
import { drawnSeries, heldValues, placeAmong, textsByPlace } from './series.ts';
import type { ChartData, Column, ColumnLine } from './chartData.ts';

/** Intraday view of part of a session chart, as a separate chart. */
export type Level = Readonly<{
  data: ChartData;
  pins: readonly Pin[];
  trades: readonly Segment[];
  lines: readonly ColumnLine[];
}>;

/** Maximum number of candles on a screen, and minimum per session: with fewer, session candles show as much. */
const [SHOWN_MAX, IN_SESSION_MIN] = [400, 6];
/** Numbers of candles that can be combined into one. */
const COMBINED = [1, 2, 3, 4, 6, 10, 12, 15, 20, 30, 60];
/** Minute of the day at which a regular session opens. */
const OPEN_MINUTE = 570;
const PRICES = ['open', 'high', 'low', 'close', 'volume'] as const;

/** Candle of a level: an intraday one, or a session without any. `minutes`: its length. */
type LevelCandle = IntradayCandle & Readonly<{ minutes: number; isSession: boolean }>;

type LevelCache = Readonly<{ candles: readonly IntradayCandle[]; levels: Map<number, Level> }>;

/** Cache of levels, by the number of candles combined. */
const kept = new WeakMap<Intraday, LevelCache>();

/** Level at which a chart shows a range; null if it has no intraday data, or the range is too long. */
export function levelAt(data: ChartData, { from, to }: Range): Level | null {
  const { intraday } = data;
  if (!intraday) return null;
  const { minutes } = intraday.candles;
  const inSession = SHOWN_MAX / (to - from);
  const size = COMBINED.find((count) => SESSION_MINUTES / (minutes * count) <= inSession);
  if (size === undefined || inSession < IN_SESSION_MIN) return null;
  const known = kept.get(intraday) ?? {
    candles: unpackCandles(intraday.candles),
    levels: new Map<number, Level>(),
  };
  kept.set(intraday, known);
  const level =
    known.levels.get(size) ?? levelOf(data, intraday, candlesOf(known.candles, minutes * size, data));
  known.levels.set(size, level);
  return level;
}

/** Minimum number of sessions shown around a trade: with session candles, and with intraday ones. */
const [AROUND, AROUND_WITHIN] = [10, 0.25];

/** Range that shows a trade, given by its index, with as much space again around it; null if there is no such trade. */
export function rangeOfTrade({ drawing, intraday }: ChartData, index: number): Range | null {
  const within = intraday?.trades[index];
  const trade = within ?? (drawing?.kind === 'candles' ? drawing.trades?.[index] : undefined);
  if (!trade) return null;
  const [from, to] = within ? [placeOfMinute(trade[0]), placeOfMinute(trade[2])] : [trade[0], trade[2]];
  const around = Math.max((to - from) / 2, within ? AROUND_WITHIN : AROUND);
  return { from: from - around, to: to + around };
}

/** Candles of a given length in minutes; a session without any becomes a candle itself. */
function candlesOf(candles: readonly IntradayCandle[], minutes: number, sessions: ChartData): LevelCandle[] {
  const own = combinedBy(candles, minutes);
  const within = new Set(own.map(({ minute }) => Math.floor(placeOfMinute(minute))));
  const others = Array.from({ length: countOf(sessions) }, (_, index) => index)
    .filter((index) => !within.has(placeOf(sessions, index)))
    .map((index) => sessionAt(sessions, index));
  return [...own, ...others].sort((one, other) => one.minute - other.minute);
}

/** @param index of a point of a session chart */
function sessionAt(sessions: ChartData, index: number): LevelCandle {
  const [open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN] = PRICES.map((_, place) =>
    Number(sessions.columns[place]?.values[index]),
  );
  const minute = placeOf(sessions, index) * SESSION_MINUTES;
  return { minute, minutes: SESSION_MINUTES, isSession: true, open, high, low, close, volume };
}

function combinedBy(candles: readonly IntradayCandle[], minutes: number): LevelCandle[] {
  const groups = new Map<string, LevelCandle>();
  for (const candle of candles) {
    const session = Math.floor(placeOfMinute(candle.minute));
    const key = `${session} ${Math.floor((candle.minute - session * SESSION_MINUTES) / minutes)}`;
    const first = groups.get(key);
    groups.set(key, first ? joined(first, candle) : { ...candle, minutes, isSession: false });
  }
  return [...groups.values()];
}

const joined = (one: LevelCandle, next: IntradayCandle): LevelCandle => ({
  ...one,
  high: Math.max(one.high, next.high),
  low: Math.min(one.low, next.low),
  close: next.close,
  volume: one.volume + next.volume,
});

function levelOf(
  { span }: ChartData,
  { fills, trades, texts, series }: Intraday,
  candles: readonly LevelCandle[],
): Level {
  const starts = candles.map(({ minute }) => minute);
  const placeAt = (minute: number) => placeAmong(starts, minute);
  /** Middle of the candle that contains a minute. */
  const middleAt = (minute: number) => {
    const candle = candles[placeAt(minute)];
    return placeOfMinute(candle ? candle.minute + candle.minutes / 2 : minute);
  };
  const textColumn = (name: string, own: readonly PlacedText[]): Column[] =>
    own.length === 0 ? [] : [{ name, values: textsByPlace(own, starts.length, placeAt) }];
  const columns: readonly Column[] = [
    ...PRICES.map((name) => columnOf(candles, name)),
    ...textColumn(
      'Fills',
      fills.map(([minute, , , text]) => [minute, text]),
    ),
    ...texts.flatMap(({ name, texts: own }) => textColumn(name, own)),
  ];
  const plotted = drawnSeries(
    series.map(({ name, minutes: at, values }) => ({
      name,
      values: heldValues({ name, at, values }, starts.length, placeAt),
    })),
    'price',
  );
  return {
    data: {
      kind: 'line',
      span,
      of: 'Time',
      labels: 'sessions',
      times: candles.map(({ minute, isSession }) => (isSession ? '' : clockOf(minute))),
      at: starts.map(placeOfMinute),
      widths: candles.map(({ minutes }) => placeOfMinute(minutes)),
      columns: [...columns, ...plotted.columns],
    },
    pins: fills.map(([minute, price, side]) => [middleAt(minute), price, side]),
    trades: trades.map(([from, price, until, last, style]) => [
      middleAt(from),
      price,
      middleAt(until),
      last,
      style,
    ]),
    lines: plotted.linesFrom(columns.length),
  };
}

const columnOf = (candles: readonly LevelCandle[], name: (typeof PRICES)[number]): Column => ({
  name: name.replace(/^./, (letter) => letter.toUpperCase()),
  format: name === 'volume' ? 'round' : 'price',
  values: candles.map((candle) => candle[name]),
});

/** `09:35` */
function clockOf(minute: number): string {
  const ofDay = OPEN_MINUTE + (minute % SESSION_MINUTES);
  return [Math.floor(ofDay / 60), ofDay % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
