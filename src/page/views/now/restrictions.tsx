import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { scopeText, trade, type Scope } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';
import type { LiveStatus } from './shown.ts';

const COLUMNS = [
  { title: 'Scope' },
  { title: 'State' },
  { title: 'Since' },
  { title: 'By', isLong: true },
  { title: 'Reason', isLong: true },
];

/** Restrictions of trading in force, each with who set it, when and why. */
export function Restrictions({ daemon, status: { restrictions, now } }: LiveStatus) {
  if (restrictions.length === 0) return null;
  const rows = restrictions.map(({ strategy, symbol, state, cause, since, by, reason }) => {
    const scope: Scope = {
      ...(strategy === null ? {} : { strategy }),
      ...(symbol === null ? {} : { symbol }),
    };
    return {
      key: `${cause} ${strategy ?? ''} ${symbol ?? ''}`,
      cells: [
        <Words text={scopeText(scope)} />,
        cause === 'operator' ? state : `${state} (${cause})`,
        newYorkTime(since, now),
        <Words text={by} />,
        <Words text={reason} />,
      ],
      steering: daemon.maySteer ? <Steer daemon={daemon} action={trade('active', scope)} /> : null,
    };
  });
  return (
    <>
      <h2>Restrictions</h2>
      <Table name="Restrictions" columns={COLUMNS} rows={rows} empty="" />
    </>
  );
}
