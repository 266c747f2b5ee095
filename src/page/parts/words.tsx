import { printable } from '../../core/printable.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import { signal } from '@preact/signals';

/** True on a screen as narrow as a phone's. */
export const isNarrow = signal(false);

/** Foreign text for display: characters that would reorder or hide surrounding text are escaped. */
export const words = (text: string): string => printable(text);

/** Command that starts drover on the page server's machine. */
export const program = signal('drover');

/** A drover command line, as it works there. */
export const commandLine = (command: string): string =>
  command.replace(/^drover /, () => `${program.value} `);

/** Length in characters from which a text is cut on screen; its full text appears on hover or focus. */
const LONG = 120;
/** Maximum length of a text that fits into any cell. */
const SHORT = 20;

type WordsProps = Readonly<{
  text: string;
  /** True for a text that is never cut. */
  whole?: boolean;
  /** Maximum number of characters on a narrow screen, where it is next to a link to the full text. */
  narrow?: number;
}>;

/** Isolated foreign text with rounded amounts: its direction does not affect surrounding text, and a long one is cut until hovered or focused. */
export function Words({ text, whole = false, narrow = Infinity }: WordsProps) {
  const safe = words(shortAmounts(text));
  if (isNarrow.value && safe.length > narrow) return <bdi title={safe}>{`${safe.slice(0, narrow)}…`}</bdi>;
  if (whole || safe.length <= SHORT) return <bdi>{safe}</bdi>;
  if (safe.length <= LONG) return <bdi title={safe}>{safe}</bdi>;
  return (
    <bdi class="long" tabIndex={0} title={safe}>
      {safe}
    </bdi>
  );
}

/** Reason why something could not be read; nothing if there is none. */
export const Problem = ({ text }: Readonly<{ text: string | null }>) =>
  text === null ? null : (
    <p class="loss" role="alert">
      <Words text={text} whole />
    </p>
  );
