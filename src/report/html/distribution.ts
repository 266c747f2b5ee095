import { counted } from '../../core/counted.ts';
import { histogram, deviationOf, meanOf, quantileOf, sorted } from '../../statistics/moments.ts';
import { saidOf } from '../../statistics/markName.ts';
import { RETURNS_MIN } from '../../statistics/sample.ts';
import { figure, missing, percentAlong } from '../../figures/figure.ts';
import { tickWriter, written, signed } from '../../figures/format.ts';
import { join, markup, type Markup } from '../../figures/markup.ts';
import { blocks, line, type Point, linearScale, ticksOf, band, rangeOf } from '../../figures/scale.ts';
import type { RunView } from './runView.ts';
import { simulatedFan, type Fan } from '../../statistics/simulation.ts';

const CURVE_POINTS = 160;

/** Frequency of returns by size, beside a normal distribution of the same mean and deviation. */
export function distributionChart({ sample: { returns }, mark }: RunView): Markup {
  const title = saidOf(mark, 'Distribution of session returns');
  const spread = deviationOf(returns);
  if (returns.length < RETURNS_MIN)
    return missing(title, `${counted(returns.length, 'return')}, of which it takes ${RETURNS_MIN}`);
  if (!(spread > 0)) return missing(title, 'every return is the same');
  const middle = meanOf(returns);
  const bins = histogram(returns);
  const span = bins.length;
  const [low, high] = [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 1];
  const width = (high - low) / span;
  const place = (value: number): number => (value - low) / width;
  const normal = (value: number): number =>
    (returns.length * width * Math.exp(-(((value - middle) / spread) ** 2) / 2)) /
    (spread * Math.sqrt(2 * Math.PI));
  const curve = Array.from({ length: CURVE_POINTS + 1 }, (_, index): Point => {
    const at = (index / CURVE_POINTS) * span;
    return [at, normal(low + at * width)];
  });
  const counts = bins.map(({ count }) => count);
  const scale = linearScale([0, Math.max(...counts, normal(middle))], { zero: true });
  const losses = lossesOf(returns);
  const ticks = ticksOf(low, high, 8);
  const tickText = tickWriter(ticks, 'percent');
  const bars = bins.map(({ count }, index) => ({
    from: index + 0.06,
    to: index + 0.94,
    low: 0,
    high: count,
  }));
  return figure({
    id: 'distribution',
    title,
    unit: `${mark}s`,
    format: 'round',
    scale,
    span,
    summary: `Mean ${written(middle, 'percent')}, deviation ${written(spread, 'percent')}; ${losses.map(({ said, loss }) => `one ${mark} in ${said} lost ${written(loss, 'percent')} or more`).join(', ')}.`,
    along: ticks.map((tick, index) => ({ at: place(tick), label: tickText(tick), minor: index % 2 === 1 })),
    alongUnit: `return of a ${mark}`,
    area: join([blocks(bars, scale, 's1 half'), line(curve, scale, 's2')]),
    marks: join(
      losses.map(({ name, loss }, index) =>
        lossMark(`${name} ${written(loss, 'percent')}`, percentAlong(place(-loss), span), index),
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

/** Columns of its table: how many returns each size had, and how many a normal distribution would have. */
function columnsOf(
  mark: RunView['mark'],
  bins: ReturnType<typeof histogram>,
  normal: (at: number) => number,
) {
  const expected = bins.map(({ from, to }) => normal((from + to) / 2));
  const counts = bins.map(({ count }) => count);
  return [
    { name: saidOf(mark, 'Sessions'), values: counts, format: 'round', mark: 's1' },
    { name: 'Normal', values: expected, format: 'ratio', mark: 's2' },
  ] as const;
}

/** Historical value at risk: the least loss of the worst twentieth and hundredth of the sessions. */
function lossesOf(returns: readonly number[]) {
  const ascending = sorted(returns);
  return [
    { name: 'VaR 5%', said: 'twenty', loss: -quantileOf(ascending, 0.05) },
    { name: 'VaR 1%', said: 'a hundred', loss: -quantileOf(ascending, 0.01) },
  ];
}

const lossMark = (text: string, place: string, index: number): Markup =>
  markup`<g class="mark"><line x1="${place}" x2="${place}" y1="${index * 16}" y2="100%"/><text class="up" x="${place}" dx="-5" y="${10 + index * 16}">${text}</text></g>`;

const TITLE = 'A simulated year';

/** Range of the account a year on, if the future draws from the same returns. */
export function fanChart({ sample, mark, record: { run } }: RunView): Markup {
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
    span,
    wide: true,
    summary: `After ${span} ${mark}s half of the paths are above ${end('p50')}; one in twenty is below ${end('p5')}, one in twenty above ${end('p95')}.`,
    note: `1,000 paths of blocks of 20 ${saidOf(mark, 'session returns')} of this run, drawn with repetition by seed ${run.seed}. It knows nothing that the run did not show.`,
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
      at: fan.p50.map((_, index) => index),
      columns: percentiles.map((name) => ({
        name: `${name.slice(1)} %`,
        format: 'percent1',
        values: fan[name].map((value) => value - 1),
      })),
    },
  });
}
