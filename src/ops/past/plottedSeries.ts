import type { PlottedSeries } from '../../domain/plots.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { PlotAnswer, PlottedColumns } from '../model/past.ts';
import type { PlotQuery } from './question.ts';

/** Most values of a series in an answer: those before are left out. */
const VALUES_MAX = 5_000;

/** What a strategy has plotted, from the journal. */
export function plottedSeries(
  reader: Pick<JournalReader, 'backwards'>,
  { strategy, symbol, intervalMs, from, to }: PlotQuery,
): PlotAnswer {
  const found = new Map<string, PlottedColumns>();
  const isWanted = (of: string | undefined) => symbol === null || of === undefined || of === symbol;
  const take = (plotted: PlottedSeries): number => {
    const series = seriesIn(found, plotted);
    for (let index = plotted.at.length - 1; index >= 0; index--) {
      const at = plotted.at[index] ?? NaN;
      if (at < from || at >= to || isSameStretch(series.at.at(-1), at, intervalMs)) continue;
      if (series.at.length === VALUES_MAX) break;
      series.at.push(at);
      series.values.push(plotted.values[index] ?? null);
    }
    return series.at.length;
  };
  for (const { at, fact } of reader.backwards(['plotted'], Infinity)) {
    if (at < from) break;
    if (fact.kind !== 'plotted' || fact.strategyId !== strategy) continue;
    const lengths = fact.series.filter((plotted) => isWanted(plotted.symbol)).map(take);
    if (Math.max(0, ...lengths) >= VALUES_MAX) break;
  }
  const series = [...found.values()].filter(({ at }) => at.length > 0);
  for (const { at, values } of series) for (const column of [at, values]) column.reverse();
  return { intervalMs, series };
}

function seriesIn(
  found: Map<string, PlottedColumns>,
  { name, symbol, panel }: PlottedSeries,
): PlottedColumns {
  const key = JSON.stringify([name, symbol, panel]);
  const known = found.get(key) ?? { name, symbol: symbol ?? null, panel: panel ?? null, at: [], values: [] };
  found.set(key, known);
  return known;
}

const isSameStretch = (later: number | undefined, at: number, intervalMs: number): boolean =>
  later !== undefined && Math.floor(later / intervalMs) === Math.floor(at / intervalMs);
