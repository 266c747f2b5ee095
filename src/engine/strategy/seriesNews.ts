import { hashRows, rowsOf, type SeriesColumns } from '../../market/datedSeries.ts';
import type { JournalEntry, JournalEventOf } from '../../domain/journalEvent.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { SeriesEvent } from '../state/kernelEvent.ts';
import type { StrategyInstance, StrategySetup } from './strategyInstance.ts';

type Strategies = ReadonlyMap<string, StrategyInstance>;

export function recordSeries(context: EngineContext, strategies: Strategies): void {
  for (const { id, series } of strategies.values())
    for (const [name, { columns }] of series) record(context, { strategyId: id, name }, columns);
}

/** Applies a changed file. If it cannot be read, an alarm is raised and the previous rows stay. */
export function takeSeries(context: EngineContext, strategies: Strategies, event: SeriesEvent): void {
  const { strategyId, name, read } = event;
  const about = `series ${strategyId} ${name}`;
  if ('problem' in read) {
    context.problems.stand(about, { since: context.now, text: read.problem });
    return context.alarm(
      about,
      `the series ${name} is kept as it was read before, because its file cannot be read: ${read.problem}`,
      { code: 'SERIES_UNREADABLE', strategyId },
    );
  }
  const series = strategies.get(strategyId)?.series.get(name);
  if (!series) return;
  if (context.problems.end(about) !== undefined)
    context.allClear(about, `the file of the series ${name} can be read again`, strategyId);
  const before = series.columns;
  if (hashRows(before) === hashRows(read.rows)) return;
  series.replace(read.rows);
  record(context, event, read.rows);
  context.notify('strategy', changeText(name, before, read.rows), strategyId);
}

/** Text saying how many rows a change brought, and whether rows that the strategy may have seen have changed. */
function changeText(name: string, before: SeriesColumns, now: SeriesColumns): string {
  const [had, has] = [before.known.length, now.known.length];
  const isLonger = has >= had && hashRows(rowsOf(now, 0, had)) === hashRows(before);
  const rows = has === 1 ? '1 row' : `${has} rows`;
  return isLonger
    ? `its series ${name} has ${rows} now, ${has - had} of them new`
    : `its series ${name} has ${rows} now, and rows that it had before (${had}) have changed`;
}

type SeriesFact = JournalEventOf<'series'>;

/** The rows that a run had: the first ones of the current file if it has only grown since; otherwise null. */
function rowsThen(present: SeriesColumns | undefined, { rows, hash }: SeriesFact): SeriesColumns | null {
  const first = present && rowsOf(present, 0, rows);
  return first && hashRows(first) === hash ? first : null;
}

/** Shows a replay the rows that the run had, or the current ones if they have changed. */
export function replaySeries(strategies: Strategies, fact: SeriesFact): void {
  const strategy = strategies.get(fact.strategyId);
  const present = strategy?.setup.series?.get(fact.name);
  if (present) strategy?.series.get(fact.name)?.replace(rowsThen(present, fact) ?? present);
}

/** Dated series of a journal whose rows have changed since, as `STRATEGY NAME`: a replay shows different ones. */
export function changedSeries(
  entries: Iterable<JournalEntry>,
  setups: readonly Pick<StrategySetup, 'id' | 'series'>[],
): string[] {
  const changed = new Set<string>();
  for (const { fact } of entries) {
    if (fact.kind !== 'series') continue;
    const present = setups.find(({ id }) => id === fact.strategyId)?.series?.get(fact.name);
    if (!rowsThen(present, fact)) changed.add(`${fact.strategyId} ${fact.name}`);
  }
  return [...changed];
}

type SeriesKey = Readonly<{ strategyId: string; name: string }>;

const record = (context: EngineContext, { strategyId, name }: SeriesKey, columns: SeriesColumns): void =>
  context.record({ kind: 'series', strategyId, name, rows: columns.known.length, hash: hashRows(columns) });
