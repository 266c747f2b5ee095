import { bodies, combined, pinMarks, segmentLines, volumeOf, type Volume } from './candles.ts';
import { join, markup, type Markup } from './markup.ts';
import { levelAt } from './levels.ts';
import { countOf, middleOf } from './points.ts';
import {
  areaTo,
  HEIGHT,
  line,
  linearScale,
  logScale,
  rangeOf,
  type Point,
  type Range,
  type Scale,
} from './scale.ts';
import { keptPoints } from './thinning.ts';
import type { ChartData, ColumnLine, Drawing, LineDrawing, CandleDrawing } from './chartData.ts';
import type { Segment } from './intraday.ts';

/** Drawn part of a chart. `marks` are positioned in percent; the other parts stretch with the plot. */
export type Picture = Readonly<{ scale: Scale; area: Markup; marks: Markup | null; volume: Volume | null }>;

/** Draws the contents of a chart within a range, at a fitting scale. */
export const draw = (data: ChartData, drawing: Drawing, range: Range): Picture =>
  drawing.kind === 'lines' ? drawLines(data, drawing, range) : drawCandles(data, drawing, range);

/** Indexes of the points within a range and their neighbours, because lines continue beyond it. */
function within(data: ChartData, { from, to }: Range): Readonly<{ first: number; end: number }> {
  const count = countOf(data);
  let [first, end] = [0, count];
  while (first < count - 1 && middleOf(data, first + 1) < from) first++;
  while (end > first + 1 && middleOf(data, end - 2) > to) end--;
  return { first, end };
}

const numbersOf = (data: ChartData, column: number): (number | null)[] =>
  (data.columns[column]?.values ?? []).map((value) => (typeof value === 'number' ? value : null));

/** Lines within a range: the values shown, and a function that draws them at a scale. */
function linesWithin(data: ChartData, lines: readonly ColumnLine[], range: Range) {
  const { first, end } = within(data, range);
  const lists = lines.map(({ column }) => numbersOf(data, column).slice(first, end));
  const kept = keptPoints(lists);
  const drawnAt = (scale: Scale): Markup[] =>
    lines.flatMap(({ style, areaTo: level }, place) => {
      const points = kept.map((index): Point => [
        middleOf(data, first + index),
        lists[place]?.[index] ?? null,
      ]);
      return [
        level === undefined ? markup`` : areaTo(points, level, { scale, style }),
        line(points, scale, style),
      ];
    });
  return { lists, drawnAt };
}

function drawLines(data: ChartData, drawing: LineDrawing, range: Range): Picture {
  const { lists, drawnAt } = linesWithin(data, drawing.lines, range);
  const scale = scaleOf(drawing, rangeOf(...lists));
  const shades = (drawing.shades ?? []).map(
    ([from, to, style]) =>
      markup`<path class="fill shade ${style}" d="M${from} 0H${to}V${HEIGHT}H${from}Z"/>`,
  );
  return { scale, area: join([...shades, ...drawnAt(scale)]), marks: null, volume: null };
}

const scaleOf = ({ isLog = false, zero = false }: LineDrawing, range: [number, number] | null): Scale =>
  isLog && range && range[0] > 0 ? logScale(range) : linearScale(range, { zero });

function drawCandles(data: ChartData, drawing: CandleDrawing, range: Range): Picture {
  const { from, to } = range;
  const level = levelAt(data, range);
  const { pins, trades = [], lines = [] } = level ?? drawing;
  const chosen = trades[drawing.chosen ?? -1];
  const drawn = level?.data ?? data;
  const list = combined(drawn, range);
  const shown = pins.filter(([at]) => at >= from && at <= to);
  const { lists, drawnAt } = linesWithin(drawn, lines, range);
  const scale = linearScale(
    rangeOf(
      list.flatMap(({ low, high }) => [low, high]),
      shown.map(([, price]) => price),
      ...lists,
    ),
    { count: 7 },
  );
  const segments = [...trades, ...drawing.segments, ...(chosen ? [standingOut(chosen)] : [])].filter(
    ([start, , end]) => end >= from && start <= to,
  );
  return {
    scale,
    area: join([bodies(list, scale), segmentLines(segments, scale), ...drawnAt(scale)]),
    marks: pinMarks(shown, scale, range),
    volume: volumeOf(list),
  };
}

const standingOut = ([from, price, until, last, style]: Segment): Segment => [
  from,
  price,
  until,
  last,
  `${style} chosen`,
];
