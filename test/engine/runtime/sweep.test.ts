import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { hashHex } from '../../../src/core/random.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import type { TransferPort, TransferReport } from '../../../src/domain/transfers/transfer.ts';
import type { OrderReport, Venue } from '../../../src/domain/venue.ts';
import { listTransfers, sweepOrders } from '../../../src/engine/runtime/sweep.ts';
import type { KernelEvent } from '../../../src/engine/state/kernelEvent.ts';

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

/** A list with at most `most` rows per page, without its `hidden` newest rows, which its total includes. */
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

describe('the list of deposits, when one is being looked for', () => {
  type Shown = Readonly<{ count: number; hidden?: number; most?: number; untimed?: boolean }>;

  const row = (index: number, untimed: boolean): TransferReport => ({
    txHash: hashHex(`tx ${index}`),
    status: 'success',
    rawStatus: 'Success',
    createdAt: epochMs(untimed ? 0 : 1_000_000 - index * 1_000),
    moved: null,
  });

  /** Reads the list back to a deposit sent at 900 s. */
  async function read({ count, hidden = 0, most = 100, untimed = false }: Shown) {
    const rows = Array.from({ length: count }, (_, index) => row(index, untimed)).slice(hidden);
    const transfers: TransferPort['transfers'] = (_, { page, limit }) => {
      const size = Math.min(limit, most);
      return Promise.resolve({ total: count, rows: rows.slice((page - 1) * size, page * size) });
    };
    const sent = { id: 'one', terms: { kind: 'cashDeposit' }, state: { kind: 'unknown', at: 900_000 } };
    const live = new Map([['one', sent]]);
    const kernel = { context: { accountState: { transfers: { live }, nonces: new Map() } } };
    const taken: KernelEvent[] = [];
    const clock = new VirtualClock({ start: epochMs(1_000_000) });
    const take = (event: KernelEvent) => void taken.push(event);
    await listTransfers({ kernel: kernel as never, port: { transfers } as TransferPort, clock, take });
    const [list] = taken;
    if (list?.kind !== 'transfers') throw new Error('no list');
    return [list.complete, list.rows.length];
  }

  test('is read back to it', async () => {
    expect(await read({ count: 30 })).toEqual([true, 30]);
    expect(await read({ count: 300 })).toEqual([true, 200]);
  });

  test('is not complete without its newest rows, although its count includes them', async () => {
    expect(await read({ count: 2, hidden: 1 })).toEqual([false, 1]);
    expect(await read({ count: 2, hidden: 2 })).toEqual([false, 0]);
  });

  test('is read to its end if its rows have no time', async () => {
    expect(await read({ count: 120, untimed: true })).toEqual([true, 120]);
  });

  test('is read by pages of the size that the venue gives', async () => {
    expect(await read({ count: 60, most: 20 })).toEqual([true, 60]);
  });
});
