import { VERSION } from '../../core/version.ts';
import type { Connection } from '../connection/connection.ts';
import { money, Profit } from '../parts/amounts.tsx';
import { Table } from '../parts/table.tsx';
import { span } from '../parts/times.ts';
import { Words } from '../parts/words.tsx';
import { hashOf } from '../place.ts';
import { worstFirst, type Member } from '../../ops/model/fleetOrder.ts';
import type { ViewProps } from './viewProps.ts';

const COLUMNS = [
  { title: 'Daemon' },
  { title: 'State', isLong: true },
  { title: 'Account equity', unit: 'mUSD', isNumber: true },
  { title: 'Strategies today', unit: 'mUSD', isNumber: true },
  { title: 'Unknown', isNumber: true },
  { title: 'Differences', isNumber: true },
  { title: 'Alarms', isNumber: true },
  { title: 'Version' },
  { title: 'Last answer', isNumber: true },
];

/** All daemons of the page, the worst first. */
export function FleetView({ fleet }: ViewProps) {
  const rows = worstFirst(fleet.map(memberOf), VERSION).map(({ member, why }) => ({
    key: member.base,
    cells: cellsOf(member, why),
  }));
  return (
    <section class="first" aria-label="Every daemon">
      <Table name="Fleet" columns={COLUMNS} rows={rows} empty="There is no daemon." />
    </section>
  );
}

type MemberRow = Member & Readonly<{ base: string; sinceMs: number | null }>;

const memberOf = (daemon: Connection): MemberRow => ({
  name: daemon.name,
  base: daemon.base,
  answers: ['connected', 'connecting'].includes(daemon.link.value.kind),
  status: daemon.status.value,
  sinceMs: daemon.silenceMs.value,
});

function cellsOf({ name, base, status, sinceMs }: MemberRow, why: readonly string[]) {
  const link = (
    <a href={hashOf({ base, view: 'now' })}>
      <Words text={name} />
    </a>
  );
  const state = (
    <>
      {status === null ? '' : status.state.trading}
      {why.length === 0 ? null : (
        <span class="loss">
          {status === null ? '' : ', '}
          <Words text={why.join(', ')} />
        </span>
      )}
    </>
  );
  if (status === null) return [link, state, '–', '–', '–', '–', '–', '–', span(sinceMs)];
  const raised = status.alarms.filter(({ acknowledged }) => !acknowledged).length;
  return [
    link,
    state,
    money(status.equity),
    <Profit amount={status.pnl.today} />,
    <Count of={status.unknown} />,
    <Count of={status.differences.length} />,
    <Count of={raised} />,
    status.version,
    span(sinceMs),
  ];
}

const Count = ({ of }: Readonly<{ of: number }>) => <span class={of === 0 ? 'none' : 'loss'}>{of}</span>;
