import type { HeldOrderView } from '../../../ops/model/status.ts';
import { grouped, price } from '../../parts/amounts.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkTime, span } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { cancelOrders } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';
import { grown, latestPrice, type LiveStatus } from './shown.ts';

const OPEN_COLUMNS = [
  { title: 'Order' },
  { title: 'Strategy' },
  { title: 'Status' },
  { title: 'Age', isNumber: true },
  { title: 'Reason', isLong: true },
];

/** Orders at the venue, or being sent there. */
export function OpenOrders({ daemon, status }: LiveStatus) {
  const nowMs = daemon.now.value;
  const rows = status.orders.map(({ id, text, strategy, status: state, ageMs, reason, tag }) => ({
    key: id,
    cells: [
      <Words text={text} />,
      <Words text={strategy} />,
      <span class={state === 'unknown' ? 'loss' : ''}>
        <Words text={state} />
      </span>,
      span(grown(ageMs, status, nowMs)),
      <Words text={tag === null ? reason : `${reason} [${tag}]`} />,
    ],
    steering: daemon.maySteer ? <Steer daemon={daemon} action={cancelOrders([id])} /> : null,
  }));
  return (
    <>
      <h2>Open orders</h2>
      <Table name="Open orders" columns={OPEN_COLUMNS} rows={rows} empty="No order is open." />
    </>
  );
}

const WAITING_COLUMNS = [{ title: 'Intent' }, { title: 'Strategy' }, { title: 'Not before' }];

/** Intents without an order yet. */
export function WaitingIntents({ daemon, status: { waiting, now } }: LiveStatus) {
  if (waiting.length === 0) return null;
  const rows = waiting.map(({ id, text, strategy, notBefore }) => ({
    key: id,
    cells: [<Words text={text} />, <Words text={strategy} />, newYorkTime(notBefore, now)],
    steering: daemon.maySteer ? <Steer daemon={daemon} action={cancelOrders([id])} /> : null,
  }));
  return (
    <>
      <h2>Waiting</h2>
      <Table name="Waiting" columns={WAITING_COLUMNS} rows={rows} empty="" />
    </>
  );
}

const HELD_COLUMNS = [
  { title: 'Held by the bot' },
  { title: 'Strategy' },
  { title: 'State', isLong: true },
  { title: 'Stop', unit: 'mUSD', isNumber: true },
  { title: 'Distance', unit: '%', isNumber: true },
  { title: 'Price', unit: 'mUSD', isNumber: true },
];

/** Orders held by the bot, such as stops: they only work while the run is active. */
export function HeldOrders({ daemon, status }: LiveStatus) {
  const { heldOrders } = status;
  if (heldOrders.length === 0) return null;
  const prices = daemon.prices.value;
  const rows = heldOrders.map((held) => ({
    key: held.id,
    cells: [
      <Words text={held.text} />,
      <Words text={held.strategy} />,
      <HeldState held={held} />,
      price(held.stop),
      held.stopDistancePercent === null ? '–' : grouped(held.stopDistancePercent.toFixed(2)),
      price(latestPrice(held.price, status, prices.get(held.symbol))),
    ],
    steering: daemon.maySteer ? <Steer daemon={daemon} action={cancelOrders([held.id])} /> : null,
  }));
  return (
    <>
      <h2>Held orders</h2>
      <Table name="Held orders" columns={HELD_COLUMNS} rows={rows} empty="" />
    </>
  );
}

const HeldState = ({ held: { stateText, suspended } }: Readonly<{ held: HeldOrderView }>) =>
  suspended === null ? (
    <Words text={stateText} />
  ) : (
    <span class="loss">
      <Words text={`${stateText}: ${suspended}`} />
    </span>
  );
