import type { RunRecord } from '../../../report/runRecord.ts';
import { Json } from '../../parts/json.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { written } from '../../../figures/format.ts';

const timeOf = (at: number, now: string): string => newYorkTime(new Date(at).toISOString(), now);

type TableProps = Readonly<{ record: RunRecord; now: string }>;

const LOTS = [
  { title: 'Symbol' },
  { title: 'Bought' },
  { title: 'Shares', isNumber: true },
  { title: 'Cost', unit: 'mUSD', isNumber: true },
  { title: 'Reason' },
];

/** Lots that it holds. */
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

/** Parameters that it runs with. */
export const Parameters = ({ record }: Readonly<{ record: RunRecord }>) => (
  <>
    <h2>Parameters</h2>
    <Json name="the parameters" value={record.run.params} />
  </>
);
