import type { LimitView } from '../../../ops/model/status.ts';
import { plain } from '../../parts/amounts.tsx';
import { Table } from '../../parts/table.tsx';
import { Words } from '../../parts/words.tsx';
import type { LiveStatus } from './shown.ts';
import { parseSigned } from '../../../core/amount.ts';

const COLUMNS = [
  { title: 'Limit' },
  { title: 'Scope' },
  { title: 'Used', isNumber: true },
  { title: 'Of', isNumber: true },
  { title: 'Share' },
];

/** Limits with their current use, the fullest first; those that depend on an order have none. */
export function Limits({ status: { limits } }: LiveStatus) {
  const used = limits.filter((limit) => limit.used !== null);
  const rows = used
    .toSorted((one, other) => shareOf(other) - shareOf(one))
    .map((limit) => ({
      key: `${limit.name} ${limit.scope}`,
      cells: [
        <Words text={limit.name} />,
        <Words text={limit.scope} />,
        plain(limit.used ?? ''),
        plain(limit.limit),
        <Share limit={limit} />,
      ],
    }));
  return (
    <section>
      <h2>Limits</h2>
      {rows.length === 0 && used.length < limits.length ? null : (
        <Table name="Limits" columns={COLUMNS} rows={rows} empty="No limit is set." />
      )}
      <AtEachOrder limits={limits.filter((limit) => limit.used === null)} />
    </section>
  );
}

function AtEachOrder({ limits }: Readonly<{ limits: readonly LimitView[] }>) {
  if (limits.length === 0) return null;
  const texts = limits.map(({ name, scope, limit }) =>
    [name, plain(limit), ...(scope === 'everything' ? [] : [`of ${scope}`])].join(' '),
  );
  return (
    <p class="of after">
      At each order: <Words text={texts.join(', ')} whole />.
    </p>
  );
}

function Share({ limit }: Readonly<{ limit: LimitView }>) {
  const percent = Math.floor(shareOf(limit) * 100);
  return (
    <span class="share">
      <meter
        min={0}
        max={100}
        high={80}
        optimum={0}
        value={percent}
        aria-label={`${limit.name} of ${limit.scope}`}
      />{' '}
      {percent} %
    </span>
  );
}

const MILLE = 1_000n;

/** Used share of a limit, 0 to 1 and above, for sorting and a bar; 0 if it depends on an order. */
export function shareOf({ used, limit }: Pick<LimitView, 'used' | 'limit'>): number {
  if (used === null) return 0;
  const [part, whole] = [parseSigned(used), parseSigned(limit)];
  if (whole <= 0n) return part > 0n ? 1 : 0;
  return Number((part * MILLE) / whole) / Number(MILLE);
}
