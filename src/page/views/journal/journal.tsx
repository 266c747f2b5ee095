import { useEffect, useMemo } from 'preact/hooks';
import { browser } from '../../browser.ts';
import type { EntryView } from '../../connection/connection.ts';
import { Filters } from '../../parts/filters.tsx';
import { Json } from '../../parts/json.tsx';
import { Pages } from '../../parts/pages.ts';
import { isPrice, useReading } from '../../parts/reading.ts';
import { newYorkTime } from '../../parts/times.ts';
import { WindowedTable, type ListColumn } from '../../parts/windowedTable.tsx';
import { Words } from '../../parts/words.tsx';
import { hashOf, type Place } from '../../place.ts';
import type { ViewProps } from '../views.ts';
import { gistOf, KINDS } from './gist.ts';

/** Rows of one page. */
const COUNT = 500;

/** Everything that the run has written down, newest first. */
export function JournalView({ daemon, place }: ViewProps) {
  const search = new URLSearchParams([...place.query, ['count', String(COUNT)]]).toString();
  const pages = useMemo(() => {
    const read = async (before: number | null) => {
      const from = before === null ? '' : `&before=${before}`;
      const page = await daemon.get<Readonly<{ entries: readonly EntryView[]; next: number | null }>>(
        `v1/journal/search?${search}${from}`,
      );
      return { rows: page.entries, next: page.next };
    };
    return new Pages<EntryView>(read, browser);
  }, [daemon, search]);
  const kind = place.query.get('kind') ?? null;
  useEffect(() => {
    const unlisten = daemon.onEntry((entry) => {
      if (kind === null ? !isPrice(entry) : entry.kind === kind) pages.unseen.value++;
    });
    return () => {
      unlisten();
      pages.close();
    };
  }, [daemon, pages, kind]);
  const status = daemon.status.value;
  return (
    <>
      <h2>Journal</h2>
      {place.id === null ? null : <Entry daemon={daemon} place={place} id={place.id} />}
      <Filters
        place={place}
        fields={[
          { name: 'kind', title: 'Kind', choices: KINDS },
          {
            name: 'strategy',
            title: 'Strategy',
            choices: status?.strategies.map(({ id }) => id) ?? [],
          },
          { name: 'symbol', title: 'Symbol' },
          { name: 'text', title: 'Text' },
        ]}
      />
      <WindowedTable
        key={search}
        name="Journal"
        rowsName="entries"
        pages={pages}
        columns={columnsOf(place, status?.now ?? null)}
        empty="No entry matches. Prices are shown where their kind is chosen."
      />
    </>
  );
}

const columnsOf = (place: Place, now: string | null): ListColumn<EntryView>[] => [
  {
    title: 'Entry',
    isNumber: true,
    cell: ({ seq }) => <a href={hashOf({ ...place, id: String(seq) })}>{seq}</a>,
  },
  { title: 'Time', cell: ({ at }) => newYorkTime(at, now ?? at) },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'Content', cell: (entry) => <Words text={gistOf(entry)} /> },
];

/** One entry, whole. */
function Entry({ daemon, place, id }: Pick<ViewProps, 'daemon' | 'place'> & Readonly<{ id: string }>) {
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : 0;
  const path = `v1/journal?after=${Math.max(seq - 1, 0)}&limit=1`;
  const { value, problem } = useReading<Readonly<{ entries: readonly EntryView[] }>>(daemon, path);
  const entry = value?.entries.find((one) => one.seq === seq);
  return (
    <section class="panel" aria-label={`Entry ${seq}`}>
      <p>
        <strong>Entry {seq}</strong> <a href={hashOf({ ...place, id: null })}>Close</a>
      </p>
      {entry ? <Json name={`entry ${seq}`} value={entry} /> : null}
      {value !== null && !entry ? <p class="none">The journal has no such entry.</p> : null}
      {problem === null ? null : (
        <p class="loss" role="alert">
          <Words text={problem} whole />
        </p>
      )}
    </section>
  );
}
