import { printable } from '../core/printable.ts';

type Cell = string | number | boolean | null;

/** Beginning of a text that a spreadsheet would calculate, and a number, which it may. */
const [FORMULA, NUMBER] = [/^[=+\-@\t\r\n]/, /^-?\d+(\.\d+)?$/];

/**
 * Rows as CSV, quoted by RFC 4180; lines end by a line feed. Text that a spreadsheet would calculate has an apostrophe before it, and what
 * a terminal would act upon is escaped.
 */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((cells) => cells.map((cell) => quoted(cellText(cell))).join(',')).join('\n');

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell);
  const text = printable(cell);
  return FORMULA.test(cell) && !NUMBER.test(cell) ? `'${text}` : text;
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
