import type { Connection } from '../connection/connection.ts';
import { Words } from '../parts/words.tsx';
import { titleOf } from './action.ts';
import type { Command, CommandState } from './command.ts';

const TITLES: Readonly<Record<CommandState['kind'], string>> = {
  sending: 'Sent',
  waiting: 'Waits',
  unknown: 'Unknown',
  working: 'At work',
  confirmed: 'Done, according to the journal',
  refused: 'Refused',
};

/** State of a command, and what the user can do while it is unknown. */
export function Progress({ command }: Readonly<{ command: Command }>) {
  const { kind, text } = command.state.value;
  return (
    <div class={`progress ${kind}`}>
      <p role="status">
        <strong>{TITLES[kind]}.</strong> <Words text={text} whole />
      </p>
      {kind === 'unknown' ? (
        <p class="choices">
          <button type="button" onClick={() => void command.lookUp()}>
            Look again
          </button>
          <button type="button" onClick={() => void command.send()}>
            Send again under the same id
          </button>
        </p>
      ) : null}
    </div>
  );
}

/** Commands of this page, the latest first. */
export function Commands({ daemon }: Readonly<{ daemon: Connection }>) {
  const given = daemon.commands.value;
  if (given.length === 0) return null;
  return (
    <section aria-label="Commands of this page">
      <h2>Commands of this page</h2>
      <ul class="commands">
        {given.toReversed().map((command) => (
          <li key={command.parts.id}>
            <Words text={`${titleOf(command.parts.action)}: ${command.parts.reason}`} />
            <Progress command={command} />
          </li>
        ))}
      </ul>
    </section>
  );
}
