import { createVenueClient, type VenueClient } from '../src/api/client.ts';
import { formatDecimal } from '../src/core/amount.ts';
import { toSeconds, type EpochMs } from '../src/core/brand.ts';
import { hashHex } from '../src/core/random.ts';
import type { OrderTerms } from '../src/domain/venue.ts';

export const USER = '0x00000000000000000000000000000000000000aa' as const;

export const hashOf = (index: number): string => hashHex(`tx ${index}`);

type LimitTerms = Extract<OrderTerms, { type: 'limit' }>;

/** A row of `GET /orders`: the `index`-th order of the key, open. */
export function openRow(index: number, { symbol, side, quantity, price }: LimitTerms, createdAt: EpochMs) {
  const orderId = hashHex(`order ${index}`);
  const terms = {
    placeNotional: '0',
    placeQuantity: formatDecimal(quantity),
    placePrice: formatDecimal(price),
  };
  const kind = { side: side === 'buy' ? 'Buy' : 'Sell', type: 'Limit', tif: 'DAY', symbol };
  return {
    txHash: hashOf(index),
    operationType: 'trade',
    status: 'New',
    orderId,
    operationId: null,
    chainId: 1,
    productType: 'bench',
    createTime: toSeconds(createdAt),
    openOrder: { orderId, userAddress: USER, ...kind, ...terms, pay: '1001.1', status: 'placing' },
    historyOrder: null,
  };
}

/** The envelope around such rows. */
export const listBody = (rows: readonly object[], t: EpochMs): string =>
  JSON.stringify({
    code: 200,
    errMsg: '',
    uuid: '2f1f9a5e-6f0e-4e6b-9b0e-7a4f0c6d7b11',
    t,
    data: { total: rows.length, rows },
  });

/** The product's client without its request budget. */
export const clientAt = (baseUrl: string): VenueClient =>
  createVenueClient({
    baseUrl,
    chainId: 1,
    product: 'bench',
    apiKey: 'bench-key',
    secret: 'a secret of 32 bytes or so, hex',
    requestsPerMinute: Infinity,
  });
