import { counted } from '../../core/counted.ts';
import { monthTable, periodReturns } from '../../statistics/periods.ts';
import { barChart } from '../../figures/bandChart.ts';
import { signed } from '../../figures/format.ts';
import { markup, type Markup, scrolling } from '../../figures/markup.ts';
import type { BenchmarkView, RunView } from './runView.ts';
import { MONTH_NAMES } from '../../figures/axis.ts';
import { heatRange, heatScale, shade } from '../../figures/heat.ts';

const bare = (value: number): string => signed(value, 'percent1').replace('%', '');

export function monthlyTable({ sample }: RunView): Markup {
  const months = periodReturns(sample, 'month');
  const range = heatRange(
    months.map(({ value }) => value),
    { around0: true },
  );
  const cell = (value: number | null) =>
    value === null ? markup`<td></td>` : markup`<td class="${shade(value, range)}">${bare(value)}</td>`;
  const rows = monthTable(sample).map(
    ({ year, months: list, total }) =>
      markup`<tr><th scope="row">${year}</th>${list.map(cell)}<td class="total">${bare(total)}</td></tr>\n`,
  );
  const ordered = months.toSorted((one, other) => other.value - one.value);
  const [best, worst] = [ordered[0], ordered.at(-1)];
  const gains = months.filter(({ value }) => value > 0).length;
  const summary = `${gains} of ${counted(months.length, 'month')} gained; best ${best?.name ?? ''} ${signed(best?.value, 'percent')}, worst ${worst?.name ?? ''} ${signed(worst?.value, 'percent')}.`;
  const heads = ['%', ...MONTH_NAMES, 'Year'].map((name) => markup`<th scope="col">${name}</th>`);
  return markup`<section class="table-block wide" id="monthly"><h3>Monthly returns</h3><p class="summary">${summary}</p>${heatScale(range, (value) => signed(value, 'percent1'))}
${scrolling('Monthly returns in percent', markup`<table class="heat"><thead><tr>${heads}</tr></thead><tbody>\n${rows}</tbody></table>`)}</section>
`;
}

export function yearlyBars({ sample, dates, benchmark }: RunView): Markup {
  const years = periodReturns(sample, 'year');
  const labels = years.map(({ name }) => name);
  return barChart({
    id: 'yearly',
    title: 'Return by year',
    of: 'Year',
    unit: 'of the equity at its start',
    labels,
    summary: `${years.map(({ name, value }) => `${name} ${signed(value, 'percent')}`).join(', ')}.`,
    format: 'percent',
    series: [
      { name: 'Equity', values: years.map(({ value }) => value), style: 's1' },
      ...(benchmark ? [heldBy(benchmark, dates, labels)] : []),
    ],
  });
}

/** Benchmark returns by period, for periods with no unknown return. */
function heldBy({ symbol, returns }: BenchmarkView, dates: readonly string[], labels: readonly string[]) {
  const years = periodReturns({ returns: returns.map((value) => value ?? NaN), dates }, 'year');
  const known = new Map(years.flatMap(({ name, value }) => (Number.isNaN(value) ? [] : [[name, value]])));
  return { name: `Holding ${symbol}`, values: labels.map((year) => known.get(year) ?? null), style: 'held' };
}
