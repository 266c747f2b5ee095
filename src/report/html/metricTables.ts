import type { MetricName } from '../../statistics/metrics.ts';
import { labelOf, METRIC_GROUPS, METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricUnit } from '../../statistics/metricEntries/entry.ts';
import { saidOf } from '../../statistics/markName.ts';
import { written, type Format } from '../../figures/format.ts';
import { markup, type Markup } from '../../figures/markup.ts';
import { KEY_METRICS } from './keyFigures.ts';
import type { RunView } from './runView.ts';

/** Number format of each unit, and the unit shown next to the label. */
const WRITTEN: Readonly<Record<MetricUnit, readonly [format: Format, unit: string]>> = {
  percent: ['percent', ''],
  ratio: ['ratio', ''],
  money: ['money', 'mUSD'],
  bps: ['tenths', 'bps'],
  days: ['tenths', 'days'],
  marks: ['round', 'sessions'],
  count: ['round', ''],
};

/** Omitted for weekly bars, because `positiveDays` has the same value. */
const OF_WEEKS: MetricName = 'positiveWeeks';

/** Tables of all metrics of a run, one per group, with meanings as tooltips and reasons for undefined metrics. */
export function metricTables(view: RunView): Markup {
  const { record, mark, benchmark } = view;
  const others = Object.keys(record.metrics).filter((name) => !(name in METRIC_TABLE));
  const held = benchmark?.metrics ? `, beside those of holding ${benchmark.symbol}` : '';
  return markup`<p class="of">The ten most important are bold; they are also at the top of the page${held}.</p>
<div class="metrics">${Object.entries(METRIC_GROUPS).map(([title, entries]) =>
    groupTable(
      title,
      Object.keys(entries)
        .filter((name) => name in record.metrics && !(mark === 'week' && name === OF_WEEKS))
        .map((name) => knownRow(name as MetricName, view)),
      benchmark?.metrics && Object.keys(entries).some((name) => name in (benchmark.metrics ?? {}))
        ? benchmark.symbol
        : null,
    ),
  )}${groupTable(
    'Others',
    others.map((name) => metricRow(markup`${name}`, { name, format: 'general' }, view)),
    null,
  )}</div>
`;
}

/** @param beside stock whose metrics have a column of their own */
function groupTable(title: string, rows: readonly Markup[], beside: string | null): Markup | null {
  if (rows.length === 0) return null;
  const heads =
    beside === null
      ? null
      : markup`<thead><tr><td></td><th scope="col">Run</th><th scope="col">${beside}</th></tr></thead>`;
  return markup`<table><caption>${title}</caption>${heads}<tbody>\n${rows}</tbody></table>`;
}

function knownRow(name: MetricName, view: RunView): Markup {
  const { mark } = view;
  const entry = METRIC_TABLE[name];
  const [format, unitOf] = WRITTEN[entry.unit];
  const unitName = saidOf(mark, unitOf);
  const meaning = saidOf(mark, entry.meaning);
  const term = markup`<span data-tip="${meaning}" title="${meaning}" tabindex="0">${labelOf(entry, mark)}</span>${unitName === '' ? null : markup` <small>${unitName}</small>`}`;
  return metricRow(term, { name, format }, view);
}

function metricRow(
  term: Markup,
  { name, format }: Readonly<{ name: string; format: Format }>,
  { record: { metrics, notes }, benchmark }: RunView,
): Markup {
  const value = metrics[name] ?? null;
  const cell =
    value === null
      ? markup`<td class="none">N/A <small>${notes[name] ?? 'no reason given'}</small></td>`
      : markup`<td>${written(value, format)}</td>`;
  const held = benchmark?.metrics?.[name];
  const beside = held === undefined ? null : markup`<td class="beside">${written(held, format)}</td>`;
  const style = KEY_METRICS.has(name) ? { markup: ' class="main"' } : null;
  return markup`<tr${style}><th scope="row">${term}</th>${cell}${beside}</tr>\n`;
}
