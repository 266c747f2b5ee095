import type { LimitView } from '../../../ops/model/status.ts';
import { plain } from '../../parts/amounts.tsx';
import { Table } from '../../parts/table.tsx';
import { Words } from '../../parts/words.tsx';
import { shareOf } from './limitShare.ts';
import type { Shown } from './shown.ts';

const COLUMNS = [
  { title: 'Limit' },
  { title: 'Scope' },
  { title: 'Used', isNumber: true },
  { title: 'Of', isNumber: true },
  { title: 'Share' },
];

/** Limits with their present use, the fullest first. */
export function Limits({ status: { limits } }: Shown) {
  const sorted = limits.toSorted((one, other) => shareOf(other) - shareOf(one));
  const rows = sorted.map((limit) => ({
    key: `${limit.name} ${limit.scope}`,
    cells: [
      <Words text={limit.name} />,
      <Words text={limit.scope} />,
      limit.used === null ? '–' : plain(limit.used),
      plain(limit.limit),
      <Share limit={limit} />,
    ],
  }));
  return (
    <>
      <h2>Limits</h2>
      <Table name="Limits" columns={COLUMNS} rows={rows} empty="No limit is set." />
    </>
  );
}

function Share({ limit }: Readonly<{ limit: LimitView }>) {
  const { name, scope, used } = limit;
  if (used === null) return <span class="of">at each order</span>;
  const percent = Math.floor(shareOf(limit) * 100);
  return (
    <span class="share">
      <meter min={0} max={100} high={80} optimum={0} value={percent} aria-label={`${name} of ${scope}`} />{' '}
      {percent} %
    </span>
  );
}
