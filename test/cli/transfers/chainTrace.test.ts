import { expect, test } from 'vitest';
import type { OrderView } from '../../../src/api/views.ts';
import type { OrderRow } from '../../../src/api/convert.ts';
import type { TransferRow } from '../../../src/api/operations.ts';
import { orderObservation, unseenOrder } from '../../../src/cli/transfers/orderRow.ts';
import { transferObservation, unseenTransfer } from '../../../src/cli/transfers/transfers.ts';
import { traceWatch, type ShownRow, type Look } from '../../../src/cli/transfers/chainTrace.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { Trace } from '../../../src/wallet/traces.ts';

const txHash = `0x${'ef'.repeat(32)}`;
const orderId = `0x${'0a'.repeat(32)}`;
const mined: Trace = { kind: 'mined', at: epochMs(1_000_000), revert: null, isDeep: false };

/** What is seen `afterMs` after a send that is looked for during 150 s. */
async function seenAfter<Row extends ShownRow>(afterMs: number, look: Look<Row>, unseen: Row) {
  const clock = { now: () => epochMs(1_000_000 + afterMs) };
  const sent = { txHash, at: epochMs(1_000_000), lookMs: 150_000, signed: undefined, clock };
  return traceWatch({ look, unseen, byReceipt: false }, { ...sent, traceOf: () => Promise.resolve(mined) })();
}

const showing = (status: string): Look<OrderRow> => {
  const view: OrderView = { mapping: { txHash, status, orderId }, orderStatus: status };
  return () => Promise.resolve(orderObservation(view, txHash, false));
};

test('an order with an unknown status word ends as unknown, once its time is over', async () => {
  const look = showing('Executed');
  expect(await seenAfter(149_000, look, unseenOrder(txHash))).toMatchObject({ end: null });
  const sight = await seenAfter(150_000, look, unseenOrder(txHash));
  expect(sight?.end).toBe('unknown');
  expect(sight?.status).toMatch(/the venue gives the status "Executed", .*docs\/first-contact\.md/);
});

test('an open order with a known status word is waited for', async () => {
  expect(await seenAfter(9e6, showing('New'), unseenOrder(txHash))).toMatchObject({ end: null });
});

test('a transfer with an unknown status word ends as unknown; one on its way is waited for', async () => {
  const unseen = unseenTransfer('cashDeposit', txHash);
  const told = (status: string): Look<TransferRow> => {
    const row = { ...unseen, operationId: '0x01', status };
    return () => Promise.resolve(transferObservation(row));
  };
  expect(await seenAfter(9e6, told('processing'), unseen)).toMatchObject({ end: null });
  expect(await seenAfter(9e6, told('Pending'), unseen)).toMatchObject({ end: null });
  expect(await seenAfter(9e6, told('settled'), unseen)).toMatchObject({ end: 'unknown' });
});

test('a mined order that the venue never shows ends as unknown', async () => {
  const nothing = () => Promise.resolve(null);
  expect(await seenAfter(149_000, nothing, unseenOrder(txHash))).toMatchObject({ end: null });
  const sight = await seenAfter(150_000, nothing, unseenOrder(txHash));
  expect(sight?.end).toBe('unknown');
  expect(sight?.status).toContain(`${txHash} was mined, and 150 s after the send the venue does not show`);
});
