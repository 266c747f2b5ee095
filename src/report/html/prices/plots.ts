import { counted } from '../../../core/counted.ts';
import type { Markup } from '../../../figures/markup.ts';
import { drawnSeries, heldValues, panelsOf, placeAmong, type Series } from '../../../figures/series.ts';
import { sessionChart } from '../../../figures/sessionChart.ts';
import { placeOfMinute } from '../../../figures/intraday.ts';
import { newYorkMinute } from '../../../calendar/index.ts';
import type { RunView } from '../runView.ts';
import { minuteAlong, sessionOf } from './places.ts';

type PlotRecord = NonNullable<RunView['record']['plots']>[number];

/** Plotted series of a run, with distinct names. */
const plotsOf = ({ record: { plots = [] } }: RunView): readonly PlotRecord[] => {
  const isOfMany = new Set(plots.map(({ strategy }) => strategy)).size > 1;
  return isOfMany ? plots.map((plot) => ({ ...plot, name: `${plot.strategy}: ${plot.name}` })) : plots;
};

/** Series drawn over the candles of a stock. */
export const overlaid = (view: RunView, symbol: string): readonly PlotRecord[] =>
  plotsOf(view).filter((plot) => plot.symbol === symbol && plot.panel === null);

/** Overlay series with the last value for each candle. @param starts of the candles */
export function overlayOf(view: RunView, symbol: string, starts: readonly number[]) {
  const placeOf = (at: number) => placeAmong(starts, at);
  const series = overlaid(view, symbol).map((plot) => ({
    name: plot.name,
    values: heldValues(plot, starts.length, placeOf),
  }));
  return drawnSeries(series, 'price');
}

/** Panels of a stock, or of whole strategies (null). @param id of the first panel; the others derive theirs from it */
export function panelCharts(view: RunView, symbol: string | null, id: string): Markup[] {
  const panels = [...panelsOf(plotsOf(view), symbol)];
  return panels.map(([title, series], index) =>
    panelChart(view, {
      id: `${id}-${index + 1}`,
      title: symbol === null ? title : `${symbol}: ${title}`,
      series,
    }),
  );
}

type Panel = Readonly<{ id: string; title: string; series: readonly Series[] }>;

function panelChart(view: RunView, { id, title, series }: Panel): Markup {
  const { dates, mark } = view;
  const points = pointsWithin(dates, series);
  const [count, placeOf] = points
    ? [points.instants.length, (at: number) => placeAmong(points.instants, at)]
    : [dates.length, (at: number) => sessionOf(dates, at)];
  const values = series.map(({ name, ...own }) => ({
    name,
    values: heldValues({ name, ...own }, count, placeOf),
  }));
  const { linesFrom } = drawnSeries(values, 'general');
  const styles = linesFrom(0).map(({ style }) => style);
  const many = Math.max(...series.map(({ at }) => at.length));
  return sessionChart({
    id,
    title,
    mark,
    dates,
    ...(points && { points }),
    summary: `Plotted by the strategy: ${counted(many, 'value')}${series.length > 1 ? ` of each of ${series.length} series` : ''}.`,
    unit: series.map(({ name }) => name).join(', '),
    format: 'general',
    height: 'low',
    wide: true,
    lines: values.map(({ name, values: own }, index) => ({ name, values: own, style: styles[index] ?? '' })),
  });
}

type Points = Readonly<{ instants: readonly number[]; at: readonly number[]; times: readonly string[] }>;

/** Instants of series with several values in a session; null if each has at most one. */
function pointsWithin(dates: readonly string[], series: readonly Series[]): Points | null {
  const hasSeveral = series.some(({ at }) =>
    at.some((each, index) => index > 0 && sessionOf(dates, each) === sessionOf(dates, at[index - 1] ?? NaN)),
  );
  if (!hasSeveral) return null;
  const instants = [...new Set(series.flatMap(({ at }) => at))]
    .filter((at) => sessionOf(dates, at) >= 0)
    .sort((one, other) => one - other);
  const times = instants.map(newYorkMinute);
  return { instants, times, at: instants.map((at) => placeOfMinute(minuteAlong(dates, at))) };
}
