import Table from 'cli-table3';
import picocolors from 'picocolors';
import { epochMs, toIso } from '../core/brand.ts';
import { toJson } from '../core/json.ts';
import { bounded, printableInColour } from '../core/printable.ts';
import { isUnreadable, type Unreadable } from '../api/wire.ts';
import type { CommandContext, Terminal } from './context.ts';

export { toJson };

/** Prints a result on stdout: with `--json` the value, else the text. */
export const printResult = (
  { terminal, json }: Pick<CommandContext, 'terminal' | 'json'>,
  value: unknown,
  text: string,
): void => terminal.out(json ? toJson(value) : text);

/** The readable rows of a list; reports on stderr how many were unreadable. */
export function readableRows<Row>(rows: readonly (Row | Unreadable)[], terminal: Terminal): Row[] {
  const readable = rows.filter((row): row is Row => !isUnreadable(row));
  const lost = rows.length - readable.length;
  if (lost > 0)
    terminal.err(`${lost} of ${rows.length} rows could not be read; \`drover doctor --probe\` says why`);
  return readable;
}

/** Lines without a frame, so that they can be cut and pasted. Columns named in `right` are right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly string[] = [],
): string {
  const colAligns = head.map((name) => (right.includes(name) ? 'right' : 'left'));
  const lines = new Table({
    head: [...head],
    colAligns,
    chars: NO_FRAME,
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  lines.push(...rows.map((row) => row.map(cellOf)));
  return lines
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Longest text of a cell, in characters. */
const CELL_MAX = 300;

/** One line per cell: a symbol or a status of the venue must not begin a row of its own. */
const cellOf = (text: string): string =>
  printableInColour(bounded(text, CELL_MAX)).replaceAll('\n', '\\n').replaceAll('\t', '\\t');

const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Colours, removed where the terminal supports none. */
export const coloursOf = ({ colour }: Terminal) => picocolors.createColors(colour);

export const iso = (at: number): string => toIso(epochMs(at));
