import { counted } from '../../core/counted.ts';
import { isNumber } from '../../statistics/figures.ts';
import { percentAlong } from '../../figures/figure.ts';
import { dayText, signed, written } from '../../figures/format.ts';
import { join, markup, type Markup, table } from '../../figures/markup.ts';
import { sessionIndex, type BenchmarkView, type RunView } from './runView.ts';
import { rangeOf } from '../../figures/scale.ts';
import { sessionChart, type SessionLine } from '../../figures/sessionChart.ts';
import { worstDrawdowns, type Drawdown } from '../../statistics/drawdown.ts';

const EVENTS_MAX = 60;

/** Equity beside holding the benchmark, on a straight scale and on a logarithmic one. */
export function equityCharts(view: RunView): Markup[] {
  const { dates, mark, equity, benchmark, record } = view;
  const lines: SessionLine[] = [
    { name: 'Equity', values: equity, style: 's1 strong' },
    ...(benchmark
      ? [{ name: `Holding ${benchmark.symbol}`, values: benchmark.worth, style: 'held dashed' }]
      : []),
  ];
  const first = view.start;
  const last = equity.at(-1) ?? first;
  const summary = `From ${written(first, 'money')} to ${written(last, 'money')} mUSD (${signed(last / first - 1, 'percent')})${benchmark ? heldText(benchmark) : '.'}`;
  const { events } = record;
  const common = { dates, mark, lines, summary, unit: 'mUSD', format: 'money' } as const;
  const shown = events.slice(0, EVENTS_MAX);
  const cut =
    events.length > shown.length
      ? ` The first ${EVENTS_MAX} of ${counted(events.length, 'event')} are marked.`
      : '';
  const straight = sessionChart({
    ...common,
    id: 'equity',
    title: 'Equity',
    height: 'high',
    wide: true,
    marks: join(shown.map((event, index) => eventMark(event, index, view))),
    below: eventList(events),
    ...(events.length > 0 && { note: `${counted(events.length, 'event')}, numbered above the plot.${cut}` }),
  });
  const range = rangeOf(...lines.map(({ values }) => values));
  if (!range || range[0] <= 0) return [straight];
  const log = {
    ...common,
    id: 'equity-log',
    title: 'Equity, logarithmic',
    unit: 'mUSD, equal ratios at equal heights',
    isLog: true,
  };
  return [
    straight,
    sessionChart({ ...log, summary: `${summary} A straight line is a constant rate of growth.` }),
  ];
}

function heldText({ symbol, worth, total }: BenchmarkView): string {
  if (isNumber(total)) return `; holding ${symbol} would have left ${written(worth.at(-1), 'money')}.`;
  const isLate = worth.findIndex((value) => value !== null) > 0;
  return `. Holding ${symbol} is no comparison: ${total.reason}${isLate ? ', and its line begins at the equity of then' : ''}.`;
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
  });
  return deepest ? [chart, drawdownTable(worst)] : [chart];
}

const drawdownTable = (worst: readonly Drawdown[]): Markup =>
  table({
    id: 'drawdowns',
    title: worst.length === 1 ? 'The only drawdown' : `The ${worst.length} deepest drawdowns`,
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
