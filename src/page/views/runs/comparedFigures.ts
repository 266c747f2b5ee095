import { written, signed } from '../../../figures/format.ts';
import type { Markup } from '../../../figures/markup.ts';
import { sessionChart, type SessionLine } from '../../../figures/sessionChart.ts';
import type { ComparedRun, RunComparison } from '../../../ops/past/runs.ts';
import { markIn } from '../../../report/comparisonText.ts';
import { drawdownSeries } from '../../../statistics/drawdown.ts';
import { sampleOf } from '../../../statistics/sample.ts';

/** Values of two runs at the dates of both. */
type Pair = Readonly<{ a: readonly (number | null)[]; b: readonly (number | null)[] }>;

/** Two runs on one axis. `growth`: since the start of each, adjusted for deposits and withdrawals. */
export type RunPair = Readonly<{ dates: readonly string[]; equity: Pair; growth: Pair; drawdown: Pair }>;

/** Puts the closes of two runs on one axis: all dates that either of them has. */
export function comparedOf({ a, b }: Pick<RunComparison, 'a' | 'b'>): RunPair {
  const dates = [...new Set([...a.marks, ...b.marks].map(({ date }) => date))].sort();
  const [one, other] = [seriesOf(a), seriesOf(b)];
  const pair = (name: keyof Series): Pair => ({
    a: along(dates, a, one[name]),
    b: along(dates, b, other[name]),
  });
  return { dates, equity: pair('equity'), growth: pair('growth'), drawdown: pair('drawdown') };
}

type Series = Readonly<{ equity: number[]; growth: number[]; drawdown: number[] }>;

/** Values at the marks of a run; its growth ends when nothing is left. */
function seriesOf({ marks, totals, run: { marksPerYear } }: ComparedRun): Series {
  const { returns } = sampleOf({ startEquity: Number(totals.equity.start), marks }, { marksPerYear });
  let worth = 1;
  const growth = returns.map((one) => (worth *= 1 + one) - 1);
  return { equity: marks.map(({ equity }) => equity), growth, drawdown: drawdownSeries(returns) };
}

/** Values at dates: of one that only the other run has, that of the close before, within the days of this run. */
function along(
  dates: readonly string[],
  { marks }: ComparedRun,
  values: readonly number[],
): (number | null)[] {
  const own = new Map(marks.map(({ date }, index) => [date, values[index] ?? null]));
  const last = marks.at(-1)?.date ?? '';
  let before: number | null = null;
  return dates.map((date) => (date > last ? null : (before = own.get(date) ?? before)));
}

/** True for runs with comparable equities: they begin with the same money, without later deposits or withdrawals. */
const areAlike = ({ a, b }: Pick<RunComparison, 'a' | 'b'>): boolean =>
  Number(a.totals.equity.start) === Number(b.totals.equity.start) &&
  [...a.marks, ...b.marks].every(({ flow = 0 }) => flow === 0);

/** Equities of two runs in one figure, their growth if their money differs, and their drawdowns. */
export function comparedFigures(comparison: Pick<RunComparison, 'a' | 'b'>): Markup[] {
  const { dates, equity, growth, drawdown } = comparedOf(comparison);
  const common = { dates, mark: markIn(comparison.a, comparison.b), wide: true } as const;
  const equityFigure = sessionChart({
    ...common,
    id: 'equity',
    title: 'Equity',
    height: 'high',
    summary: `${ends(equity, (value) => written(value, 'money'))} mUSD at the end.`,
    unit: 'mUSD',
    format: 'money',
    lines: linesOf(equity),
    opening: openingOf(comparison, ({ totals }) => Number(totals.equity.start)),
  });
  const growthFigure = sessionChart({
    ...common,
    id: 'growth',
    title: 'Growth',
    height: 'high',
    summary: `${ends(growth, (value) => signed(value, 'percent'))} in all; deposits and withdrawals are no gains or losses.`,
    unit: 'since the start of each run',
    format: 'percent',
    zero: true,
    lines: linesOf(growth),
    opening: openingOf(comparison, () => 0),
  });
  const drawdownFigure = sessionChart({
    ...common,
    id: 'drawdown',
    title: 'Drawdown',
    summary: `Deepest: ${both(drawdown, (values) => written(leastOf(values), 'percent'))}.`,
    unit: 'below the highest equity so far',
    format: 'percent',
    zero: true,
    height: 'low',
    lines: linesOf(drawdown),
  });
  return [...(areAlike(comparison) ? [] : [growthFigure]), equityFigure, drawdownFigure];
}

/** Value of each run before the first date; none for one that begins later. */
function openingOf({ a, b }: Pick<RunComparison, 'a' | 'b'>, valueOf: (run: ComparedRun) => number) {
  const firsts = [a, b].map(({ marks }) => marks[0]?.date ?? '');
  const first = firsts.filter((date) => date !== '').sort()[0];
  return [a, b].map((run, index) => (firsts[index] === first ? valueOf(run) : null));
}

const linesOf = ({ a, b }: Pair): SessionLine[] => [
  { name: 'A', values: a, style: 's1 strong' },
  { name: 'B', values: b, style: 's2' },
];

const both = ({ a, b }: Pair, textOf: (values: Pair['a']) => string): string =>
  `A ${textOf(a)}, B ${textOf(b)}`;

const ends = (pair: Pair, textOf: (value: number | null) => string): string =>
  both(pair, (values) => textOf(values.findLast((value) => value !== null) ?? null));

const leastOf = (values: Pair['a']): number =>
  values.reduce<number>((least, value) => Math.min(least, value ?? 0), 0);
