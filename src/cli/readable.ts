import { isUnreadable, type Unreadable } from '../api/wire.ts';
import type { Terminal } from './context.ts';

/** The rows of a list that could be read; says on stderr how many could not. */
export function readableRows<Row>(rows: readonly (Row | Unreadable)[], terminal: Terminal): Row[] {
  const readable = rows.filter((row): row is Row => !isUnreadable(row));
  const lost = rows.length - readable.length;
  if (lost > 0)
    terminal.err(`${lost} of ${rows.length} rows could not be read; \`drover doctor --probe\` tells why`);
  return readable;
}
