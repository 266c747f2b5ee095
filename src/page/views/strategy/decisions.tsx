import type { RunRecord } from '../../../report/runRecord.ts';
import { Filters } from '../../parts/filters.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { hashOf, type Place } from '../../place.ts';
import { endText, matching } from './decisionList.ts';

/** Maximum number of decisions shown; older ones can be found by searching. */
const SHOWN = 50;

/** Columns of the list; the tag column is omitted if there are no tags. */
const columnsOf = (hasTags: boolean) => [
  { title: 'Time' },
  { title: 'Decision', isLong: true },
  { title: 'Reason', isLong: true },
  ...(hasTags ? [{ title: 'Tag' }] : []),
  { title: 'Result' },
  { title: 'Orders', isLong: true },
];

type DecisionsProps = Readonly<{ record: RunRecord; now: string; place: Place }>;

/** Decisions of a strategy that match the text in the URL, newest first, with reasons and outcomes. */
export function Decisions({ record, now, place }: DecisionsProps) {
  const all = record.decisions ?? [];
  const hasTags = all.some(({ tag }) => tag !== undefined);
  const found = matching(all, place.query.get('text') ?? '');
  const rows = found.slice(0, SHOWN).map((decision) => ({
    key: decision.id,
    cells: [
      newYorkTime(new Date(decision.at).toISOString(), now),
      <Words text={decision.terms} />,
      <Words text={decision.reason} />,
      ...(hasTags ? [<Words text={decision.tag ?? ''} />] : []),
      <Words text={endText(decision)} />,
      <OrdersOf record={record} id={decision.id} base={place.base} />,
    ],
  }));
  const ofStrategy = place.id === null ? [] : [['strategy', place.id] as const];
  return (
    <>
      <h2>Decisions</h2>
      <Filters
        place={place}
        name="Decisions"
        kept={['symbol']}
        fields={[{ name: 'text', title: 'Terms, reason, tag or result contains' }]}
      />
      <p class="of" role="status">
        {rows.length.toLocaleString('en-US')} of {all.length.toLocaleString('en-US')} decisions.{' '}
        <a href={hashOf({ base: place.base, view: 'orders', query: new Map(ofStrategy) })}>All its orders</a>
      </p>
      <Table
        name="Decisions"
        columns={columnsOf(hasTags)}
        rows={rows}
        empty={all.length === 0 ? 'It has made no decision yet.' : 'No decision matches.'}
      />
    </>
  );
}

type OrdersProps = Readonly<{ record: RunRecord; id: string; base: string }>;

/** Orders that resulted from a decision, each with its state. */
const OrdersOf = ({ record, id: decisionId, base }: OrdersProps) => (
  <>
    {(record.orderList ?? [])
      .filter(({ decision }) => decision === decisionId)
      .map(({ id, state }) => (
        <span key={id}>
          <a href={hashOf({ base, view: 'orders', id })}>
            <Words text={id} />
          </a>{' '}
          {state}{' '}
        </span>
      ))}
  </>
);
