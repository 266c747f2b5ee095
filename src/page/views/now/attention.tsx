import { commandLine } from '../../browser.ts';
import { newYorkTime } from '../../parts/times.ts';
import { Words, words } from '../../parts/words.tsx';
import { acknowledge } from '../../steering/action.ts';
import { Steer } from '../../steering/steering.tsx';
import type { LiveStatus } from './shown.ts';

/** Things that the run cannot do, what is unknown, frozen or different with what to do, and alarms that nobody has acknowledged. */
export function Attention({ daemon, status: { todo, alarms, now, canSend, canProtect } }: LiveStatus) {
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
