import { printable } from '../core/printable.ts';

type Cell = string | number | boolean | null;

/** Pattern of a text that a spreadsheet would evaluate, and of a number, which is allowed. */
const [FORMULA, NUMBER] = [/^[=+\-@\t\r\n]/, /^-?\d+(\.\d+)?$/];

/**
 * Rows as CSV, quoted by RFC 4180, with line feeds. A text that a spreadsheet would evaluate is prefixed with an
 * apostrophe, and terminal control characters are escaped.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => cells.map((cell) => quoted(cellText(cell))).join(',')).join('\n');

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = printable(cell);
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${text}` : text;
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
