import { toOrderText, type OrderRow } from '../../../api/convert.ts';
import { withVenue } from '../../../app/environment/connect.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import {
  checkOrderName,
  findOrder,
  printOrder,
  roundedOrder,
  orderObservation,
  unknownOrder,
  unseenOrder,
} from '../../../app/transfers/orderRow.ts';
import { printResult, readableRows, tableOf, type Column } from '../../../process/output.ts';
import { requireGroup, withSendingAccount } from '../../../app/transfers/account.ts';
import { configOf, stateOverride } from '../../../app/config/load.ts';
import { exitOf, watch } from '../../../app/transfers/chainTrace.ts';
import { withDaemon } from '../../../app/transfers/manualSends.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import { heldOrdersSection } from '../daemon/heldOrders.ts';
import { groupsFor } from '../../../app/environment/submission.ts';

/** Maximum number of rows on one page of the list. */
const PAGE_MAX = 100;

/** `drover orders`: orders of this key at the venue, newest first. */
export async function ordersCommand(
  { limit = 20 }: { limit?: number },
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const { total, rows } = await withVenue(context, ({ client }) =>
    client.orders({ query: { page: 1, limit: Math.min(Math.max(limit, 1), PAGE_MAX) } }),
  );
  const readable = readableRows(rows, terminal).map(toOrderText);
  printResult(context, readable, tableOf(readable.map(roundedOrder), COLUMNS, { empty: 'no orders' }));
  if (!context.json && readable.length > 0 && total > rows.length)
    terminal.err(`${rows.length} of ${total}; --limit shows more, at most ${PAGE_MAX}`);
  await showHeld(context);
  return EXIT.done;
}

const COLUMNS: readonly Column<OrderRow>[] = [
  ['at', ({ at }) => at],
  ['symbol', ({ symbol }) => symbol],
  ['side', ({ side }) => side],
  ['type', ({ type }) => type],
  ['size', ({ size }) => size, 'right'],
  ['price', ({ price }) => price, 'right'],
  ['status', ({ status }) => status],
  ['settled at', ({ settlePrice }) => settlePrice, 'right'],
  ['transaction', ({ txHash }) => txHash],
];

/** Shows the orders held by the run, which are in no list of the venue. Nothing if no run responds. */
async function showHeld(context: CommandContext): Promise<void> {
  const { terminal, json } = context;
  const look = (daemon: DaemonClient | null) => daemon?.status() ?? Promise.resolve(null);
  const status = await withDaemon({}, context, look).catch(() => null);
  if (status === null || status.heldOrders.length === 0) return;
  const lines = heldOrdersSection(status, WIDTH).map(({ text }) => text);
  if (json) terminal.err(lines.join('\n'));
  else terminal.out(['', ...lines].join('\n'));
}

/** Width of the lines about held orders, in characters. */
const WIDTH = 100;

type OrderFlags = Readonly<{ order: string; wait?: boolean }>;

/** `drover orders show ID|TX`. With `--wait` it waits until the order has ended. */
export const ordersShow = ({ order, wait = false }: OrderFlags, context: CommandContext): Promise<number> =>
  withVenue(context, async (account) => {
    const name = checkOrderName(order);
    const look = async () => {
      const view = await findOrder(account.client, name);
      return view && orderObservation(view, view.mapping ? undefined : name);
    };
    const { observation, interrupted } = await watch(look, account, wait);
    if (!observation && !interrupted) throw unknownOrder(name);
    if (observation) printOrder(observation.row, context);
    if (interrupted) return EXIT.interrupted;
    return wait ? exitOf(observation) : EXIT.done;
  });

/** `drover orders record TX`: links one of the wallet's own transactions to the key. May be repeated. */
export const ordersRecord = (
  { tx, ...flags }: Readonly<{ tx: string; state?: string }>,
  context: CommandContext,
): Promise<number> => {
  const loaded = configOf(context, stateOverride(flags));
  // If the wallet sends its own transactions, links are allowed whatever `signing` says.
  if (!groupsFor(loaded.config).includes('record')) requireGroup('record', loaded);
  return withSendingAccount(loaded, context, async ({ client }) => {
    const txHash = checkOrderName(tx);
    await client.orderRecordTx({ body: { txHash } });
    return printOrder((await recordedRow(client, txHash)) ?? unseenOrder(txHash), context);
  });
};

async function recordedRow(client: Parameters<typeof findOrder>[0], txHash: string) {
  const view = await findOrder(client, txHash);
  return view && orderObservation(view, txHash).row;
}
