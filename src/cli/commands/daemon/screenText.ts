import { newYorkClock, newYorkDate, newYorkMinute } from '../../../calendar/index.ts';
import { DAY_MS, epochMs, HOUR_MS, MINUTE_MS, SECOND_MS, type EpochMs } from '../../../core/brand.ts';
import { oneLine } from '../../../core/printable.ts';
import { columns, type Side } from '../../../process/output.ts';
import { decimalText, moneyText, priceText, sharesText } from '../../../domain/amountText.ts';

/** Severity of a line, or its role as a heading. Colours show it, and the words say it as well. */
export type Tone = 'plain' | 'head' | 'good' | 'warning' | 'bad' | 'quiet';

export type Line = Readonly<{ text: string; tone: Tone }>;

export const line = (text: string, tone: Tone = 'plain'): Line => ({ text, tone });

/** Maximum length of a paragraph of the daemon's text, in characters. */
const TEXT_MAX = 1_000;

/** A text cut to a width, in characters. */
export const clipped = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;

/** A text wrapped to a width, all lines but the first indented by `indent`; no line separates `drover` from its command. */
export function wrapped(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of oneLine(text.trim(), TEXT_MAX).split(/(?<!`drover) +/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indent + word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
}

/** Table of a screen. `sides`: alignment of each column. */
type Table = Readonly<{
  head: readonly string[];
  rows: readonly (readonly string[])[];
  sides: readonly Side[];
}>;

/** Column alignment: the first `left` columns hold text, the others numbers. */
export const sidesOf = (head: readonly string[], left = head.length): readonly Side[] =>
  head.map((_name, index) => (index < left ? 'left' : 'right'));

/** Lines of a table, each with the tone of its row. */
export const tableOf = ({ head, rows, sides }: Table, tones: readonly Tone[] = []): Line[] =>
  columns([head, ...rows], sides).map((text, index) =>
    line(text, index === 0 ? 'head' : (tones[index - 1] ?? 'plain')),
  );

/** A duration in its two largest units: `12 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function spanText(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(Math.floor(ms / SECOND_MS), 0)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS)
    return pair([Math.floor(ms / HOUR_MS), 'h'], [Math.floor((ms % HOUR_MS) / MINUTE_MS), 'min']);
  return pair([Math.floor(ms / DAY_MS), 'd'], [Math.floor((ms % DAY_MS) / HOUR_MS), 'h']);
}

type Part = readonly [count: number, unit: string];
const pair = ([first, unit]: Part, [second, small]: Part): string =>
  second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${small}`;

/** Time between two instants in ISO 8601, in ms. */
export const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** Date and time in New York. */
export function whenText(iso: string): string {
  const at = instant(iso);
  return at === null ? iso : newYorkMinute(at);
}

/** Time in New York, with the date if it differs from that of `now`. */
export function clockText(iso: string, now: string): string {
  const [at, today] = [instant(iso), instant(now)];
  if (at === null || today === null) return iso;
  return newYorkDate(at) === newYorkDate(today) ? newYorkClock(at) : whenText(iso);
}

function instant(iso: string): EpochMs | null {
  const at = Date.parse(iso);
  return Number.isFinite(at) ? epochMs(at) : null;
}

const orDash = (text: string | null, form: (text: string) => string): string =>
  text === null ? '–' : form(text);

export const money = (text: string | null): string => orDash(text, (own) => decimalText(own, moneyText));
export const shares = (text: string | null): string => orDash(text, (own) => decimalText(own, sharesText));
export const price = (text: string | null): string => orDash(text, (own) => decimalText(own, priceText));

/** Profit or loss, with its sign. */
export function earned(text: string | null): string {
  const shown = money(text).replace(/^-(0\.00)$/, '$1');
  return /^[1-9]|^0\.(0[1-9]|[1-9])/.test(shown) ? `+${shown}` : shown;
}
