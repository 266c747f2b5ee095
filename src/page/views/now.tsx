import type { Status } from '../../ops/model/status.ts';
import { money, Profit } from '../parts/amounts.tsx';
import { Table } from '../parts/table.tsx';
import { words } from '../parts/words.ts';
import { newYorkTime, span } from '../parts/times.ts';
import type { ViewProps } from './views.ts';

/** The run on one screen: what it does, what it is worth, and what wants a person. */
export function Now({ daemon }: ViewProps) {
  const status = daemon.status.value;
  if (status === null) return <p class="none">Reading the status…</p>;
  return (
    <>
      <Head status={status} />
      <Attention status={status} />
      <h2>Strategies</h2>
      <Strategies status={status} />
      <h2>Open orders</h2>
      <OpenOrders status={status} />
    </>
  );
}

type Shown = Readonly<{ status: Status }>;

function Head({ status }: Shown) {
  const { state, session, now, equity, pnl, freshness } = status;
  const of = words([state.by, state.reason].filter((text) => text !== '').join(': '));
  return (
    <dl class="figures">
      <div>
        <dt>Trading</dt>
        <dd class={state.trading === 'active' ? '' : 'loss'}>{state.trading}</dd>
        <dd class="of">
          {of === '' ? '' : `${of}, `}since {newYorkTime(state.since, now)}
        </dd>
      </div>
      <div>
        <dt>New York</dt>
        <dd>{newYorkTime(now, now)}</dd>
        <dd class="of">{sessionText(session, now)}</dd>
      </div>
      <div>
        <dt>Equity, mUSD</dt>
        <dd>{money(equity)}</dd>
      </div>
      <div>
        <dt>Today, mUSD</dt>
        <dd>
          <Profit amount={pnl.today} />
        </dd>
      </div>
      <div>
        <dt>Age of quotes</dt>
        <dd>{span(freshness.quotesMs)}</dd>
        <dd class="of">
          orders {span(freshness.ordersMs)}, account {span(freshness.accountMs)}
        </dd>
      </div>
    </dl>
  );
}

function sessionText({ phase, open, close }: Status['session'], now: string): string {
  if (phase === 'regular' && close !== null) return `session until ${newYorkTime(close, now)}`;
  if (open !== null && open > now) return `${phase}, opens ${newYorkTime(open, now)}`;
  return phase;
}

/** What is unknown, frozen or different, and alarms that nobody has acknowledged. */
function Attention({ status: { todo, alarms, now } }: Shown) {
  const raised = alarms.filter(({ acknowledged }) => !acknowledged);
  if (todo.length + raised.length === 0) return null;
  return (
    <section class="attention" aria-label="Wants attention">
      <ul>
        {todo.map(({ text, command }) => (
          <li key={text}>
            {words(text)}
            {command === null ? null : (
              <>
                {' '}
                <code>{words(command)}</code>
              </>
            )}
          </li>
        ))}
        {raised.map(({ id, at, text }) => (
          <li key={id}>
            <time>{newYorkTime(at, now)}</time> {words(text)}
          </li>
        ))}
      </ul>
    </section>
  );
}

const STRATEGY_COLUMNS = [
  { title: 'Strategy' },
  { title: 'State' },
  { title: 'Equity', unit: 'mUSD', isNumber: true },
  { title: 'Today', unit: 'mUSD', isNumber: true },
  { title: 'Total', unit: 'mUSD', isNumber: true },
  { title: 'Holds' },
];

function Strategies({ status: { strategies, unallocated } }: Shown) {
  const all = [
    ...strategies.map((each) => ({
      ...each,
      name: words(each.id),
      state: words(each.stopped ?? each.state),
    })),
    { ...unallocated, id: '', name: 'unallocated', state: '' },
  ];
  const rows = all.map(({ id, name, state, equity, pnl, positions }) => ({
    key: id,
    cells: [
      name,
      state,
      money(equity),
      <Profit amount={pnl.today} />,
      <Profit amount={pnl.total} />,
      positions.map(({ symbol }) => words(symbol)).join(', '),
    ],
  }));
  return <Table name="Strategies" columns={STRATEGY_COLUMNS} rows={rows} empty="No strategy runs." />;
}

const ORDER_COLUMNS = [
  { title: 'Order' },
  { title: 'Strategy' },
  { title: 'Status' },
  { title: 'Age', isNumber: true },
  { title: 'Reason' },
];

function OpenOrders({ status: { orders } }: Shown) {
  const rows = orders.map(({ id, text, strategy, status, ageMs, reason }) => ({
    key: id,
    cells: [words(text), words(strategy), status, span(ageMs), words(reason)],
  }));
  return <Table name="Open orders" columns={ORDER_COLUMNS} rows={rows} empty="No order is open." />;
}
