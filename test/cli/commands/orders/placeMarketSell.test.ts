import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';

let venue: Emulated;
beforeAll(async () => {
  venue = await startEmulated(74);
});
afterAll(() => venue.close());

/** Sells at the market while the venue reports a wrong list of symbols. */
async function sellWhile(field: string, value: number, limits: string) {
  const rule = { kind: 'edit', endpoint: 'GET /api/v1/symbols', path: `data.*.${field}`, value };
  await venue.control('/faults', { rules: [rule] });
  const sell = ['orders', 'place', 'AAPL', 'sell', '--market', '--quantity', '1', '--deferred', '--yes'];
  const ran = await accountOf(venue, 'one-click', { limits }).run(sell);
  await venue.control('/faults', { rules: [] });
  return ran;
}

const AT = Date.parse('2026-06-15T14:00:00Z') / 1000;

test('a market sell without a known price is not sent: a row without a price is not a listing', async () => {
  const { code, err } = await sellWhile('price', 0, 'orderNotional: 5000');
  expect([code, err]).toEqual([2, expect.stringContaining('AAPL is not listed at this venue')]);
});

test('a market sell with a price that is too old is not sent either, and one with a fresh price is', async () => {
  const limits = 'orderNotional: 5000, debt: 5000, quoteAgeMs: 60000';
  const old = await sellWhile('lastUpdateTimestamp', AT - 90, limits);
  expect([old.code, old.err]).toEqual([
    4,
    expect.stringMatching(/the price of AAPL is 9\d s old, over 60 s \(quoteAgeMs\). Nothing was sent/),
  ]);
  expect((await sellWhile('lastUpdateTimestamp', AT - 30, limits)).code).toBe(0);
});
