import { worstDrawdowns, type Drawdown } from '../../statistics/drawdown.ts';
import { written } from './format.ts';
import { markup, type Markup } from './markup.ts';
import type { RunView } from './runView.ts';
import { sessionChart } from './sessionChart.ts';
import { table } from './table.ts';

const TOP = 10;

export function drawdownCharts(view: RunView): Markup[] {
  const { dates, mark, drawdown, sample } = view;
  const worst = worstDrawdowns(sample, TOP);
  const [deepest] = worst;
  const under = drawdown.filter((depth) => depth < 0).length / drawdown.length;
  const summary = deepest
    ? `Deepest ${written(deepest.depth, 'percent')} on ${deepest.troughDate}; below an earlier peak in ${written(under, 'percent0')} of the ${mark}s.`
    : 'Never below an earlier peak.';
  const chart = sessionChart({
    ...{ id: 'drawdown', title: 'Drawdown', summary, unit: 'below the highest equity so far' },
    ...{ dates, mark },
    ...{ format: 'percent', zero: true, wide: true },
    lines: [{ name: 'Drawdown', values: drawdown, style: 'loss', areaTo: 0 }],
  });
  return deepest ? [chart, drawdownTable(worst)] : [chart];
}

const drawdownTable = (worst: readonly Drawdown[]): Markup =>
  table({
    ...{ id: 'drawdowns', title: `The ${worst.length} deepest drawdowns` },
    heads: ['#', 'Depth', 'Peak', 'Trough', 'Recovered', 'Days down', 'Days up', 'Days in all'],
    rows: worst.map((each, index) => [
      index + 1,
      written(each.depth, 'percent'),
      ...[each.peakDate, each.troughDate],
      each.recoveryDate ?? markup`<i>not yet</i>`,
      written(each.daysToTrough, 'round'),
      written(each.daysToRecovery, 'round'),
      written(each.days, 'round'),
    ]),
    note: 'Calendar days; of one that has not recovered, up to the end of the run.',
  });
