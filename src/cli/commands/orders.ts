import type { OrderView } from '../../api/orderView.ts';
import { epochMs, toIso } from '../../core/brand.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
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
  const readable = readableRows(rows, terminal).map(rowOf);
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

/** Null where the venue says nothing (yet): a row may be no more than the link from transaction to key. */
function rowOf({ mapping, openOrder, historyOrder, orderStatus, mappingStatus }: OrderView) {
  const order = historyOrder ?? openOrder;
  const { placeQuantity, placeNotional } = order ?? {};
  return {
    at: mapping?.createTime ? toIso(epochMs(mapping.createTime * 1000)) : null,
    symbol: order?.symbol ?? null,
    side: order?.side ?? null,
    type: order?.type ?? null,
    quantity: placeQuantity ?? null,
    notional: placeNotional ?? null,
    size: placeQuantity ?? (placeNotional ? `${placeNotional} mUSD` : null),
    price: order?.placePrice ?? null,
    status: order?.status ?? orderStatus ?? mappingStatus ?? mapping?.status ?? null,
    settlePrice: historyOrder?.settlePrice ?? null,
    settlePay: historyOrder?.settlePay ?? null,
    settleReceive: historyOrder?.settleReceive ?? null,
    txHash: mapping?.txHash ?? null,
    orderId: order?.orderId ?? mapping?.orderId ?? null,
  };
}
