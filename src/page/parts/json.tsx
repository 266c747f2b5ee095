import { useSignal } from '@preact/signals';
import { copyText } from '../browser.ts';
import { words } from './words.tsx';

/** Value as readable JSON, with a copy button. */
export function Json({ value, name }: Readonly<{ value: unknown; name: string }>) {
  const isCopied = useSignal(false);
  const text = JSON.stringify(value, null, 2);
  return (
    <div class="json">
      <button
        type="button"
        aria-label={`Copy ${name}`}
        onClick={() => void copyText(text).then((done) => (isCopied.value = done))}
      >
        {isCopied.value ? 'Copied' : 'Copy'}
      </button>
      <pre tabIndex={0} aria-label={name}>
        {words(text)}
      </pre>
    </div>
  );
}
