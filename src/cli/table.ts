import Table from 'cli-table3';
import picocolors from 'picocolors';
import { bounded, printableInColour } from '../core/printable.ts';
import type { Terminal } from './context.ts';

/** Lines without a frame, so that they can be cut and pasted. Columns named in `right` stand to the right. */
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

/** A cell has one line: a symbol or a status of the venue begins no row of its own. */
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

/** Colours that vanish where the terminal takes none. */
export const coloursOf = ({ colour }: Terminal) => picocolors.createColors(colour);
