import { printable } from '../../core/printable.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import { signal } from '@preact/signals';

/** True on a screen that is as narrow as a telephone's. */
export const isNarrow = signal(false);

/** Text of others as the page shows it: marks that would reorder or hide what stands around it are escaped. */
export const words = (text: string): string => printable(text);

/** Words that start drover where whoever serves the page runs. */
export const program = signal('drover');

/** A command line of drover, as it works there. */
export const commandLine = (command: string): string =>
  command.replace(/^drover /, () => `${program.value} `);

/** Length in characters from which a text is cut on the screen: its whole is there for whoever points at it or focuses it. */
const LONG = 120;
/** Length up to which a text fits into any cell. */
const SHORT = 20;

type WordsProps = Readonly<{
  text: string;
  /** True for one that is never cut. */
  whole?: boolean;
  /** Maximum number of characters on a narrow screen, where it stands beside a link to the whole. */
  narrow?: number;
}>;

/** Text of others in a place of its own, its amounts rounded: its direction changes nothing around it, and a long one is cut until it is wanted. */
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
