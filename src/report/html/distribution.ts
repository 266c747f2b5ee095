import { counted } from '../../core/counted.ts';
import { histogram, deviationOf, meanOf, quantileOf, sorted } from '../../statistics/moments.ts';
import { saidOf } from '../../statistics/markName.ts';
import { RETURNS_MIN } from '../../statistics/sample.ts';
import { figure, missing, type Missing } from '../../figures/figure.ts';
import { tickWriter, written, signed } from '../../figures/format.ts';
import { join, markup, type Markup } from '../../figures/markup.ts';
import {
  blocks,
  line,
  type Point,
  linearScale,
  ticksOf,
  band,
  rangeOf,
  type Scale,
  percentAlong,
} from '../../figures/scale.ts';
import type { RunView } from './runView.ts';
import { simulatedFan, type Fan } from '../../statistics/simulation.ts';

const CURVE_POINTS = 160;

/** Histogram of returns next to a normal distribution with the same mean and deviation, without unchanged sessions. */
export function distributionChart({ sample: { returns }, mark }: RunView): Markup | Missing {
  const title = saidOf(mark, 'Distribution of session returns');
  if (returns.length < RETURNS_MIN)
    return missing(title, `${counted(returns.length, 'return')}, but it needs ${RETURNS_MIN}`);
  const changes = returns.filter((value) => value !== 0);
  if (!(deviationOf(returns) > 0) || !(deviationOf(changes) > 0))
    return missing(title, 'every return is the same');
  if (changes.length < RETURNS_MIN)
    return missing(title, `${counted(changes.length, mark)} with a change, but it needs ${RETURNS_MIN}`);
  return frequencies({ title, mark, changes, returns });
}

type Returns = Readonly<{
  title: string;
  mark: RunView['mark'];
  changes: readonly number[];
  returns: readonly number[];
}>;

function frequencies({ title, mark, changes, returns }: Returns): Markup {
  const bins = histogram(changes);
  const span = bins.length;
  const [low, high] = [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 1];
  const place = (value: number): number => ((value - low) / (high - low)) * span;
  const normal = normalOf(changes, (high - low) / span);
  const scale = linearScale([0, Math.max(...bins.map(({ count }) => count), normal(meanOf(changes)))], {
    zero: true,
  });
  const ticks = ticksOf(low, high, 8);
  const tickText = tickWriter(ticks, 'percent');
  const losses = lossesOf(returns);
  const [all, left] = [returns.length, returns.length - changes.length];
  const marked = losses.filter(({ loss }) => loss > 0 && -loss >= low);
  return figure({
    id: 'distribution',
    title,
    unit: `${mark}s`,
    format: 'round',
    scale,
    summary: `Mean ${written(meanOf(changes), 'percent')}, deviation ${written(deviationOf(changes), 'percent')}; ${losses.map((each) => lossText(each, mark)).join(', ')}.`,
    ...(left > 0 && {
      note: `${counted(left, mark)} of ${written(all, 'round')} did not change the equity and ${left === 1 ? 'is' : 'are'} left out. The value at risk is that of all.`,
    }),
    along: ticks.map((tick, index) => ({ at: place(tick), label: tickText(tick), minor: index % 2 === 1 })),
    alongUnit: `return of a ${mark}`,
    area: join([barsOf(bins, scale), line(curveOf(normal, [low, high], span), scale, 's2')]),
    marks: join(
      marked.map(({ name, loss }, index) =>
        lossMark(`${name} ${written(loss, 'percent')}`, place(-loss) / span, index),
      ),
    ),
    keys: [
      { name: `${mark}s`, mark: 's1 half block' },
      { name: 'normal distribution', mark: 's2' },
    ],
    data: {
      kind: 'bands',
      span,
      of: 'Return',
      labels: bins.map(({ from, to }) => `${written(from, 'percent')} to ${written(to, 'percent')}`),
      columns: columnsOf(mark, bins, normal),
    },
  });
}

type Bins = ReturnType<typeof histogram>;

const barsOf = (bins: Bins, scale: Scale): Markup =>
  blocks(
    bins.map(({ count }, index) => ({ from: index + 0.06, to: index + 0.94, low: 0, high: count })),
    scale,
    's1 half',
  );

/** Expected number of returns in a bin around a value under a normal distribution. @param width of the bin */
function normalOf(returns: readonly number[], width: number): (value: number) => number {
  const [middle, spread] = [meanOf(returns), deviationOf(returns)];
  return (value) =>
    (returns.length * width * Math.exp(-(((value - middle) / spread) ** 2) / 2)) /
    (spread * Math.sqrt(2 * Math.PI));
}

const curveOf = (
  of: (value: number) => number,
  [low, high]: readonly [number, number],
  span: number,
): Point[] =>
  Array.from({ length: CURVE_POINTS + 1 }, (_, index): Point => {
    const part = index / CURVE_POINTS;
    return [part * span, of(low + part * (high - low))];
  });

/** Columns of its table: number of returns in each bin, and the number under a normal distribution. */
function columnsOf(mark: RunView['mark'], bins: Bins, normal: (at: number) => number) {
  const expected = bins.map(({ from, to }) => normal((from + to) / 2));
  const counts = bins.map(({ count }) => count);
  return [
    { name: saidOf(mark, 'Sessions'), values: counts, format: 'round', mark: 's1' },
    { name: 'Normal', values: expected, format: 'ratio', mark: 's2' },
  ] as const;
}

/** Historical value at risk: the smallest loss among the worst 5 % and 1 % of the sessions. */
function lossesOf(returns: readonly number[]) {
  const ascending = sorted(returns);
  return [
    { name: 'VaR 5%', outOf: 'twenty', loss: -quantileOf(ascending, 0.05) },
    { name: 'VaR 1%', outOf: 'a hundred', loss: -quantileOf(ascending, 0.01) },
  ];
}

const lossText = ({ outOf, loss }: ReturnType<typeof lossesOf>[number], mark: RunView['mark']): string =>
  loss > 0
    ? `one ${mark} in ${outOf} lost ${written(loss, 'percent')} or more`
    : `at most one ${mark} in ${outOf} lost`;

/** Fraction of the width below which a label does not fit to the left of its line. */
const ROOM_FROM = 0.35;

function lossMark(text: string, part: number, index: number): Markup {
  const place = percentAlong(part, 1);
  const [style, dx] = part < ROOM_FROM ? ['after', 5] : ['up', -5];
  return markup`<g class="mark"><line x1="${place}" x2="${place}" y1="${index * 16}" y2="100%"/><text class="${style}" x="${place}" dx="${dx}" y="${10 + index * 16}">${text}</text></g>`;
}

const TITLE = 'A simulated year';

/** Range of the account a year from now, if future returns are drawn from the same distribution. */
export function fanChart({ sample, mark, record: { run } }: RunView): Markup | Missing {
  const fan = simulatedFan(sample, run.seed);
  if (!fan) return missing(TITLE, 'there are too few returns to draw from');
  const span = fan.p50.length;
  const scale = linearScale(
    rangeOf(
      fan.p5.map((value) => value - 1),
      fan.p95.map((value) => value - 1),
    ),
    { zero: true },
  );
  const of = (name: keyof Fan): Point[] => [
    [0, 0],
    ...fan[name].map((value, index): Point => [index + 1, value - 1]),
  ];
  const end = (name: keyof Fan) => signed((fan[name].at(-1) ?? NaN) - 1, 'percent1');
  const percentiles = ['p95', 'p75', 'p50', 'p25', 'p5'] as const;
  return figure({
    id: 'fan',
    title: TITLE,
    unit: 'change of equity',
    format: 'percent',
    scale,
    wide: true,
    summary: `After ${span} ${mark}s half of the paths are above ${end('p50')}; one in twenty is below ${end('p5')}, one in twenty above ${end('p95')}.`,
    note: `1,000 paths of blocks of 20 ${saidOf(mark, 'session returns')} of this run, drawn with repetition by seed ${run.seed}. It only reflects what happened in this run.`,
    along: ticksOf(0, span, 6).map((at, index) => ({ at, label: String(at), minor: index % 2 === 1 })),
    alongUnit: `${mark}s from now`,
    area: join([
      band(of('p95'), of('p5'), { scale, style: 's1 outer' }),
      band(of('p75'), of('p25'), { scale, style: 's1 inner' }),
      line(of('p50'), scale, 's1 strong'),
    ]),
    keys: [
      { name: 'median', mark: 's1 strong' },
      { name: '25 to 75 %', mark: 's1 inner block' },
      { name: '5 to 95 %', mark: 's1 outer block' },
    ],
    data: {
      kind: 'line',
      span,
      of: saidOf(mark, 'Session'),
      labels: fan.p50.map((_, index) => String(index + 1)),
      columns: percentiles.map((name) => ({
        name: `${name.slice(1)} %`,
        format: 'percent1',
        values: fan[name].map((value) => value - 1),
      })),
    },
  });
}
