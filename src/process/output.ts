import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';
import { epochMs, toIso } from '../core/brand.ts';
import { toJson } from '../core/json.ts';
import { bounded, printableInColour } from '../core/printable.ts';
import { isUnreadable, type Unreadable } from '../core/nesting.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exitCodes.ts';
import type { Terminal } from './terminal.ts';

export { toJson };

/** Prints a result on stdout: with `--json` the value, else the text. Returns the exit code of a command that ends here. */
export function printResult(
  { terminal, json }: Pick<CommandContext, 'terminal' | 'json'>,
  value: unknown,
  text: string,
): number {
  terminal.out(json ? toJson(value) : text);
  return EXIT.done;
}

/** The readable rows of a list; reports on stderr how many were unreadable. */
export function readableRows<Row>(rows: readonly (Row | Unreadable)[], terminal: Terminal): Row[] {
  const readable = rows.filter((row): row is Row => !isUnreadable(row));
  const lost = rows.length - readable.length;
  if (lost > 0)
    terminal.err(`${lost} of ${rows.length} rows could not be read; \`drover doctor --probe\` says why`);
  return readable;
}

export type Side = 'left' | 'right';

/** Characters that a terminal shows in two columns. */
const WIDE =
  /.\ufe0f|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;

/** Terminal columns that a text takes. */
const widthOf = (text: string): number =>
  stripVTControlCharacters(text).replace(WIDE, '  ').replace(/\p{M}/gu, '').length;

/** Rows with columns as wide as their widest cell, two spaces apart. */
export function columns(rows: readonly (readonly string[])[], sides: readonly Side[]): string[] {
  const widths = sides.map((_side, index) => Math.max(...rows.map((row) => widthOf(row[index] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, index) => {
        const room = ' '.repeat((widths[index] ?? 0) - widthOf(cell));
        return sides[index] === 'right' ? room + cell : cell + room;
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Lines without a frame, so that they can be cut and pasted. Columns named in `right` are right-aligned. */
export const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string =>
  columns(
    [head, ...rows.map((row) => row.map(cellOf))],
    head.map((name) => (right.includes(name) ? 'right' : 'left')),
  ).join('\n');

/** Column of a table: its head, and the text of an item. Amounts are right-aligned. */
export type Column<Item> = readonly [head: string, text: (item: Item) => string | null, align?: 'right'];

/** Table of items, with a row of totals if given; `empty` if there are no items. A missing value is a dash. */
export function tableOf<Item>(
  items: readonly Item[],
  of: readonly Column<Item>[],
  { empty, totals }: Readonly<{ empty: string; totals?: Readonly<Record<string, string>> }>,
): string {
  if (items.length === 0) return empty;
  const heads = of.map(([head]) => head);
  const rows = items.map((item) => of.map(([, text]) => text(item) ?? '-'));
  const right = of.flatMap(([head, , align]) => (align === 'right' ? [head] : []));
  return table(heads, totals ? [...rows, heads.map((head) => totals[head] ?? '')] : rows, right);
}

/** Names and values of a row, one per line, except those that are null or false. */
export const fieldLines = (row: object): string =>
  Object.entries(row)
    .filter(([, value]) => value !== null && value !== false)
    .map(([name, value]) => `${name.padEnd(14)}${String(value)}`)
    .join('\n');

/** Maximum length of a cell, in characters. */
const CELL_MAX = 300;

/** One line per cell: a symbol or a status of the venue must not start a new row. */
const cellOf = (text: string): string =>
  printableInColour(bounded(text, CELL_MAX)).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

/** Colours, removed if the terminal supports none. */
export const coloursOf = ({ colour }: Terminal) => picocolors.createColors(colour);

export const iso = (at: number): string => toIso(epochMs(at));
