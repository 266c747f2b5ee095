import { useRef } from 'preact/hooks';

/** Text that is subtly highlighted for a while after a change. */
export function Changed({ text }: Readonly<{ text: string }>) {
  const seen = useRef({ text, changes: 0 });
  if (seen.current.text !== text) seen.current = { text, changes: seen.current.changes + 1 };
  const { changes } = seen.current;
  // Uses a new element for each change, so that the highlight restarts.
  return (
    <span key={changes} class={changes === 0 ? '' : 'changed'}>
      {text}
    </span>
  );
}
