import { Commands } from '../../steering/progress.tsx';
import { AccountEquity } from './accountEquity.tsx';
import { Attention } from './attention.tsx';
import { Head } from './head.tsx';
import { Limits } from './limits.tsx';
import { Notices } from './notices.tsx';
import { HeldOrders, OpenOrders, WaitingIntents } from './orders.tsx';
import { Restrictions } from './restrictions.tsx';
import type { LiveStatus } from './shown.ts';
import { Strategies } from './strategies.tsx';
import { useToday } from './today.ts';
import type { ViewProps } from '../viewProps.ts';

/** The run on one screen: what it does, what it is worth, and what wants a person. */
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
