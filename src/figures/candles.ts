import { written } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { countOf, placeOf, widthOf } from './points.ts';
import {
  blocks,
  fine,
  HEIGHT,
  linearScale,
  rangeOf,
  short,
  type Range,
  type Scale,
  percentAlong,
  percentDown,
} from './scale.ts';
import type { Bar } from '../domain/bar.ts';
import type { ChartData } from './chartData.ts';
import type { Segment, Pin } from './intraday.ts';

/** One candle, at the position where its first point begins. */
export type Candle = Omit<Bar, 'symbol' | 'interval' | 'start'> &
  /** `width`: in units of the chart's width. */
  Readonly<{ at: number; width: number }>;

/** Maximum number of candles that a screen can distinguish; more are combined. */
export const CANDLES_MAX = 1500;

/** Shapes of the fill marks; a page with candles includes them once. */
export const PIN_SHAPES = markup`<svg width="0" height="0" class="hidden" aria-hidden="true"><defs><path id="pin-buy" d="M0 2l5 9h-10z"/><path id="pin-sell" d="M0 -2l5 -9h-10z"/></defs></svg>`;

/** Candles within a range, combined if there are too many: first open, highest high, lowest low, last close. */
export function combined(data: ChartData, { from, to }: Range): Candle[] {
  const [open, high, low, close, volume] = data.columns.map(({ values }) => values as readonly number[]);
  const places = Array.from({ length: countOf(data) }, (_, index) => placeOf(data, index));
  const endOf = (index: number) => (places[index] ?? index) + widthOf(data, index);
  const shown = places.flatMap((place, index) => (endOf(index) > from && place < to ? [index] : []));
  const steps = Math.max(1, Math.ceil(shown.length / CANDLES_MAX));
  return Array.from({ length: Math.ceil(shown.length / steps) }, (_, group) => {
    const own = shown.slice(group * steps, (group + 1) * steps);
    const [first = 0, last = first] = [own[0], own.at(-1)];
    const part = (list: readonly number[] | undefined) => own.map((index) => list?.[index] ?? NaN);
    return {
      at: places[first] ?? first,
      width: steps * widthOf(data, first),
      open: open?.[first] ?? NaN,
      high: Math.max(...part(high)),
      low: Math.min(...part(low)),
      close: close?.[last] ?? NaN,
      volume: part(volume).reduce((sum, each) => sum + each, 0),
    };
  });
}

const BODY = 0.64;

const middleOf = ({ at, width }: Candle): number => fine(at + width / 2);

/** Wicks and bodies: of rising candles, and of falling ones. */
export function bodies(list: readonly Candle[], scale: Scale): Markup {
  const isUp = ({ open, close }: Candle) => close >= open;
  const of = (some: readonly Candle[], style: string) => {
    const wicks = some.map(
      (candle) => `M${middleOf(candle)} ${short(scale.place(candle.high))}V${short(scale.place(candle.low))}`,
    );
    const parts = some.map((candle) => {
      const [low, high] = [Math.min(candle.open, candle.close), Math.max(candle.open, candle.close)];
      return { ...bodyOf(candle), low, high };
    });
    return some.length === 0
      ? markup``
      : markup`<path class="wick ${style}" d="${wicks.join('')}"/>${blocks(parts, scale, `${style} solid`)}`;
  };
  return join([
    of(list.filter(isUp), 'gain'),
    of(
      list.filter((candle) => !isUp(candle)),
      'loss',
    ),
  ]);
}

function bodyOf(candle: Candle) {
  const half = (candle.width * BODY) / 2;
  return { from: middleOf(candle) - half, to: middleOf(candle) + half };
}

/** Lines of segments, with those of one style as a single shape. */
export function segmentLines(segments: readonly Segment[], scale: Scale): Markup {
  const shapes = new Map<string, string>();
  for (const [from, price, until, last, style] of segments) {
    const top = short(scale.place(price));
    const end = price === last ? `H${fine(until)}` : `L${fine(until)} ${short(scale.place(last))}`;
    shapes.set(style, `${shapes.get(style) ?? ''}M${fine(from)} ${top}${end}`);
  }
  return join([...shapes].map(([style, d]) => markup`<path class="line ${style}" d="${d}"/>`));
}

/** Marks of fills: buys from below, sells from above. */
export const pinMarks = (pins: readonly Pin[], scale: Scale, { from, to }: Range): Markup =>
  markup`${pins.map(
    ([at, price, side]) =>
      markup`<use href="#pin-${side}" class="${side}" x="${percentAlong(at - from, to - from)}" y="${percentDown(scale.place(price))}"/>`,
  )}`;

/** Drawing of the candles' traded volume, with the label at the top of its plot. */
export type Volume = Readonly<{ bars: Markup; top: string }>;

export function volumeOf(list: readonly Candle[]): Volume {
  const scale = linearScale(rangeOf(list.map(({ volume }) => volume)), { zero: true, count: 1 });
  const bars = list.map((candle) => ({ ...bodyOf(candle), low: 0, high: candle.volume }));
  return { bars: blocks(bars, scale, 'quiet'), top: written(scale.high, 'volume') };
}

/** Traded volume, below the candles. */
export const volumePlot = (volume: Volume | null, span: number): Markup =>
  markup`<p class="unit">volume, shares</p><div class="plot volume" aria-hidden="true"><svg class="frame"><line class="zero" x2="100%" y1="100%" y2="100%"/><text class="up" x="-8" y="0" dy=".7em">${volume?.top}</text><svg class="area" viewBox="0 0 ${span} ${HEIGHT}" preserveAspectRatio="none">${volume?.bars}</svg></svg></div>`;
