import type { MetricName } from '../../statistics/metrics.ts';
import { labelOf, METRIC_GROUPS, METRIC_TABLE } from '../../statistics/metricTable.ts';
import type { MetricUnit } from '../../statistics/metricEntries/entry.ts';
import { saidOf, type MarkName } from '../../statistics/markName.ts';
import type { RunRecord } from '../runRecord.ts';
import { written, type Format } from '../../figures/format.ts';
import { markup, type Markup } from '../../figures/markup.ts';

/** Number format of each unit, and its name beside the label. */
const WRITTEN: Readonly<Record<MetricUnit, readonly [format: Format, unit: string]>> = {
  percent: ['percent', ''],
  ratio: ['ratio', ''],
  money: ['money', 'mUSD'],
  bps: ['tenths', 'bps'],
  days: ['tenths', 'days'],
  marks: ['round', 'sessions'],
  count: ['round', ''],
};

/** Omitted for weekly bars, where `positiveDays` has the same number. */
const OF_WEEKS: MetricName = 'positiveWeeks';

/** Tables of all metrics of a run, one a group: meanings as tooltips, and the reason where a metric is undefined. */
export function metricTables(record: RunRecord, mark: MarkName): Markup {
  const others = Object.keys(record.metrics).filter((name) => !(name in METRIC_TABLE));
  return markup`<div class="metrics">${Object.entries(METRIC_GROUPS).map(([title, entries]) =>
    groupTable(
      title,
      Object.keys(entries)
        .filter((name) => name in record.metrics && !(mark === 'week' && name === OF_WEEKS))
        .map((name) => knownRow(name as MetricName, mark, record)),
    ),
  )}${groupTable(
    'Others',
    others.map((name) => metricRow(markup`${name}`, { name, format: 'general' }, record)),
  )}</div>
`;
}

const groupTable = (title: string, rows: readonly Markup[]): Markup | null =>
  rows.length === 0 ? null : markup`<table><caption>${title}</caption><tbody>\n${rows}</tbody></table>`;

function knownRow(name: MetricName, mark: MarkName, record: RunRecord): Markup {
  const entry = METRIC_TABLE[name];
  const [format, unitOf] = WRITTEN[entry.unit];
  const unitName = saidOf(mark, unitOf);
  const meaning = saidOf(mark, entry.meaning);
  const term = markup`<span data-tip="${meaning}" title="${meaning}" tabindex="0">${labelOf(entry, mark)}</span>${unitName === '' ? null : markup` <small>${unitName}</small>`}`;
  return metricRow(term, { name, format }, record);
}

function metricRow(
  term: Markup,
  { name, format }: Readonly<{ name: string; format: Format }>,
  { metrics, notes }: RunRecord,
): Markup {
  const value = metrics[name] ?? null;
  const cell =
    value === null
      ? markup`<td class="none">N/A <small>${notes[name] ?? 'no reason given'}</small></td>`
      : markup`<td>${written(value, format)}</td>`;
  return markup`<tr><th scope="row">${term}</th>${cell}</tr>\n`;
}
