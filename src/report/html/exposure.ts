import { turnoverSeries, weightsOf } from '../../statistics/exposure.ts';
import { meanOf } from '../../statistics/moments.ts';
import { barChart } from '../../figures/bandChart.ts';
import { missing, type Missing } from '../../figures/figure.ts';
import { written } from '../../figures/format.ts';
import { join, type Markup } from '../../figures/markup.ts';
import { band, type Point, linearScale, rangeOf } from '../../figures/scale.ts';
import type { RunView } from './runView.ts';
import { sessionChart } from '../../figures/sessionChart.ts';

/** Number of symbols with their own colour; all others are summed. */
const SYMBOLS_MAX = 7;

export const exposureCharts = (view: RunView): (Markup | Missing)[] => [
  exposureChart(view),
  weightChart(view),
  turnoverChart(view),
];

export function exposureChart({ marks, dates, mark }: RunView): Markup {
  const values = marks.map((each) => weightsOf(each).gross);
  const held = values.filter((value) => value > 0).length;
  return sessionChart({
    id: 'exposure',
    title: 'Exposure',
    unit: 'shares held, as a share of equity',
    dates,
    mark,
    format: 'percent',
    zero: true,
    summary: `Invested at ${held} of ${values.length} closes, ${written(meanOf(values), 'percent0')} of equity on average.`,
    lines: [{ name: 'Exposure', values, style: 's1', areaTo: 0 }],
  });
}

type Weight = Readonly<{ name: string; style: string; values: readonly number[] }>;

function symbolWeights({ marks }: RunView): Weight[] {
  const totals = new Map<string, number>();
  for (const { positions } of marks)
    for (const [symbol, worth] of Object.entries(positions))
      totals.set(symbol, (totals.get(symbol) ?? 0) + Math.abs(worth));
  const symbols = [...totals].sort(([, one], [, other]) => other - one).map(([symbol]) => symbol);
  const named = symbols.slice(0, symbols.length > SYMBOLS_MAX ? SYMBOLS_MAX - 1 : SYMBOLS_MAX);
  const rest = symbols.slice(named.length);
  const each = marks.map((each) => weightsOf(each).bySymbol);
  const part = (list: readonly string[]) =>
    each.map((weights) => list.reduce((sum, symbol) => sum + (weights[symbol] ?? 0), 0));
  return [
    ...named.map((symbol, index) => ({ name: symbol, style: `s${index + 1}`, values: part([symbol]) })),
    ...(rest.length > 0 ? [{ name: `${rest.length} others`, style: 's8', values: part(rest) }] : []),
  ];
}

/** Stacked holdings as in a portfolio; the rest up to 100 % is cash. */
function weightChart(view: RunView): Markup | Missing {
  const { dates, mark, marks } = view;
  const weights = symbolWeights(view);
  const [only] = weights;
  if (!only) return missing('Weights', 'nothing was ever held at a close');
  if (weights.length === 1)
    return missing('Weights', `only ${only.name} was held at a close, so its weight is the exposure`);
  const levels = [marks.map(() => 0)];
  for (const { values } of weights) {
    const below = levels.at(-1) ?? [];
    levels.push(values.map((value, index) => value + (below[index] ?? 0)));
  }
  const scale = linearScale(rangeOf(levels.at(-1) ?? [], [0, 1]), { zero: true });
  const pointsOf = (kept: readonly number[], list: readonly number[] = []): Point[] =>
    kept.map((index) => [index + 0.5, list[index] ?? 0]);
  return sessionChart({
    id: 'weights',
    title: 'Weights',
    unit: 'share of equity at the close; the rest is cash',
    dates,
    mark,
    scale,
    format: 'percent',
    summary: `${weights.map(({ name, values }) => `${name} ${written(values.at(-1), 'percent0')}`).join(', ')} at the end.`,
    lines: weights.map(({ name, style, values }) => ({ name, values, style, isUnder: true })),
    under: (kept) =>
      join(
        weights.map(({ style }, index) =>
          band(pointsOf(kept, levels[index + 1]), pointsOf(kept, levels[index]), { scale, style }),
        ),
      ),
  });
}

/** Value bought and sold in each month, as a fraction of the equity at its last close. */
function turnoverChart({ marks, record: { fills } }: RunView): Markup {
  const months = new Map<string, { bought: number; sold: number; equity: number }>();
  for (const [index, { bought, sold }] of turnoverSeries(marks, fills).entries()) {
    const { date = '', equity = NaN } = marks[index] ?? {};
    const month = months.get(date.slice(0, 7));
    months.set(date.slice(0, 7), {
      bought: (month?.bought ?? 0) + bought,
      sold: (month?.sold ?? 0) + sold,
      equity,
    });
  }
  const list = [...months.values()];
  return barChart({
    id: 'turnover',
    title: 'Turnover by month',
    of: 'Month',
    unit: 'traded value, as a share of equity',
    format: 'percent',
    labels: [...months.keys()],
    wide: true,
    height: 'low',
    labelsMax: 20,
    summary: `${written(meanOf(list.map(({ bought, sold, equity }) => (bought + sold) / equity)), 'percent0')} of equity a month on average, both ways.`,
    series: [
      { name: 'bought', values: list.map(({ bought, equity }) => bought / equity), style: 's1' },
      { name: 'sold', values: list.map(({ sold, equity }) => sold / equity), style: 's2' },
    ],
  });
}
