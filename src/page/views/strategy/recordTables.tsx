import type { RunRecord } from '../../../report/runRecord.ts';
import { Json } from '../../parts/json.tsx';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { hashOf } from '../../place.ts';
import { written } from '../../../figures/format.ts';

/** Decisions that are shown: the others are in the view Orders. */
const SHOWN = 50;

const timeOf = (at: number, now: string): string => newYorkTime(new Date(at).toISOString(), now);

const DECISIONS = [{ title: 'Time' }, { title: 'Decision' }, { title: 'Reason' }, { title: 'Result' }];

type TableProps = Readonly<{ record: RunRecord; now: string }>;

/** Latest decisions of a strategy, newest first, each with its reason and what came of it. */
export function Decisions({ record, now, base }: TableProps & Readonly<{ base: string }>) {
  const strategy = record.run.settings['of'] ?? '';
  const rows = (record.decisions ?? [])
    .slice(-SHOWN)
    .toReversed()
    .map(({ id, at, terms, reason, end, why }) => ({
      key: id,
      cells: [
        timeOf(at, now),
        <Words text={terms} />,
        <Words text={reason} />,
        <Words text={end === null ? 'open' : end === why ? end : `${end}: ${why}`} />,
      ],
    }));
  return (
    <>
      <h2>Decisions</h2>
      <Table name="Decisions" columns={DECISIONS} rows={rows} empty="It has decided nothing yet." />
      <p class="of">
        <a href={hashOf({ base, view: 'orders', query: new Map([['strategy', strategy]]) })}>
          All its orders
        </a>
      </p>
    </>
  );
}

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
