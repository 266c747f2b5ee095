import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NoticeEvent } from '../../connection/connection.ts';
import { newYorkTime } from '../../parts/times.ts';
import { Words } from '../../parts/words.tsx';
import type { LiveStatus } from './shown.ts';

/** Maximum number of notices shown. */
const SHOWN = 12;

/** Latest notices of the run, newest first. */
export function Notices({ daemon, status: { now } }: LiveStatus) {
  const before = useSignal<readonly NoticeEvent[]>([]);
  const link = daemon.link.value.kind;
  useEffect(() => {
    if (link !== 'connected') return;
    daemon.get<{ notices: readonly NoticeEvent[] }>(`v1/notices?count=${SHOWN}`).then(
      ({ notices }) => (before.value = notices),
      () => undefined,
    );
  }, [daemon, link, before]);
  const latest = newestOf([...before.value, ...daemon.notices.value], SHOWN);
  return (
    <section>
      <h2>Notices</h2>
      {latest.length === 0 ? <p class="none">There is none.</p> : null}
      <ul class="notices">
        {latest.map(({ at, strategy, text }) => (
          <li key={`${at} ${text}`}>
            <time dateTime={at}>{newYorkTime(at, now)}</time>{' '}
            <Words text={strategy === null ? text : `${strategy}: ${text}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The newest of these, newest first, without duplicates. */
export function newestOf(notices: readonly NoticeEvent[], count: number): NoticeEvent[] {
  const own = new Map(
    notices.map((notice) => [JSON.stringify([notice.at, notice.strategy, notice.text]), notice]),
  );
  return [...own.values()].toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, count);
}
