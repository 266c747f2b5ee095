import { missing, type Missing } from '../../figures/figure.ts';
import { signed, written } from '../../figures/format.ts';
import { table, type Markup } from '../../figures/markup.ts';
import { sessionChart, type SessionLine } from '../../figures/sessionChart.ts';
import { markNameOf } from '../../statistics/markName.ts';
import type { StudyView } from './studyView.ts';

/** Growth of 1: the chosen parameters over all sessions, what came out of sample, and holding the stocks. */
export function growthChart({ optimised, belief }: StudyView): Markup {
  const { sessions, walkForward } = optimised;
  const { marks, equity, marksPerYear, metrics } = belief.chosen;
  const start = Number(equity.start);
  const { held } = belief;
  const later = walkForward?.outOfSample.figures;
  const first = walkForward?.windows[0]?.outOfSample.from ?? Infinity;
  const before = sessions.filter(({ open }) => open < first).length;
  const lines: SessionLine[] = [
    { name: 'Chosen, in sample', values: marks.map((mark) => mark.equity / start), style: 'quiet' },
    ...(held ? [{ name: 'Holding the stocks', values: grown(held), style: 'held dashed' }] : []),
    ...(later
      ? [
          {
            name: 'Out of sample',
            values: [
              ...Array.from({ length: before }, () => null),
              ...later.marks.map((mark) => mark.equity / later.startEquity),
            ],
            style: 's1 strong',
          },
        ]
      : []),
  ];
  const outside = walkForward
    ? `out of sample ${signed(walkForward.outOfSample.metrics.totalReturn, 'percent1')} in ${later?.marks.length ?? 0} sessions`
    : 'nothing was checked out of sample';
  return sessionChart({
    id: 'growth',
    title: 'Growth of 1',
    summary: `In sample ${signed(metrics.totalReturn, 'percent1')}: it was chosen for that. ${outside[0]?.toUpperCase() ?? ''}${outside.slice(1)}.`,
    unit: 'times the money at the start',
    height: 'high',
    wide: true,
    dates: sessions.map(({ date }) => date),
    mark: markNameOf(marksPerYear),
    lines,
    format: 'ratio',
  });
}

function grown(returns: Float64Array): number[] {
  let value = 1;
  return Array.from(returns, (change) => (value *= 1 + change));
}

/** What each window chose, and what came of it. */
export function windowTable({ optimised, objective, format }: StudyView): Markup | Missing {
  const title = 'Walk-forward';
  const { walkForward } = optimised;
  if (!walkForward) return missing(title, 'it was not asked for (--walk-forward 12m/3m)');
  const { windows, searches, outOfSample } = walkForward;
  return table({
    id: 'windows',
    title,
    heads: ['Out of sample', 'Chosen before it', `${objective.name} in sample`, 'Return', 'Trades'],
    rows: outOfSample.parts.map(({ params, start, end, trades }, index) => {
      const outcome = searches[index]?.best?.outcome;
      return [
        windows[index]?.label ?? '',
        params === null
          ? 'none: held cash'
          : Object.entries(params)
              .map(([name, value]) => `${name} ${String(value)}`)
              .join(', '),
        written(outcome?.state === 'done' ? outcome.objectives[0] : null, format),
        signed(end / start - 1, 'percent1'),
        trades,
      ];
    }),
    texts: 2,
    note: 'Each part begins with the cash that the part before left; what it holds at its end is sold at the last close.',
  });
}
