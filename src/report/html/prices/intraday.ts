import {
  packCandles,
  SESSION_MINUTES,
  type Intraday,
  type IntradayCandle,
} from '../../../figures/intraday.ts';
import type { FillRecord, RunView } from '../runView.ts';
import { fillText, tradeLines } from './candleMarks.ts';
import { minuteAlong } from './places.ts';
import { overlaid } from './plots.ts';

/** Maximum number of session candles, over all stocks, with which a page still has room for intraday candles. */
const SESSIONS_MAX = 30_000;
/** Maximum number of fills placed within sessions, over all stocks: the latest of each. */
const FILLS_MAX = 10_000;

/**
 * Short-range content of a stock's chart; null if the record has no intraday candles, or the page no room for them.
 * @param fills of the stock. @param texts additional ones for it
 */
export function intradayOf(
  view: RunView,
  symbol: string,
  { fills, texts }: Readonly<{ fills: readonly FillRecord[]; texts: readonly TextSeries[] }>,
): Intraday | null {
  const { intraday = [] } = view.record;
  const given = intraday.find((each) => each.symbol === symbol);
  if (!given || view.dates.length * intraday.length > SESSIONS_MAX) return null;
  const minuteOf = (at: number) => short(minuteAlong(view.dates, at));
  return {
    candles: packCandles(candlesOf(view, given), given.minutes),
    fills: fills
      .slice(-Math.ceil(FILLS_MAX / intraday.length))
      .map((fill) => [minuteOf(fill.at), fill.price, fill.side, fillText(fill)] as const),
    trades: tradeLines(view, symbol, minuteOf),
    texts: texts.map(({ name, texts: own }) => ({
      name,
      texts: own.map(([at, text]) => [minuteOf(at), text] as const),
    })),
    series: overlaid(view, symbol).map(({ name, at, values }) => ({
      name,
      minutes: at.map((each) => short(withinCandle(minuteAlong(view.dates, each)))),
      values,
    })),
  };
}

/** Texts of one column of a chart, each with its instant. */
export type TextSeries = Readonly<{ name: string; texts: readonly (readonly [at: number, text: string])[] }>;

const candlesOf = (
  { dates }: RunView,
  { start, open, high, low, close, volume }: NonNullable<RunView['record']['intraday']>[number],
): IntradayCandle[] =>
  start.map((at, index) => ({
    minute: minuteAlong(dates, at),
    open: open[index] ?? NaN,
    high: high[index] ?? NaN,
    low: low[index] ?? NaN,
    close: close[index] ?? NaN,
    volume: volume[index] ?? NaN,
  }));

/** A strategy plots at the end of a candle, where the next begins: the value belongs to the candle that has ended. */
const withinCandle = (minute: number): number => (minute % SESSION_MINUTES === 0 ? minute : minute - STEP);

/** Number of decimals for minutes. */
const DIGITS = 2;
const STEP = 10 ** -DIGITS;
const short = (minute: number): number => Number(minute.toFixed(DIGITS));
