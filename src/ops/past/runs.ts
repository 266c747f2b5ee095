import { comparisonOf, type Comparison } from '../../report/comparison.ts';
import { headlineOf, withoutLists } from '../../report/headline.ts';
import type { RunRecord } from '../../report/runRecord.ts';
import type { RunRow } from '../model/past.ts';
import type { OwnRecords } from './ownRecords.ts';
import type { RecordKind } from './question.ts';
import { savedRecord, savedRecords } from './savedRecords.ts';

/** Sources of records: the folder of saved ones, and this run's journal, which is read on demand. */
export type RunSources = Readonly<{ folder: string; own: () => OwnRecords }>;

/**
 * Records of one kind or both, each with its headline: this run's first, then the newest files. `problem`: reason why there is no
 * `folder`; `left`: number of older files in it.
 */
export function listRuns(of: RecordKind, { folder, own }: RunSources) {
  const saved = of === 'live' ? null : savedRecords(folder);
  const files = [...(saved?.files ?? [])].map(({ name, savedAt, record, problem }): RunRow => {
    const headline = record && headlineOf(record);
    return { id: name, kind: 'saved', name, savedAt, headline, problem };
  });
  const runs = [...(of === 'saved' ? [] : ownRows(own())), ...files];
  return { folder, problem: saved?.problem ?? null, left: saved?.left ?? 0, runs };
}

export type RunList = Readonly<ReturnType<typeof listRuns>>;

const LIVE = 'live';

/** Rows of this run: of its account, of its strategies together if there are several, and of each strategy. */
function ownRows({ strategies, record }: OwnRecords): RunRow[] {
  const row = (id: string, name: string, of: string): RunRow => ({
    id,
    kind: 'live',
    name,
    savedAt: null,
    headline: headlineOf(record(of)),
    problem: null,
  });
  return [
    row(LIVE, 'whole account', 'account'),
    ...(strategies.length > 1 ? [row(`${LIVE}:strategies`, 'all strategies', 'strategies')] : []),
    ...strategies.map((id) => row(`${LIVE}:${id}`, id, id)),
  ];
}

/** Record of a run without its long lists. @throws {NothingFound} for an id that no run has */
export const runOf = (id: string, sources: RunSources): RunRecord =>
  withoutLists(recordOf(id, 'account', sources));

/** Owner in the journal named by an id; undefined for a file name, null for this run as a whole. */
function ownerIn(id: string): string | null | undefined {
  if (id === LIVE) return null;
  return id.startsWith(`${LIVE}:`) ? id.slice(LIVE.length + 1) : undefined;
}

/** @param whole owner that represents this run if the id names none */
function recordOf(id: string, whole: string, { folder, own }: RunSources): RunRecord {
  const owner = ownerIn(id);
  return owner === undefined ? savedRecord(folder, id) : own().record(owner ?? whole);
}

export type ComparedRun = Readonly<ReturnType<typeof comparedRun>>;

/** Two runs side by side, as `drover compare` shows them, with the equity of both. */
export type RunComparison = Readonly<{ a: ComparedRun; b: ComparedRun }> & Comparison;

/** Compares two runs. Beside a file, only this run's strategies are compared: a backtest has no unallocated assets. */
export function compareRuns(a: string, b: string, { folder, own }: RunSources): RunComparison {
  let known: OwnRecords | null = null;
  const sources = { folder, own: () => (known ??= own()) };
  const whole = [a, b].every((id) => ownerIn(id) !== undefined) ? 'account' : 'strategies';
  const [first, second] = [recordOf(a, whole, sources), recordOf(b, whole, sources)];
  return { a: comparedRun(a, first), b: comparedRun(b, second), ...comparisonOf(first, second) };
}

/** One of two runs: its description, and its equity at each mark. */
const comparedRun = (id: string, { run, totals, marks }: RunRecord) => ({
  id,
  run,
  totals: { equity: totals.equity },
  marks: marks.map(({ date, at, equity, flow, flowEquities }) => ({
    date,
    at,
    equity,
    ...(flow !== undefined && { flow }),
    ...(flowEquities && { flowEquities }),
  })),
});
