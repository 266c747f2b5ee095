import { counted } from '../../core/counted.ts';
import { isNumber } from '../../statistics/figures.ts';
import { dayText, signed, written } from '../../figures/format.ts';
import { join, markup, type Markup, table } from '../../figures/markup.ts';
import { sessionIndex, type BenchmarkView, type RunView } from './runView.ts';
import { rangeOf, percentAlong } from '../../figures/scale.ts';
import { sessionChart, type SessionLine } from '../../figures/sessionChart.ts';
import { lengthsOf, rangeButtons } from '../../figures/rangeButtons.ts';
import { worstDrawdowns, type Drawdown } from '../../statistics/drawdown.ts';
import { growthOf } from '../../statistics/moments.ts';
import type { Key, Shade } from '../../figures/chartData.ts';

const EVENTS_MAX = 60;

/** Number of drawdowns shaded. */
const SHADED = 5;

/** Equity and benchmark holding from the start, with the deepest drawdowns shaded. */
export function equityChart(view: RunView): Markup {
  const { dates, mark, equity, benchmark, record, start, sample } = view;
  const lines: SessionLine[] = [
    { name: 'Equity', values: equity, style: 's1 strong' },
    ...(benchmark
      ? [{ name: `Holding ${benchmark.symbol}`, values: benchmark.worth, style: 'held dashed' }]
      : []),
  ];
  const last = equity.at(-1) ?? start;
  const { events } = record;
  const shown = events.slice(0, EVENTS_MAX);
  const cut =
    events.length > shown.length
      ? ` The first ${EVENTS_MAX} of ${counted(events.length, 'event')} are marked.`
      : '';
  const worst = worstDrawdowns(sample, SHADED);
  const lowest = rangeOf([start], ...lines.map(({ values }) => values))?.[0] ?? 0;
  return sessionChart({
    id: 'equity',
    title: 'Equity',
    summary: `From ${written(start, 'money')} to ${written(last, 'money')} mUSD${changeText(view, last)}${benchmark ? heldText(benchmark) : '.'}`,
    unit: 'mUSD',
    format: 'money',
    height: 'high',
    wide: true,
    dates,
    mark,
    lines,
    opening: [start, benchmark?.worth[0] === null ? null : start],
    shades: worst.flatMap(shadesOf),
    moreKeys: shadeKeys(worst.length),
    controls: rangeButtons('Equity', lengthsOf(sample.marksPerYear), lowest > 0),
    marks: join(shown.map((event, index) => eventMark(event, index, view))),
    below: eventList(events),
    ...(events.length > 0 && { note: `${counted(events.length, 'event')}, numbered above the plot.${cut}` }),
  });
}

/** Change of the equity; with deposits or withdrawals, the change without them. */
function changeText({ marks, sample, start }: RunView, last: number): string {
  if (marks.every(({ flow = 0 }) => flow === 0)) return ` (${signed(last / start - 1, 'percent')})`;
  return `, with deposits and withdrawals (${signed(growthOf(sample.returns) - 1, 'percent')} without them)`;
}

/** Shades for the fall of a drawdown, and for its recovery. */
const shadesOf = ({ from, lowest, to }: Drawdown): Shade[] => [
  [Math.max(from + 0.5, 0), lowest + 0.5, 'loss'],
  ...(to > lowest ? [[lowest + 0.5, to + 0.5, 'quiet'] as const] : []),
];

const shadeKeys = (count: number): Key[] =>
  count === 0
    ? []
    : [
        { name: `${count === 1 ? 'fall' : 'falls'} of ${deepestText(count)}`, mark: 'loss shade block' },
        { name: 'until recovered', mark: 'quiet shade block' },
      ];

const deepestText = (count: number): string =>
  count === 1 ? 'the only drawdown' : `the ${count} deepest drawdowns`;

function heldText({ symbol, worth, total }: BenchmarkView): string {
  if (isNumber(total)) return `; holding ${symbol} would have left ${written(worth.at(-1), 'money')}.`;
  const isLate = worth.findIndex((value) => value !== null) > 0;
  return `. Holding ${symbol} cannot be compared: ${total.reason}${isLate ? ', and its line begins at the equity of its first day' : ''}.`;
}

type Event = RunView['record']['events'][number];

function eventMark({ at: time, kind, text }: Event, index: number, view: RunView): Markup {
  const at = sessionIndex(view, time) + 0.5;
  const place = percentAlong(at, view.dates.length);
  return markup`<svg class="event" data-at="${at}" x="${place}"><line y2="100%"/><text y="-4">${index + 1}<title>${kind}: ${text}</title></text></svg>`;
}

const eventList = (events: readonly Event[]): Markup =>
  events.length === 0
    ? markup``
    : markup`<details class="events"><summary>${counted(events.length, 'event')}</summary><ol>${events.map(
        ({ at, kind, text }) =>
          markup`<li><time>${dayText(new Date(at).toISOString())}</time> <b>${kind}</b> ${text}</li>`,
      )}</ol></details>`;

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
    id: 'drawdown',
    title: 'Drawdown',
    summary,
    unit: 'below the highest equity so far',
    dates,
    mark,
    format: 'percent',
    zero: true,
    wide: true,
    lines: [{ name: 'Drawdown', values: drawdown, style: 'loss', areaTo: 0 }],
    opening: [0],
  });
  return deepest ? [chart, drawdownTable(worst)] : [chart];
}

const drawdownTable = (worst: readonly Drawdown[]): Markup =>
  table({
    id: 'drawdowns',
    title: deepestText(worst.length).replace('the', 'The'),
    heads: ['#', 'Depth', 'Peak', 'Trough', 'Recovered', 'Days down', 'Days up', 'Days in all'],
    rows: worst.map((each, index) => [
      index + 1,
      written(each.depth, 'percent'),
      each.peakDate,
      each.troughDate,
      each.recoveryDate ?? markup`<i>not yet</i>`,
      written(each.daysToTrough, 'round'),
      written(each.daysToRecovery, 'round'),
      written(each.days, 'round'),
    ]),
    note: 'Calendar days; of one that has not recovered, up to the end of the run.',
  });
