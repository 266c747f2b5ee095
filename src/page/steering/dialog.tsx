import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { newId } from '../browser.ts';
import { Words } from '../parts/words.tsx';
import { buttonOf, needsReason, titleOf } from './action.ts';
import { Command } from './command.ts';
import { Progress } from './progress.tsx';
import { effectsOf } from './effects.ts';
import { draft, type Draft } from './steering.tsx';

/** Word to type before everything is sold. */
const FLATTEN_WORD = 'flatten';
/** Maximum length of a reason in characters, as in the API. */
const REASON_MAX = 500;

/** Dialog of the action being considered. */
export function SteeringDialog() {
  const shown = draft.value;
  return shown === null ? null : (
    <Dialog key={`${shown.daemon.base} ${titleOf(shown.action)}`} draft={shown} />
  );
}

function Dialog({ draft: shown }: Readonly<{ draft: Draft }>) {
  const element = useRef<HTMLDialogElement>(null);
  const command = useSignal<Command | null>(null);
  const close = () => (draft.value = null);
  useEffect(() => {
    element.current?.showModal();
    // A user who signs in later has not decided on anything.
    return () => void close();
  }, []);
  return (
    <dialog ref={element} class="steering" aria-labelledby="steering-title" onClose={close}>
      <h2 id="steering-title">
        <Words text={titleOf(shown.action)} />
      </h2>
      <p class="of">
        {shown.addressee.mode} · <Words text={shown.addressee.account} />
      </p>
      {command.value === null ? (
        <Question shown={shown} close={close} give={(given) => (command.value = given)} />
      ) : (
        <Given command={command.value} close={close} />
      )}
    </dialog>
  );
}

type QuestionProps = Readonly<{ shown: Draft; close: () => void; give: (command: Command) => void }>;

/** Effects of an action, its reason, and the button that sends it once. */
function Question({ shown, close, give }: QuestionProps) {
  const { daemon, action, addressee } = shown;
  const [reason, word] = [useSignal(''), useSignal('')];
  const status = daemon.status.value;
  const effects = status === null ? [] : effectsOf(action, status);
  const isFlatten = action.verb === 'flatten';
  const isReady =
    (!needsReason(action) || reason.value.trim() !== '') &&
    (!isFlatten || word.value.trim() === FLATTEN_WORD);
  const send = () => {
    const parts = { id: newId(), action, reason: reason.value.trim() || 'by hand', addressee };
    const command = new Command(parts, daemon);
    daemon.commands.value = [...daemon.commands.value, command];
    give(command);
    void command.begin();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) send();
      }}
    >
      <ul class="effects" tabIndex={0} aria-label="What it does">
        {effects.map((text) => (
          <li key={text}>
            <Words text={text} whole />
          </li>
        ))}
      </ul>
      <Field
        name="reason"
        label={needsReason(action) ? 'Reason' : 'Reason (“by hand” if left empty)'}
        value={reason}
      />
      {isFlatten ? <Field name="word" label={`Type ${FLATTEN_WORD} to confirm`} value={word} /> : null}
      <p class="choices">
        <button type="button" onClick={close}>
          Close
        </button>
        <button type="submit" class="strong" disabled={!isReady}>
          {buttonOf(action)}
        </button>
      </p>
    </form>
  );
}

const Field = ({ name, label, value }: Readonly<{ name: string; label: string; value: Signal<string> }>) => (
  <label>
    {label}
    <input
      name={name}
      maxLength={REASON_MAX}
      autocomplete="off"
      value={value}
      onInput={({ currentTarget }) => (value.value = currentTarget.value)}
    />
  </label>
);

function Given({ command, close }: Readonly<{ command: Command; close: () => void }>) {
  return (
    <>
      <Progress command={command} />
      <p class="choices">
        <button type="button" onClick={close}>
          Close
        </button>
      </p>
    </>
  );
}
