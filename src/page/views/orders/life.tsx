import type { OrderLife } from '../../../ops/model/past.ts';
import type { EntryView } from '../../connection/connection.ts';
import { money, price, shares } from '../../parts/amounts.tsx';
import { bytesOf, entryText } from '../../entries/entryText.ts';
import { Json } from '../../parts/json.tsx';
import { useReading } from '../../parts/reading.ts';
import { newYorkTime } from '../../parts/times.ts';
import { Fact } from '../../parts/fact.tsx';
import { Problem, Words } from '../../parts/words.tsx';
import { hashOf } from '../../place.ts';
import { cancelOrders } from '../../steering/action.ts';
import { Commands } from '../../steering/progress.tsx';
import { Steer } from '../../steering/steering.tsx';
import { EndedWith, sizeOf } from './status.tsx';
import type { ViewProps } from '../viewProps.ts';

type LifeProps = Pick<ViewProps, 'daemon' | 'place'> & Readonly<{ id: string }>;

/** The complete history of one order: its decision, every change, and the exact bytes sent. */
export function OrderLifeView({ daemon, place: { base }, id }: LifeProps) {
  const { value, problem } = useReading<OrderLife>(daemon, `v1/orders/${encodeURIComponent(id)}`);
  const now = daemon.status.value?.now ?? new Date(daemon.now.value).toISOString();
  return (
    <>
      <p>
        <a href={hashOf({ base, view: 'orders' })}>All orders</a>
      </p>
      <h2>
        <Words text={id} />
      </h2>
      <Problem text={problem} />
      {value === null ? (
        problem === null ? (
          <p class="none">Reading the journal…</p>
        ) : null
      ) : (
        <>
          <Facts life={value} now={now} base={base} />
          {value.endedAt === null ? (
            <p class="choices">
              <Steer daemon={daemon} action={cancelOrders([id])} />
            </p>
          ) : null}
          <Commands daemon={daemon} />
          <h2>What happened</h2>
          <ol class="steps">
            {(value.entries as readonly EntryView[]).map((entry) => (
              <Step key={entry.seq} entry={entry} now={now} />
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Facts({ life, now, base }: Readonly<{ life: OrderLife; now: string; base: string }>) {
  const { decision, parent } = life;
  return (
    <>
      <p>
        <Words text={life.text} whole />
      </p>
      <dl class="figures">
        <Fact title="State">
          <EndedWith row={life} />
          {life.why === null ? null : (
            <span class="of">
              {' '}
              <Words text={life.why} />
            </span>
          )}
        </Fact>
        <Fact title="Size">{sizeOf(life)}</Fact>
        <Fact title="Limit, mUSD">{price(life.limit ?? null)}</Fact>
        <Fact title="Filled, shares">{shares(life.filled)}</Fact>
        <Fact title="Price, mUSD">{price(life.price)}</Fact>
        <Fact title="Fees, mUSD">{money(life.fees)}</Fact>
      </dl>
      <dl class="facts">
        <Fact title="Strategy">
          {life.strategy === '' ? (
            'none: by hand'
          ) : (
            <a href={hashOf({ base, view: 'strategy', id: life.strategy })}>
              <Words text={life.strategy} />
            </a>
          )}
        </Fact>
        <Fact title="Reason">
          <Words text={life.tag === null ? life.reason : `${life.reason} [${life.tag}]`} whole />
        </Fact>
        {decision === null ? null : (
          <Fact title="Decision">
            {newYorkTime(decision.at, now)} <Words text={`${decision.text}: ${decision.reason}`} whole />
          </Fact>
        )}
        {parent === null ? null : (
          <Fact title="Belongs to">
            <a href={hashOf({ base, view: 'journal', query: new Map([['text', parent.id]]) })}>
              <Words text={parent.id} />
            </a>{' '}
            ({parent.leg})
          </Fact>
        )}
        {life.txHash === null ? null : (
          <Fact title="Transaction">
            <code>{life.txHash}</code>
          </Fact>
        )}
      </dl>
    </>
  );
}

function Step({ entry, now }: Readonly<{ entry: EntryView; now: string }>) {
  const bytes = bytesOf(entry);
  return (
    <li>
      <details>
        <summary>
          <time dateTime={entry.at}>{newYorkTime(entry.at, now)}</time> <Words text={entryText(entry)} />
        </summary>
        {bytes === null ? null : (
          <>
            <h3>Sent, byte for byte</h3>
            <Json name={`the bytes of entry ${entry.seq}`} value={bytes} />
          </>
        )}
        <h3>Entry {entry.seq} of the journal</h3>
        <Json name={`entry ${entry.seq}`} value={entry} />
      </details>
    </li>
  );
}
