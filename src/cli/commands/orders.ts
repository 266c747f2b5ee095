import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { orderRow } from '../moves/orderRow.ts';
import { toJson } from '../output.ts';
import { readableRows } from '../readable.ts';
import { table } from '../table.ts';

/** Rows of one page of the list. */
const PAGE_MAX = 100;

/** `drover orders`: what the venue has of this key, newest first. */
export async function ordersCommand(
  { limit = 20 }: { limit?: number },
  context: CommandContext,
): Promise<number> {
  const { terminal, json } = context;
  const { total, rows } = await withVenue(context, ({ client }) =>
    client.orders({ query: { page: 1, limit: Math.min(Math.max(limit, 1), PAGE_MAX) } }),
  );
  const readable = readableRows(rows, terminal).map(orderRow);
  if (json) terminal.out(toJson(readable));
  else if (readable.length === 0) terminal.out('no orders');
  else {
    const cells = readable.map((row) =>
      [
        row.at,
        row.symbol,
        row.side,
        row.type,
        row.size,
        row.price,
        row.status,
        row.settlePrice,
        row.txHash,
      ].map((cell) => cell ?? '-'),
    );
    const head = ['at', 'symbol', 'side', 'type', 'size', 'price', 'status', 'settled at', 'transaction'];
    terminal.out(table(head, cells, ['size', 'price', 'settled at']));
    if (total > rows.length)
      terminal.err(`${rows.length} of ${total}; --limit shows more, at most ${PAGE_MAX}`);
  }
  return EXIT.done;
}
