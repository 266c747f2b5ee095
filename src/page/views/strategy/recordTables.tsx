import type { RunRecord } from '../../../report/runRecord.ts';
import { Json } from '../../parts/json.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkDay, newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { written } from '../../../figures/format.ts';
import { tradesOn } from './decisionList.ts';

const timeOf = (at: number, now: string): string => newYorkTime(new Date(at).toISOString(), now);

type TableProps = Readonly<{ record: RunRecord; now: string }>;

const LOTS = [
  { title: 'Symbol' },
  { title: 'Bought' },
  { title: 'Shares', isNumber: true },
  { title: 'Cost', unit: 'mUSD', isNumber: true },
  { title: 'Reason' },
];

/** Lots held by the strategy. */
export function Lots({ record, now }: TableProps) {
  const rows = (record.openLots ?? []).map(({ symbol, at, shares, cost, reason }, index) => ({
    key: `${symbol} ${at} ${index}`,
    cells: [
      symbol,
      timeOf(at, now),
      written(shares, 'shares'),
      written(cost, 'money'),
      <Words text={reason} />,
    ],
  }));
  return (
    <>
      <h2>Lots</h2>
      <Table name="Lots" columns={LOTS} rows={rows} empty="It holds no lot." />
    </>
  );
}

const TRADES = [
  { title: 'Time' },
  { title: 'Symbol' },
  { title: 'Side' },
  { title: 'Shares', isNumber: true },
  { title: 'Price', unit: 'mUSD', isNumber: true },
  { title: 'Worth', unit: 'mUSD', isNumber: true },
  { title: 'Fees', unit: 'mUSD', isNumber: true },
  { title: 'Reason', isLong: true },
];

/** Trades of the current day in New York, newest first. */
export function TradesToday({ record, now }: TableProps) {
  const trades = tradesOn(newYorkDay(now), record.fills);
  const worth = (side: 'buy' | 'sell') =>
    written(
      trades.reduce((sum, trade) => sum + (trade.side === side ? trade.shares * trade.price : 0), 0),
      'money',
    );
  const rows = trades.map(({ at, symbol, side, order, reason, ...trade }, index) => ({
    key: `${order} ${at} ${index}`,
    cells: [
      timeOf(at, now),
      symbol,
      side,
      written(trade.shares, 'shares'),
      written(trade.price, 'price'),
      written(trade.shares * trade.price, 'money'),
      written(trade.fees, 'money'),
      <Words text={reason} />,
    ],
  }));
  return (
    <>
      <h2>Trades today</h2>
      <p class="of">
        Bought for {worth('buy')} mUSD, sold for {worth('sell')} mUSD.
      </p>
      <Table name="Trades today" columns={TRADES} rows={rows} empty="It has not traded today." />
    </>
  );
}

/** Parameters of the strategy. */
export const Parameters = ({ record }: Readonly<{ record: RunRecord }>) => (
  <>
    <h2>Parameters</h2>
    <Json name="the parameters" value={record.run.params} />
  </>
);
