import type { StrategyView, Status } from '../../../ops/model/status.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { Connection } from '../../connection/connection.ts';
import { Change, money, partOf, price, Profit, shares } from '../../parts/amounts.tsx';
import { written } from '../../../figures/format.ts';
import { Figures } from '../../parts/figures.tsx';
import { Fact } from '../../parts/fact.tsx';
import { useReading } from '../../parts/reading.ts';
import { Table } from '../../parts/table.tsx';
import { Problem, Words, words } from '../../parts/words.tsx';
import { hashOf, type Place } from '../../place.ts';
import { flatten, trade } from '../../steering/action.ts';
import { Commands } from '../../steering/progress.tsx';
import { Steer } from '../../steering/steering.tsx';
import { EQUITY_MS } from '../now/accountEquity.tsx';
import type { DayEquity } from '../../../ops/model/past.ts';
import { dayFigure } from './timeFigures.ts';
import { Decisions } from './decisions.tsx';
import { Lots, Parameters, TradesToday } from './recordTables.tsx';
import { sessionFigures } from './sessionFigures.ts';
import { Stocks } from './stock.tsx';
import { recordGrowth, recordPath, type StrategyRecord } from './strategyRecord.ts';
import type { ViewProps } from '../viewProps.ts';

/** Minimum time in ms between two reads of the strategy's record. */
const RECORD_MS = 1_000;

/** One strategy: its money, the prices it trades by, its decisions and holdings. */
export function StrategyPage({ daemon, place }: ViewProps) {
  const status = daemon.status.value;
  if (status === null) return <p class="none">Reading the status…</p>;
  const chosen = place.id ?? status.strategies[0]?.id ?? null;
  const strategy = status.strategies.find(({ id }) => id === chosen);
  return (
    <>
      {status.strategies.length < 2 ? null : <Choice status={status} place={place} chosen={chosen} />}
      {strategy ? (
        <One
          key={strategy.id}
          daemon={daemon}
          status={status}
          strategy={strategy}
          place={{ ...place, id: strategy.id }}
        />
      ) : (
        <p class="none">There is no such strategy in this run.</p>
      )}
    </>
  );
}

type ChoiceProps = Readonly<{ status: Status; place: Place; chosen: string | null }>;

const Choice = ({ status, place: { base }, chosen }: ChoiceProps) => (
  <ul class="fleet" aria-label="Strategies">
    {status.strategies.map(({ id }) => (
      <li key={id}>
        <a href={hashOf({ base, view: 'strategy', id })} aria-current={id === chosen ? 'true' : undefined}>
          {words(id)}
        </a>
      </li>
    ))}
  </ul>
);

type OneProps = Readonly<{ daemon: Connection; status: Status; strategy: StrategyView; place: Place }>;

function One({ daemon, status, strategy, place }: OneProps) {
  const of = encodeURIComponent(strategy.id);
  const record = useReading<StrategyRecord>(daemon, recordPath(strategy.id), {
    againMs: RECORD_MS,
    growth: recordGrowth(strategy.id),
  });
  const day = useReading<DayEquity>(daemon, `v1/day?strategy=${of}`, {
    againMs: EQUITY_MS,
    isOfPrices: true,
  });
  return (
    <>
      <h2>
        <Words text={strategy.id} />
      </h2>
      <Money strategy={strategy} />
      {daemon.maySteer ? (
        <p class="choices">
          <Steer
            daemon={daemon}
            action={trade(strategy.state === 'active' || strategy.state === 'stopped' ? 'halted' : 'active', {
              strategy: strategy.id,
            })}
          />
          <Steer daemon={daemon} action={flatten({ strategy: strategy.id })} />
        </p>
      ) : null}
      <Commands daemon={daemon} />
      <Problem text={record.problem ?? day.problem} />
      <Positions daemon={daemon} strategy={strategy} />
      {day.value === null || day.value.at.length === 0 ? null : (
        <Figures figures={[dayFigure(day.value)]} id="day" />
      )}
      <Stocks {...{ daemon, status, strategy, place, record: record.value }} />
      {record.value === null ? null : (
        <>
          <TradesToday record={record.value} now={status.now} />
          <Sessions record={record.value} />
          <Decisions record={record.value} now={status.now} place={place} />
          <Lots record={record.value} now={status.now} />
          <Parameters record={record.value} />
        </>
      )}
    </>
  );
}

function Money({ strategy: { state, stopped, equity, cash, pnl } }: Pick<OneProps, 'strategy'>) {
  return (
    <dl class="figures">
      <Fact title="State" mark={stopped === null ? '' : 'loss'} of={stopped && <Words text={stopped} />}>
        {stopped === null ? state : 'stopped'}
      </Fact>
      <Fact title="Equity, mUSD" of={`cash ${money(cash)}`}>
        {money(equity)}
      </Fact>
      <Fact title="Today, mUSD">
        <Profit amount={pnl.today} />
      </Fact>
      <Fact title="Total, mUSD" of={`fees ${money(pnl.fees)}`}>
        <Profit amount={pnl.total} />
      </Fact>
    </dl>
  );
}

const POSITIONS = [
  { title: 'Symbol' },
  { title: 'Shares', isNumber: true },
  { title: 'Average price', unit: 'mUSD', isNumber: true },
  { title: 'Price', unit: 'mUSD', isNumber: true },
  { title: 'Over 24 h', isNumber: true },
  { title: 'Volume over 24 h', isNumber: true },
  { title: 'Worth', unit: 'mUSD', isNumber: true },
  { title: 'Of its equity', isNumber: true },
  { title: 'Unrealised', unit: 'mUSD', isNumber: true },
];

function Positions({ daemon, strategy: { id, equity, positions } }: Pick<OneProps, 'daemon' | 'strategy'>) {
  const rows = positions.map(({ symbol, value, unrealised, ...held }) => ({
    key: symbol,
    cells: [
      symbol,
      shares(held.shares),
      price(held.averagePrice),
      price(held.price),
      <Change of={held.change24h} />,
      held.volume24h == null ? '–' : written(held.volume24h, 'volume'),
      money(value),
      partOf(value, equity),
      <Profit amount={unrealised} />,
    ],
    steering: daemon.maySteer ? <Steer daemon={daemon} action={flatten({ strategy: id, symbol })} /> : null,
  }));
  return (
    <>
      <h2>Positions</h2>
      <Table name="Positions" columns={POSITIONS} rows={rows} empty="It holds no stock." />
    </>
  );
}

/** The strategy's money by session. */
function Sessions({ record }: Readonly<{ record: RunRecord }>) {
  const { marks } = record;
  if (marks.length < 2)
    return (
      <p class="none">Equity, drawdown and exposure by session are drawn once there are two sessions.</p>
    );
  return <Figures figures={sessionFigures(record)} id="equity" sessions={marks.map(({ date }) => date)} />;
}
