import type { JournalEvent } from '../../../domain/journalEvent.ts';
import type { EntryView } from '../../connection/connection.ts';
import { entryText, eventOf, kindText, subjectOf } from '../../entries/entryText.ts';
import { Filters } from '../../parts/filters.tsx';
import { Json } from '../../parts/json.tsx';
import { isPrice, useReading } from '../../parts/reading.ts';
import { newYorkTime } from '../../parts/times.ts';
import { SearchList, type ListColumn } from '../../parts/windowedTable.tsx';
import { Problem, Words } from '../../parts/words.tsx';
import { hashOf, type Place } from '../../place.ts';
import type { ViewProps } from '../viewProps.ts';

/** Kinds of entries that lists are usually filtered by, under current names; a URL may name others. */
const KINDS = [
  'intentCreated',
  'intentDeferred',
  'intentEnded',
  'planned',
  'order',
  'fillDelivered',
  'syntheticPlaced',
  'syntheticMoved',
  'syntheticEnded',
  'operator',
  'restricted',
  'restrictionLifted',
  'logged',
  'plotted',
  'session',
  'split',
  'strategyStarted',
  'strategyStopped',
  'strategyState',
  'transferPlanned',
  'transfer',
  'balanceAccepted',
  'epoch',
  'ended',
  'quotes',
  'bar',
] as const satisfies readonly JournalEvent['kind'][];

/** Everything that the run has journaled, newest first. */
export function JournalView({ daemon, place }: ViewProps) {
  const kind = place.query.get('kind') ?? null;
  const status = daemon.status.value;
  return (
    <>
      <h2>Journal</h2>
      {place.id === null ? null : <Entry daemon={daemon} place={place} id={place.id} />}
      <Filters
        place={place}
        fields={[
          { name: 'kind', title: 'Kind', choices: KINDS, textOf: kindText },
          {
            name: 'strategy',
            title: 'Strategy',
            choices: status?.strategies.map(({ id }) => id) ?? [],
          },
          { name: 'symbol', title: 'Symbol' },
          { name: 'text', title: 'Text' },
        ]}
      />
      <SearchList
        daemon={daemon}
        place={place}
        of="journal"
        isNews={(entry) =>
          kind === null ? !isPrice(entry) : [entry.kind, eventOf(entry).kind].includes(kind)
        }
        name="Journal"
        rowsName="entries"
        columns={columnsOf(place, status?.now ?? null)}
        empty="No entry matches. To see prices, choose their kind."
      />
    </>
  );
}

/** Maximum number of characters of a two-line text on a narrow screen. */
const NARROW_MAX = 90;

const columnsOf = (place: Place, now: string | null): ListColumn<EntryView>[] => [
  {
    title: 'Entry',
    isNumber: true,
    span: 2,
    cell: ({ seq }) => <a href={hashOf({ ...place, id: String(seq) })}>{seq}</a>,
  },
  { title: 'Time', span: 4, cell: ({ at }) => newYorkTime(at, now ?? at) },
  { title: 'Kind', span: 3, cell: (entry) => kindText(eventOf(entry).kind) },
  { title: 'About', span: 3, cell: (entry) => <About entry={entry} base={place.base} /> },
  {
    title: 'What happened',
    span: 12,
    cell: (entry) => <Words text={entryText(entry)} narrow={NARROW_MAX} />,
  },
];

function About({ entry, base }: Readonly<{ entry: EntryView; base: string }>) {
  const subject = subjectOf(entry);
  if (subject === null) return '–';
  const { id, isOrder } = subject;
  if (!isOrder) return <Words text={id} />;
  return (
    <a href={hashOf({ base, view: 'orders', id })}>
      <Words text={id} />
    </a>
  );
}

/** One entry in full. */
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
      {entry ? <Whole entry={entry} /> : null}
      {value !== null && !entry ? <p class="none">The journal has no such entry.</p> : null}
      <Problem text={problem} />
    </section>
  );
}

/** Entry as stored, under the names with which it was first written. */
function Whole({ entry }: Readonly<{ entry: EntryView }>) {
  const { kind } = eventOf(entry);
  return (
    <>
      <p>
        <Words text={entryText(entry)} whole />
      </p>
      {kind === entry.kind ? null : (
        <p class="of">
          The journal row keeps the word it was first written with: {entry.kind} is what is called{' '}
          {kindText(kind)} today.
        </p>
      )}
      <Json name={`entry ${entry.seq}`} value={entry} />
    </>
  );
}
