import { toOrderText, toReport, type OrderRow } from '../../api/convert.ts';
import type { OrderView } from '../../api/views.ts';
import { shortWord } from '../../core/printable.ts';
import { decimalText, moneyText, priceText, sharesText, type AmountText } from '../../domain/amountText.ts';
import type { CommandContext } from '../../process/context.ts';
import { fieldLines, printResult } from '../../process/output.ts';
import type { Observation } from './chainTrace.ts';
import type { VenueClient } from '../../api/client.ts';
import { ConfigError, VenueRefusedError } from '../../core/errors.ts';

export const unseenOrder = (txHash: string): OrderRow => ({
  ...toOrderText({ mapping: { txHash } }),
  status: 'sent',
});

const ENDS = {
  filled: 'done',
  cancelled: 'failed',
  expired: 'failed',
  rejected: 'failed',
  reverted: 'failed',
  pending: null,
  open: null,
  canceling: null,
  unrecognised: null,
} as const;

export function orderObservation(view: OrderView, txHash: string | undefined): Observation<OrderRow> {
  const { status, rawStatus } = toReport(view, txHash);
  const row = toOrderText(view);
  return { row, status: rawStatus ? shortWord(rawStatus) : status, end: ENDS[status] };
}

/** The row with rounded amounts, for people. */
export function roundedOrder(row: OrderRow): OrderRow {
  const [paid, received] = row.side === 'Buy' ? [moneyText, sharesText] : [sharesText, moneyText];
  const text = (amount: string | null, form: AmountText) => amount && decimalText(amount, form);
  const [quantity, notional] = [text(row.quantity, sharesText), text(row.notional, moneyText)];
  return {
    ...row,
    quantity,
    notional,
    size: quantity ?? (notional && `${notional} mUSD`),
    price: text(row.price, priceText),
    settlePrice: text(row.settlePrice, priceText),
    settlePay: text(row.settlePay, paid),
    settleReceive: text(row.settleReceive, received),
  };
}

/** Prints an order; with `--json` the row itself. */
export const printOrder = (row: OrderRow, context: CommandContext): number =>
  printResult(context, row, fieldLines({ ...roundedOrder(row), size: null }));

/** A 32-byte hex text. @throws {ConfigError} naming what it should be */
export function checkHash(text: string, what: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return text.startsWith('0x') ? text : `0x${text}`;
  throw new ConfigError(`${what}: 0x and 64 hex digits`);
}

/** An order id, or the hash of its transaction. @throws {ConfigError} for a text that is neither */
export const checkOrderName = (text: string): string =>
  checkHash(text, 'an order is named by its id or the hash of its transaction');

export const unknownOrder = (name: string): ConfigError =>
  new ConfigError(
    `the venue knows no order ${name} of this key (yet). It appears when the indexer has seen its transaction; ` +
      '`drover orders show ID --wait` waits for that',
  );

/** Finds an order by id or hash; null while the venue does not know it. Both are 32 bytes long, so both are tried. */
export async function findOrder(client: VenueClient, name: string): Promise<OrderView | null> {
  const byTx = await client.orderByTx({ path: { txHash: name } }).catch(nullIfRefused);
  return byTx ?? (await client.order({ path: { orderId: name } }).catch(nullIfRefused));
}

function nullIfRefused(error: unknown): null {
  if (error instanceof VenueRefusedError) return null;
  throw error;
}
