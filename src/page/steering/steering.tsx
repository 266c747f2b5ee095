import { signal } from '@preact/signals';
import type { Connection } from '../connection/connection.ts';
import { words } from '../parts/words.tsx';
import { buttonOf, titleOf, type Action } from './action.ts';
import type { Addressee } from './command.ts';

/** An action being considered. `addressee`: of the status shown when the button was pressed. */
export type Draft = Readonly<{ daemon: Connection; action: Action; addressee: Addressee }>;

/** Action in the dialog; null while it is closed. */
export const draft = signal<Draft | null>(null);

type SteerProps = Readonly<{ daemon: Connection; action: Action; label?: string }>;

/** Button that opens the dialog of an action; nothing for a user who may only view. */
export function Steer({ daemon, action, label = buttonOf(action) }: SteerProps) {
  const status = daemon.status.value;
  if (!daemon.maySteer || status === null) return null;
  const { mode, account } = status;
  return (
    <button
      type="button"
      class="steer"
      aria-label={words(titleOf(action))}
      onClick={() => (draft.value = { daemon, action, addressee: { mode, account } })}
    >
      {label}
    </button>
  );
}
