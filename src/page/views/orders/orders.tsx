import type { OrderRow } from '../../../ops/model/past.ts';
import { isNothing, money, price, shares } from '../../parts/amounts.tsx';
import { Filters } from '../../parts/filters.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { SearchList, type ListColumn } from '../../parts/windowedTable.tsx';
import { Words } from '../../parts/words.tsx';
import { hashOf, type Place } from '../../place.ts';
import { OrderLifeView } from './life.tsx';
import { EndedWith, sizeOf } from './status.tsx';
import type { ViewProps } from '../viewProps.ts';

/** States that a list can be filtered by. */
const STATUSES =
  'open filled cancelled expired rejected refused reverted neverExisted abandoned unknown working'.split(' ');

/** Orders of the whole journal, the latest first, or the history of one order. */
export function Orders({ daemon, place }: ViewProps) {
  return place.id === null ? (
    <OrderList daemon={daemon} place={place} />
  ) : (
    <OrderLifeView daemon={daemon} place={place} id={place.id} />
  );
}

function OrderList({ daemon, place }: Pick<ViewProps, 'daemon' | 'place'>) {
  const status = daemon.status.value;
  const strategies = status?.strategies.map(({ id }) => id) ?? [];
  const now = status?.now ?? '';
  return (
    <>
      <h2>Orders</h2>
      <Filters
        place={place}
        fields={[
          { name: 'strategy', title: 'Strategy', choices: strategies },
          { name: 'symbol', title: 'Symbol' },
          { name: 'status', title: 'State', choices: STATUSES },
          { name: 'date', title: 'Day', type: 'date' },
          { name: 'text', title: 'Id, reason or tag contains' },
        ]}
      />
      <SearchList
        daemon={daemon}
        place={place}
        of="orders"
        isNews={({ kind }) => kind === 'planned' || kind === 'order'}
        name="Orders"
        rowsName="orders"
        columns={columnsOf(place, now)}
        empty={place.query.size === 0 ? 'There is no order yet.' : 'No order matches.'}
      />
    </>
  );
}

const columnsOf = ({ base }: Place, now: string): ListColumn<OrderRow>[] => [
  {
    title: 'Order',
    span: 4,
    cell: ({ id }) => (
      <a href={hashOf({ base, view: 'orders', id })}>
        <Words text={id} />
      </a>
    ),
  },
  { title: 'State', span: 2, cell: (row) => <EndedWith row={row} /> },
  {
    title: 'Planned',
    span: 3,
    cell: ({ plannedAt }) => newYorkTime(plannedAt, now === '' ? plannedAt : now),
  },
  { title: 'Side', span: 1, cell: ({ side }) => side },
  { title: 'Symbol', span: 2, cell: ({ symbol }) => <Words text={symbol} /> },
  { title: 'Size', isNumber: true, span: 2, cell: sizeOf },
  { title: 'Limit', unit: 'mUSD', isNumber: true, span: 2, cell: ({ limit }) => price(limit ?? null) },
  {
    title: 'Filled',
    unit: 'shares',
    isNumber: true,
    span: 2,
    cell: ({ filled }) => (isNothing(filled) ? '–' : shares(filled)),
  },
  { title: 'Price', unit: 'mUSD', isNumber: true, span: 2, cell: (row) => price(row.price) },
  { title: 'Strategy', span: 4, cell: ({ strategy }) => <Words text={strategy} /> },
  { title: 'Fees', unit: 'mUSD', isNumber: true, cell: ({ fees }) => money(fees) },
  {
    title: 'Reason',
    cell: ({ reason, tag, why }) => (
      <Words
        text={[reason, tag === null ? '' : `[${tag}]`, why ?? ''].filter((text) => text !== '').join(' ')}
      />
    ),
  },
];
