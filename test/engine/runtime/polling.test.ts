import { expect, test, vi } from 'vitest';
import type { PollingPeriods } from '../../../src/domain/operator/settings.ts';
import { MINUTE, Stage } from '../stage.ts';

const USUAL: PollingPeriods = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 };
const SELDOM = { quotesMs: 5 * MINUTE, ordersMs: MINUTE, restingMs: 5 * MINUTE, accountMs: 5 * MINUTE };
const EVENING = Date.parse('2026-06-15T20:30:00Z');

/** Reads of prices, orders and account in half an hour after the close, once the start has settled. */
async function readsAtNight(periods: PollingPeriods): Promise<number[]> {
  const stage = await new Stage({ start: EVENING, more: { periods } }).play(10 * MINUTE);
  const reads = (['listings', 'orders', 'account'] as const).map((name) => vi.spyOn(stage.venue, name));
  await stage.pass(30 * MINUTE);
  return reads.map(({ mock }) => mock.calls.length);
}

test('quotes, orders and account are read once a minute outside the session without live orders', async () => {
  expect(await readsAtNight(USUAL)).toEqual([30, 30, 30]);
});

test('quotes, orders and account are read no more often outside the session than a slow session schedule', async () => {
  expect(await readsAtNight(SELDOM)).toEqual([6, 6, 6]);
});
