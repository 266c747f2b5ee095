import { histogram } from '../../statistics/histogram.ts';
import { saidOf } from '../../statistics/markName.ts';
import { deviationOf, meanOf, quantileOf, sorted } from '../../statistics/moments.ts';
import { RETURNS_MIN } from '../../statistics/sample.ts';
import { figure, missing, percentAlong } from './figure.ts';
import { counted, tickWriter, written } from './format.ts';
import { join, markup, type Markup } from './markup.ts';
import { blocks, line, type Point } from './paths.ts';
import type { RunView } from './runView.ts';
import { linearScale, ticksOf } from './scale.ts';

const CURVE_POINTS = 160;

/** How often returns of each size came, beside a normal distribution of the same mean and deviation. */
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
    ...{ id: 'distribution', title, unit: `${mark}s`, format: 'round', scale, span },
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
      ...{ kind: 'bands', span, of: 'Return' },
      labels: bins.map(({ from, to }) => `${written(from, 'percent')} to ${written(to, 'percent')}`),
      columns: [
        { name: saidOf(mark, 'Sessions'), values: counts, format: 'round', mark: 's1' },
        {
          name: 'Normal',
          values: bins.map(({ from, to }) => normal((from + to) / 2)),
          format: 'ratio',
          mark: 's2',
        },
      ],
    },
  });
}

/** Historical value at risk: what the worst twentieth and hundredth of the sessions lost at least. */
function lossesOf(returns: readonly number[]) {
  const ascending = sorted(returns);
  return [
    { name: 'VaR 5%', said: 'twenty', loss: -quantileOf(ascending, 0.05) },
    { name: 'VaR 1%', said: 'a hundred', loss: -quantileOf(ascending, 0.01) },
  ];
}

const lossMark = (text: string, place: string, index: number): Markup =>
  markup`<g class="mark"><line x1="${place}" x2="${place}" y1="${index * 16}" y2="100%"/><text class="up" x="${place}" dx="-5" y="${10 + index * 16}">${text}</text></g>`;
