import { printable } from '../../core/printable.ts';

/** Text of others as the page shows it: marks that would reorder or hide what stands around it are escaped. */
export const words = (text: string): string => printable(text);

/** Length in characters from which a text is cut on the screen: its whole is there for whoever points at it or focuses it. */
const LONG = 120;

/** Text of others in a place of its own: its direction changes nothing around it, and a long one is cut until it is wanted. `whole`: it is not. */
export function Words({ text, whole = false }: Readonly<{ text: string; whole?: boolean }>) {
  const safe = words(text);
  if (whole || safe.length <= LONG) return <bdi>{safe}</bdi>;
  return (
    <bdi class="long" tabIndex={0}>
      {safe}
    </bdi>
  );
}
