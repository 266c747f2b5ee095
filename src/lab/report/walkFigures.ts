import { missing, type Missing } from '../../figures/figure.ts';
import { signed, written } from '../../figures/format.ts';
import { table, type Markup } from '../../figures/markup.ts';
import { sessionChart, type SessionLine } from '../../figures/sessionChart.ts';
import { counted } from '../../core/counted.ts';
import { growthOf } from '../../statistics/moments.ts';
import { markNameOf } from '../../statistics/markName.ts';
import { laterRange, type Stretch } from '../belief/comparison.ts';
import { windowRows } from '../belief/windowRows.ts';
import { unsoldText } from '../walkForward/outOfSample.ts';
import { setText } from '../search/space.ts';
import { labelOfObjective, type StudyView } from './studyView.ts';

/**
 * Growth of the chosen parameters, of the out-of-sample result, and of holding the stocks. With a walk-forward, all
 * lines are 1 at the start of the first out-of-sample part, so that they can be compared from there on.
 */
export function growthChart({ optimised, belief }: StudyView): Markup {
  const { sessions, walkForward } = optimised;
  const { marks, equity, marksPerYear } = belief.chosen;
  const later = walkForward?.outOfSample.figures;
  const [before] = walkForward ? laterRange(sessions, walkForward) : [0];
  const start = before > 0 ? (marks[before - 1]?.equity ?? NaN) : Number(equity.start);
  const lines: SessionLine[] = [
    { name: 'Best set, in sample', values: marks.map((mark) => mark.equity / start), style: 'quiet' },
    ...(belief.held
      ? [{ name: 'Holding the stocks', values: grown(belief, before), style: 'held dashed' }]
      : []),
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
  return sessionChart({
    id: 'growth',
    title: later ? 'Growth, from where the first part out of sample begins' : 'Growth of 1',
    summary: growthText(optimised, belief),
    unit: later
      ? `times the money on ${belief.comparison.outOfSample?.from ?? ''}`
      : 'times the money at the start',
    height: 'high',
    wide: true,
    dates: sessions.map(({ date }) => date),
    mark: markNameOf(marksPerYear),
    lines,
    format: 'ratio',
  });
}

function growthText(
  { walkForward }: StudyView['optimised'],
  { chosen, comparison: { inSample, outOfSample } }: StudyView['belief'],
): string {
  const holding = ({ held }: Stretch) => (held ? `, holding ${signed(held.totalReturn, 'percent1')}` : '');
  const best = `${signed(chosen.metrics.totalReturn, 'percent1')} over all ${counted(inSample.sessions, 'session')}, on which it was chosen${holding(inSample)}`;
  if (!walkForward || !outOfSample) return `In sample ${best}. Nothing was checked out of sample.`;
  const total = signed(walkForward.outOfSample.metrics.totalReturn, 'percent1');
  return `Out of sample ${total} in ${counted(outOfSample.sessions, 'session')}${holding(outOfSample)}. In sample ${best}.`;
}

/** Growth of holding the stocks: 1 at the open of the session with a given index. */
function grown({ held, heldIn }: StudyView['belief'], base: number): number[] {
  const all = Array.from(held ?? []);
  const first = heldIn(base, base + 1)?.[0] ?? 0;
  let value = (1 + first) / growthOf(all.slice(0, base + 1));
  return all.map((change) => (value *= 1 + change));
}

/** Parameters chosen in each window, with their results. */
export function windowTable({ optimised, objective, format, belief }: StudyView): Markup | Missing {
  const title = 'Walk-forward';
  if (!optimised.walkForward) return missing(title, 'it was not requested (--walk-forward 2y/6m)');
  const name = labelOfObjective(objective);
  const unsold = unsoldText(optimised.walkForward.outOfSample.parts);
  return table({
    id: 'windows',
    title,
    heads: ['Out of sample', 'Return', 'Holding', name, `${name} in sample`, 'Trades', 'Chosen before it'],
    rows: windowRows(optimised, objective, belief.heldIn).map(({ label, inSample, outOfSample, params }) => [
      label,
      signed(outOfSample.totalReturn, 'percent1'),
      signed(outOfSample.held, 'percent1'),
      written(outOfSample.objective, format),
      written(inSample.objective, format),
      outOfSample.trades,
      params === null ? 'none: held cash' : setText(params),
    ]),
    texts: 1,
    note: `Each part begins with the cash that the part before left; positions at its end are sold at the last close.${unsold === null ? '' : ` ${unsold}.`}`,
  });
}
