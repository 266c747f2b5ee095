import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';

let venue: Emulated;
beforeAll(async () => {
  venue = await startEmulated(75);
});
afterAll(() => venue.close());

const place = (limits: string, ...flags: string[]) =>
  accountOf(venue, 'one-click', { limits }).run(['orders', 'place', 'AAPL', ...flags, '--yes']);
const ordersAtVenue = async () =>
  ((await venue.control('/truth')) as { requests: Record<string, { received: number }> }).requests[
    'POST /api/v1/orders/send'
  ]?.received ?? 0;

describe('a manual order without a run', () => {
  test.each([
    ['orderNotional', 'orderNotional: 500', ['buy', '--market', '--notional', '500.01']],
    ['orderNotional', 'orderNotional: 500', ['buy', '--limit', '100.02', '--quantity', '5']],
    ['orderNotional', 'orderNotional: 100', ['sell', '--market', '--quantity', '3']],
    ['priceBandBps', 'orderNotional: 5000, priceBandBps: 500', ['buy', '--limit', '900', '--quantity', '1']],
    [
      'priceBandBps',
      'orderNotional: 5000, priceBandBps: 500',
      ['sell', '--limit', '10', '--quantity', '100'],
    ],
  ])('is refused over %s by { %s }: %j', async (limit, limits, flags) => {
    const before = await ordersAtVenue();
    const { code, err } = await place(limits, ...flags);
    expect([code, err]).toEqual([4, expect.stringContaining(`(${limit}). Nothing was sent`)]);
    expect(await ordersAtVenue()).toBe(before);
  });

  test('is sent within the limits', async () => {
    const before = await ordersAtVenue();
    const { code } = await place(
      'orderNotional: 500, priceBandBps: 500',
      'buy',
      '--market',
      '--notional',
      '499',
    );
    expect([code, await ordersAtVenue()]).toEqual([0, before + 1]);
  });
});
