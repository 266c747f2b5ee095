import { useRef } from 'preact/hooks';

/** Text that is softly marked for a while after it has changed. */
export function Changed({ text }: Readonly<{ text: string }>) {
  const seen = useRef({ text, changes: 0 });
  if (seen.current.text !== text) seen.current = { text, changes: seen.current.changes + 1 };
  const { changes } = seen.current;
  // A new element for each change, so that its mark begins again.
  return (
    <span key={changes} class={changes === 0 ? '' : 'changed'}>
      {text}
    </span>
  );
}
