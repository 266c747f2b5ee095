import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashHex } from '../../src/core/random.ts';
import { encode } from '../../src/store/codec.ts';
import type { Machine } from '../../src/emulator/machine.ts';
import { Bench } from './harness.ts';

type Step =
  | { do: 'market'; side: 'Buy' | 'Sell'; size: number; account: number }
  | { do: 'limit'; side: 'Buy' | 'Sell'; size: number; offset: number; account: number }
  | { do: 'cancel'; which: number }
  | { do: 'shock'; percent: number }
  | { do: 'move'; amount: number; account: number }
  | { do: 'wait'; ms: number };

const account = fc.nat(2);
const side = fc.constantFrom('Buy' as const, 'Sell' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('market' as const), side, size: fc.integer({ min: 1, max: 60_000 }), account }),
  fc.record({
    do: fc.constant('limit' as const),
    side,
    size: fc.integer({ min: 1, max: 300 }),
    offset: fc.integer({ min: -10, max: 10 }),
    account,
  }),
  fc.record({ do: fc.constant('cancel' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('shock' as const), percent: fc.integer({ min: -5, max: 5 }) }),
  fc.record({ do: fc.constant('move' as const), amount: fc.integer({ min: -20, max: 20 }), account }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 700, 3_000, 20_000, 3_600_000) }),
);

function run(venue: Bench, each: Step): void {
  switch (each.do) {
    case 'market': {
      const size = each.side === 'Buy' ? { notional: each.size } : { quantity: each.size / 1000 };
      venue.send({ side: each.side, type: 'Market', ...size }, venue.key(each.account));
      return;
    }
    case 'limit': {
      const price = (venue.price() * (1 + each.offset / 200)).toFixed(2);
      const terms = { side: each.side, type: 'Limit', quantity: each.size / 10, price, timeInForce: 'DAY' };
      venue.send(terms, venue.key(each.account));
      return;
    }
    case 'cancel': {
      const order = venue.machine.truth(venue.now).orders[each.which];
      if (order) venue.cancel(order.orderId);
      return;
    }
    case 'shock': {
      const price = (venue.price() * (1 + each.percent / 100)).toFixed(2);
      venue.machine.command({ kind: 'market', body: { symbol: 'AAPL', price } }, venue.now);
      return;
    }
    case 'move': {
      const { userAddress } = venue.account(each.account);
      const body = { userAddress, asset: 'AAPL', amount: String(each.amount) };
      try {
        venue.machine.command({ kind: 'move', body }, venue.now);
      } catch {
        // More was to be taken than there is.
      }
      return;
    }
    case 'wait':
      venue.wait(each.ms);
  }
}

const sumOf = ({ state }: Machine, asset: string): bigint =>
  Object.entries(state.balances)
    .filter(([place]) => place.endsWith(`/${asset}`))
    .reduce((sum, [, amount]) => sum + amount, 0n);

const lowestOf = ({ state }: Machine): bigint =>
  Object.entries(state.balances)
    .filter(([place]) => !place.startsWith('venue/'))
    .reduce((lowest, [, amount]) => (amount < lowest ? amount : lowest), 0n);

const hashOf = ({ state }: Machine): string => hashHex(encode(state));

test('whatever happens, what one loses another gains, and nobody has less than nothing', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const venue = new Bench({ indexerLagMs: 0 });
      for (const each of steps) {
        run(venue, each);
        expect(sumOf(venue.machine, 'mUSD')).toBe(0n);
        expect(sumOf(venue.machine, 'AAPL')).toBe(0n);
        expect(lowestOf(venue.machine)).toBe(0n);
      }
      venue.wait(48 * 3_600_000);
      for (const index of [0, 1, 2]) expect(venue.cash(index).locked).toBe('0');
      expect(sumOf(venue.machine, 'mUSD')).toBe(0n);
    }),
    { numRuns: 60 },
  );
});

test('the same inputs lead to the same state, in however many steps time moves', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
      const [once, again] = [new Bench(), new Bench()];
      for (const each of steps) {
        run(once, each);
        if (each.do !== 'wait') run(again, each);
        else
          for (let part = 0; part < 7; part++)
            again.wait(part < 6 ? each.ms / 8 : each.ms - (6 * each.ms) / 8);
      }
      expect(hashOf(again.machine)).toBe(hashOf(once.machine));
    }),
    { numRuns: 30 },
  );
});

test('another seed gives other prices, keys and hashes', () => {
  const [one, two] = [new Bench({ seed: 1 }), new Bench({ seed: 2 })];
  expect(one.key().apiKey).not.toBe(two.key().apiKey);
  expect(one.price()).not.toBe(two.price());
});
