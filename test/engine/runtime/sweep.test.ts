import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { hashHex } from '../../../src/core/random.ts';
import type { OrderReport, Venue } from '../../../src/domain/venue.ts';
import { sweepOrders } from '../../../src/engine/runtime/sweep.ts';

const filled = (_: unknown, index: number): OrderReport => ({
  txHash: hashHex(`tx ${index}`),
  orderId: hashHex(`order ${index}`),
  status: 'filled',
  rawStatus: 'Filled',
  createdAt: epochMs(1_000_000 - index),
  terms: null,
  locked: null,
  settlement: null,
});
const listOf = (count: number) => Array.from({ length: count }, filled);

/** A list that gives at most `most` rows at once, and leaves out its `hidden` newest rows though it counts them. */
function listing(count: number, { most = 100, hidden = 0 }) {
  const shown = listOf(count).slice(hidden);
  const limits: number[] = [];
  const orders: Venue['orders'] = ({ page, limit }) => {
    limits.push(limit);
    const size = Math.min(limit, most);
    return Promise.resolve({ total: count, rows: shown.slice((page - 1) * size, page * size) });
  };
  return { venue: { orders } as Venue, limits };
}

const query = { live: 0, oldestLive: null };

describe('the order list', () => {
  test('is read by pages of 50, and a full page older than all live orders is enough', async () => {
    const { venue, limits } = listing(120, {});
    expect(await sweepOrders(venue, query)).toMatchObject({ complete: true });
    expect(limits).toEqual([50]);
  });

  test.each([10, 20, 49])('that gives %d rows at once is read by pages of that size', async (most) => {
    const { venue, limits } = listing(120, { most });
    const { complete, rows } = await sweepOrders(venue, query);
    expect([complete, rows.length, limits]).toEqual([true, 2 * most, [50, most, most]]);
  });

  test('is read down to the oldest live order', async () => {
    const { venue } = listing(120, { most: 20 });
    const { complete, rows } = await sweepOrders(venue, { live: 1, oldestLive: epochMs(900_000) });
    expect([complete, rows.length]).toEqual([true, 120]);
  });

  test.each([2, 12, 40, 50])('of %d rows without its newest is not complete', async (count) => {
    const { venue } = listing(count, { hidden: 1 });
    expect(await sweepOrders(venue, query)).toMatchObject({ complete: false });
  });
});
