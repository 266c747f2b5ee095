import { newYorkClock, newYorkDate } from '../../calendar/index.ts';
import type { Log } from '../../core/log.ts';
import { oneLine } from '../../core/printable.ts';
import { shortAmounts } from '../../domain/shortAmounts.ts';
import type { Notice, NoticeKind } from '../../engine/state/notice.ts';
import type { Terminal } from '../context.ts';
import { coloursOf } from '../output.ts';

const SIGNS: Readonly<Record<NoticeKind, string>> = {
  session: '═',
  decision: '·',
  sent: '→',
  fill: '✓',
  cancel: '×',
  end: '–',
  account: ' ',
  strategy: ' ',
  alarm: '!',
  clear: '+',
  info: ' ',
};
/** What happens at every order anyway: told to the log, not to a person. */
const QUIET: ReadonlySet<NoticeKind> = new Set(['sent', 'info']);
const OWNER_WIDTH = 14;
/** Longest text of an event, in characters. */
const TEXT_MAX = 2_000;

/**
 * Narrates a run, one line an event: New York time, strategy, what happened and why. The date stands above the first line of
 * each day.
 */
export function narrator(terminal: Terminal, write: (line: string) => void): (notice: Notice) => void {
  const colours = coloursOf(terminal);
  const paint: Partial<Record<NoticeKind, (text: string) => string>> = {
    session: colours.bold,
    fill: colours.green,
    cancel: colours.yellow,
    end: colours.dim,
    alarm: colours.red,
    clear: colours.green,
  };
  let day = '';
  return ({ at, kind, owner, text }) => {
    if (QUIET.has(kind)) return;
    const date = newYorkDate(at);
    if (date !== day) write(colours.bold(date));
    day = date;
    const who = oneLine(owner ?? '', TEXT_MAX).padEnd(OWNER_WIDTH);
    const line = `${SIGNS[kind]} ${who} ${oneLine(shortAmounts(text), TEXT_MAX)}`;
    write(`${colours.dim(newYorkClock(at))} ${paint[kind]?.(line) ?? line}`);
  };
}

/** The same for whoever watches a daemon: everything, as JSON. */
export function logNotice(log: Log, { kind, owner, text }: Notice): void {
  const fields = { kind, ...(owner === null ? {} : { strategy: owner }) };
  if (kind === 'alarm') log.warn(fields, text);
  else log.info(fields, text);
}
