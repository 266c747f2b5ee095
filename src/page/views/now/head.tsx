import { money, Profit } from '../../parts/amounts.tsx';
import { Changed } from '../../parts/changed.tsx';
import { Fact } from '../../parts/fact.tsx';
import { newYorkTime, span } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import { CANCEL_ALL, flatten, trade } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';
import { DayLine } from './dayLine.tsx';
import { grown, type LiveStatus } from './shown.ts';
import { togetherAt, type Moment } from './today.ts';
import type { Status } from '../../../ops/model/status.ts';

/** State of trading, the clock, and the money of the run. */
export function Head({ daemon, status, moments }: LiveStatus & Readonly<{ moments: readonly Moment[] }>) {
  const { equity, pnl, session, unallocated } = status;
  return (
    <>
      <dl class="figures">
        <Trading daemon={daemon} status={status} />
        <Clock daemon={daemon} status={status} />
        <Fact title="Equity, mUSD">
          <Changed text={money(equity)} />
        </Fact>
        <div>
          <dt>Today, mUSD</dt>
          <dd>
            <Profit amount={pnl.today} />
          </dd>
          {unallocated.positions.length === 0 ? null : <dd class="of">of the strategies</dd>}
          <dd>
            <DayLine moments={moments} session={session} of={togetherAt} name="all strategies" />
          </dd>
        </div>
        <Ages daemon={daemon} status={status} />
      </dl>
      {daemon.maySteer ? (
        <p class="choices" role="group" aria-label="Steer everything">
          {(['halted', 'reducing', 'active'] as const)
            .filter((state) => state !== status.state.trading)
            .map((state) => (
              <Steer key={state} daemon={daemon} action={trade(state)} />
            ))}
          <Steer daemon={daemon} action={trade('halted', {}, true)} />
          <Steer daemon={daemon} action={CANCEL_ALL} label="Cancel all" />
          <Steer daemon={daemon} action={flatten()} />
        </p>
      ) : null}
    </>
  );
}

function Trading({ status: { state, now } }: LiveStatus) {
  const of = [state.by, state.reason].filter((text) => text !== '').join(': ');
  return (
    <Fact
      title="Trading"
      mark={state.trading === 'active' ? '' : 'loss'}
      of={
        <>
          <Words text={of} />
          {of === '' ? '' : ', '}since {newYorkTime(state.since, now)}
        </>
      }
    >
      <Changed text={state.trading} />
    </Fact>
  );
}

function Clock({ daemon, status }: LiveStatus) {
  const nowMs = daemon.now.value;
  const now = new Date(nowMs).toISOString();
  return (
    <Fact title="New York" of={sessionText(status.session, nowMs)}>
      {newYorkTime(now, now)}
    </Fact>
  );
}

function Ages({ daemon, status }: LiveStatus) {
  const { quotesMs, ordersMs, accountMs } = status.freshness;
  const nowMs = daemon.now.value;
  const age = (ms: number | null) => span(grown(ms, status, nowMs));
  return (
    <Fact title="Age of quotes" of={`orders ${age(ordersMs)}, account ${age(accountMs)}`}>
      {age(quotesMs)}
    </Fact>
  );
}

/** Phase of the session and the time left of it: `session, closes in 3 h (16:00:00)`. `nowMs`: by the daemon's clock. */
export function sessionText({ phase, open, close, trades, until }: Status['session'], nowMs: number): string {
  const now = new Date(nowMs).toISOString();
  const left = (iso: string) => `${span(Date.parse(iso) - nowMs)} (${newYorkTime(iso, now)})`;
  const isAhead = (iso: string | null): iso is string => iso !== null && Date.parse(iso) > nowMs;
  if (phase === 'regular') return isAhead(close) ? `session, closes in ${left(close)}` : 'session';
  if (trades?.length && until) return `${phase}, trades ${trades.join(', ')} for ${left(until)}`;
  if (isAhead(open)) return `${phase}, opens in ${left(open)}`;
  return phase;
}
