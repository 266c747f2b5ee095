import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cash, parseCash } from '../../src/core/amount.ts';
import { AAPL, Bench, buyFor, limit, sellAll } from './venueBench.ts';
import { runs } from '../runs.ts';

test('the simulated venue conserves money under any requests, and a restart changes nothing', async () => {
  const prices = fc.integer({ min: 80, max: 120 }).map(String);
  const sizes = fc.integer({ min: 1, max: 60 }).map(String);
  const step = fc.oneof(
    fc.record({ do: fc.constant('buy' as const), size: sizes }),
    fc.record({ do: fc.constant('sell' as const), size: sizes }),
    fc.record({
      do: fc.constant('limit' as const),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      size: sizes,
      price: prices,
    }),
    fc.record({ do: fc.constant('cancel' as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant('look' as const), price: prices }),
    fc.record({ do: fc.constant('restart' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      let bench = new Bench({ slippage: { kind: 'bps', bps: 7 } });
      for (const each of steps) {
        if (each.do === 'buy') await bench.place(buyFor(`${each.size}00`));
        else if (each.do === 'sell') await bench.place(sellAll(each.size));
        else if (each.do === 'limit') await bench.place(limit(each.side, each.size, each.price));
        else if (each.do === 'look') await bench.look(each.price);
        else if (each.do === 'cancel') {
          const { rows } = await bench.venue.orders({ page: 1, limit: 100 });
          const row = rows[each.which % Math.max(rows.length, 1)];
          if (row && 'orderId' in row) await bench.venue.cancel(row.orderId ?? '', bench.gate);
        } else {
          const before = [await bench.balances(), await bench.venue.orders({ page: 1, limit: 100 })];
          const { kept, clock } = bench;
          bench = new Bench({ kept, start: clock.now(), slippage: { kind: 'bps', bps: 7 } });
          const after = [await bench.balances(), await bench.venue.orders({ page: 1, limit: 100 })];
          expect(after).toEqual(before);
        }
        await expectConserved(bench);
      }
    }),
    { numRuns: runs(60) },
  );
});

/** What is free, locked, paid and received adds up to the opening; nothing is below 0. */
async function expectConserved({ venue }: Bench): Promise<void> {
  const { cash: free, holdings } = await venue.account();
  const { rows } = await venue.orders({ page: 1, limit: 100 });
  let [money, stocks] = [BigInt(free), BigInt(holdings.get(AAPL)?.exchange ?? 0n)];
  expect(money >= 0n && stocks >= 0n).toBe(true);
  for (const row of rows) {
    if ('unreadable' in row) throw new Error(row.unreadable);
    const isBuy = row.terms?.side === 'buy';
    const { pay = 0n, receive = 0n } = row.settlement ?? {};
    money += isBuy ? (row.locked ?? 0n) + pay : -receive;
    stocks += isBuy ? -receive : (row.locked ?? 0n) + pay;
  }
  expect([cash(money), stocks]).toEqual([parseCash('10000'), 0n]);
}
