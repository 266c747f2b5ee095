import type { OrderView } from '../../api/orderView.ts';
import type { VenueClient } from '../../api/client.ts';
import { ConfigError, VenueRefusedError } from '../../core/errors.ts';

/** Text of 32 bytes. @throws {ConfigError} saying what it should name */
export function checkHash(text: string, what: string): string {
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return text.startsWith('0x') ? text : `0x${text}`;
  throw new ConfigError(`${what}: 0x and 64 hex digits`);
}

/** An order id, or the hash of its transaction. @throws {ConfigError} for a text that is neither */
export const checkOrderName = (text: string): string =>
  checkHash(text, 'an order is named by its id or the hash of its transaction');

/** By either name; null while the venue does not know it. Both are 32 bytes, so both are asked for. */
export async function findOrder(client: VenueClient, name: string): Promise<OrderView | null> {
  const byTx = await client.orderByTx({ path: { txHash: name } }).catch(nullIfRefused);
  return byTx ?? (await client.order({ path: { orderId: name } }).catch(nullIfRefused));
}

function nullIfRefused(error: unknown): null {
  if (error instanceof VenueRefusedError) return null;
  throw error;
}
