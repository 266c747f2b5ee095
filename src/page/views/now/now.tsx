import { Commands } from '../../steering/progress.tsx';
import { AccountEquity } from './accountEquity.tsx';
import { Head } from './head.tsx';
import { Limits } from './limits.tsx';
import { Notices } from './notices.tsx';
import { HeldOrders, OpenOrders, WaitingIntents } from './orders.tsx';
import type { LiveStatus } from './shown.ts';
import { Strategies } from './strategies.tsx';
import { useToday } from './today.ts';
import type { ViewProps } from '../viewProps.ts';
import { Table } from '../../parts/table.tsx';
import { newYorkTime } from '../../parts/times.ts';
import { commandLine, Words, words } from '../../parts/words.tsx';
import { scopeText, trade, type Scope, acknowledge } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';

/** The run on one screen: what it does, what it is worth, and what needs attention. */
export function Now({ daemon }: ViewProps) {
  const status = daemon.status.value;
  if (status === null) return <p class="none">Reading the status…</p>;
  return <Run daemon={daemon} status={status} />;
}

function Run(shown: LiveStatus) {
  const moments = useToday(shown);
  return (
    <>
      <Attention {...shown} />
      <Head {...shown} moments={moments} />
      <Commands daemon={shown.daemon} />
      <Restrictions {...shown} />
      <AccountEquity daemon={shown.daemon} />
      <Strategies {...shown} moments={moments} />
      <OpenOrders {...shown} />
      <WaitingIntents {...shown} />
      <HeldOrders {...shown} />
      <div class="beside">
        <Limits {...shown} />
        <Notices {...shown} />
      </div>
    </>
  );
}

const COLUMNS = [
  { title: 'Scope' },
  { title: 'State' },
  { title: 'Since' },
  { title: 'By', isLong: true },
  { title: 'Reason', isLong: true },
];

/** Active trading restrictions, each with who set it, when and why. */
function Restrictions({ daemon, status: { restrictions, now } }: LiveStatus) {
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

/** Matters that need attention: disabled abilities; unknown, frozen or different items with their remedies; open alarms. */
function Attention({ daemon, status: { todo, alarms, now, canSend, canProtect } }: LiveStatus) {
  const raised = alarms.filter(({ acknowledged }) => !acknowledged);
  const unable = [
    ...canSend.why.map((why) => `Cannot send: ${why}`),
    ...canProtect.why.map(({ strategy, symbol, why }) => `Cannot protect ${symbol} of ${strategy}: ${why}`),
  ];
  if (unable.length + todo.length + raised.length === 0) return null;
  return (
    <section class="attention" aria-label="Wants attention">
      <ul>
        {unable.map((text) => (
          <li key={text}>
            <Words text={text} whole />
          </li>
        ))}
        {todo.map(({ text, command, action }) => (
          <li key={text}>
            <Words text={text} whole /> {action === null ? null : <Steer daemon={daemon} action={action} />}
            {command === null ? null : (
              <code class="block">
                <bdi>{words(commandLine(command))}</bdi>
              </code>
            )}
          </li>
        ))}
        {raised.map(({ id, at, text, count }) => (
          <li key={id}>
            <time dateTime={at}>{newYorkTime(at, now)}</time> <Words text={text} whole />
            {count > 1 ? ` (${count} times)` : ''} <Steer daemon={daemon} action={acknowledge(id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
