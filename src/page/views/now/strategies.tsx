import type { PositionView, Status, StrategyView } from '../../../ops/model/status.ts';
import { Change, money, partOf, price, Profit, shares } from '../../parts/amounts.tsx';
import { Changed } from '../../parts/changed.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { hashOf } from '../../place.ts';
import { flatten, trade } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';
import { DayLine } from './dayLine.tsx';
import { latestPrice, type LiveStatus } from './shown.ts';
import type { Moment } from './today.ts';

const COLUMNS = [
  { title: 'Strategy' },
  { title: 'State' },
  { title: 'Equity', unit: 'mUSD', isNumber: true },
  { title: 'Today', unit: 'mUSD', isNumber: true },
  { title: 'Since the open' },
  { title: 'Total', unit: 'mUSD', isNumber: true },
  { title: 'Next' },
];

/** Money of each strategy, and unallocated money; together that of the account. */
export function Strategies({
  daemon,
  status,
  moments,
}: LiveStatus & Readonly<{ moments: readonly Moment[] }>) {
  const { strategies, unallocated, now, session, equity, pnl } = status;
  const rows = [
    ...strategies.map((strategy) => ({
      key: strategy.id,
      cells: [
        <a href={hashOf({ base: daemon.base, view: 'strategy', id: strategy.id })}>
          <Words text={strategy.id} />
        </a>,
        <Words text={stateOf(strategy)} />,
        <Changed text={money(strategy.equity)} />,
        <Profit amount={strategy.pnl.today} />,
        <DayLine
          {...{ moments, session }}
          of={({ profits }) => profits.get(strategy.id) ?? null}
          name={strategy.id}
        />,
        <Profit amount={strategy.pnl.total} />,
        nextText(strategy, now),
      ],
      steering: daemon.maySteer ? <Buttons daemon={daemon} strategy={strategy} /> : null,
    })),
    beside('unallocated', unallocated),
    // The value of unallocated stock at the start of the day is unknown.
    beside('together', {
      equity,
      pnl: { ...pnl, today: unallocated.positions.length === 0 ? pnl.today : null },
    }),
  ];
  return (
    <>
      <h2>Strategies</h2>
      {strategies.length === 0 ? <p class="none">No strategy runs.</p> : null}
      <Table name="Strategies" columns={COLUMNS} rows={rows} empty="" />
      <Positions daemon={daemon} status={status} />
    </>
  );
}

/** Row of money that does not belong to a strategy. */
const beside = (name: string, { equity, pnl }: Pick<Status['unallocated'], 'equity' | 'pnl'>) => ({
  key: ` ${name}`,
  cells: [name, '', money(equity), <Profit amount={pnl.today} />, '', <Profit amount={pnl.total} />, ''],
});

/** Event at which a strategy may decide next, with its time. */
function nextText({ nextDecision, nextTimer }: StrategyView, now: string): string {
  const { on, at } = nextDecision ?? { on: '', at: nextTimer?.at ?? null };
  const time = at === null ? '' : newYorkTime(at, now);
  const words = [time.startsWith(on) ? '' : on, time].filter((word) => word !== '');
  return words.length === 0 ? '–' : words.join(' ');
}

function stateOf({ state, stopped, warmUp }: StrategyView): string {
  if (stopped !== null) return `stopped: ${stopped}`;
  return warmUp === null ? state : `${state}, warming up`;
}

function Buttons({
  daemon,
  strategy: { id, state },
}: Readonly<{ daemon: LiveStatus['daemon']; strategy: StrategyView }>) {
  const scope = { strategy: id };
  return (
    <span class="choices">
      {state === 'halted' ? null : <Steer daemon={daemon} action={trade('halted', scope)} />}
      {state === 'active' ? <Steer daemon={daemon} action={trade('reducing', scope)} /> : null}
      <Steer daemon={daemon} action={flatten(scope)} />
    </span>
  );
}

const POSITION_COLUMNS = [
  { title: 'Symbol' },
  { title: 'Strategy' },
  { title: 'Shares', isNumber: true },
  { title: 'Average price', unit: 'mUSD', isNumber: true },
  { title: 'Price', unit: 'mUSD', isNumber: true },
  { title: 'Over 24 h', isNumber: true },
  { title: 'Worth', unit: 'mUSD', isNumber: true },
  { title: 'Of the equity', isNumber: true },
  { title: 'Unrealised', unit: 'mUSD', isNumber: true },
];

function Positions({ daemon, status }: LiveStatus) {
  const { strategies, unallocated } = status;
  const prices = daemon.prices.value;
  const held = [
    ...strategies.flatMap(({ id, positions }) => positions.map((position) => ({ ...position, id }))),
    ...unallocated.positions.map((position) => ({ ...position, id: '' })),
  ];
  const rows = held.map((position: PositionView & { id: string }) => {
    const { id, symbol, averagePrice, value, unrealised } = position;
    return {
      key: `${id} ${symbol}`,
      cells: [
        <Words text={symbol} />,
        <Words text={id === '' ? 'unallocated' : id} />,
        shares(position.shares),
        price(averagePrice),
        <Changed text={price(latestPrice(position.price, status, prices.get(symbol)))} />,
        <Change of={position.change24h} />,
        money(value),
        partOf(value, status.equity),
        <Profit amount={unrealised} />,
      ],
    };
  });
  return (
    <>
      <h2>Positions</h2>
      <Table name="Positions" columns={POSITION_COLUMNS} rows={rows} empty="No shares held." />
      {status.premiums?.map(({ symbol, text }) => (
        <p key={symbol}>
          <Words text={`Premium of the token of ${text}`} />
        </p>
      ))}
    </>
  );
}
