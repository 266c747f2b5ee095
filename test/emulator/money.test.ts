import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashHex } from '../../src/core/random.ts';
import { encode } from '../../src/store/codec.ts';
import type { Machine } from '../../src/emulator/machine/machine.ts';
import { cashToken } from '../../src/emulator/state/constants.ts';
import { Bench, stock } from './harness.ts';
import { runs } from '../runs.ts';

type Step =
  | { do: 'market'; side: 'Buy' | 'Sell'; size: number; account: number }
  | { do: 'limit'; side: 'Buy' | 'Sell'; size: number; offset: number; account: number }
  | { do: 'cancel'; which: number }
  | { do: 'shock'; percent: number }
  | { do: 'move'; amount: number; account: number }
  | { do: 'cash'; way: 'deposits' | 'withdrawals'; size: number; account: number }
  | { do: 'stock'; way: 'deposits' | 'withdrawals'; size: number; account: number }
  | { do: 'bring'; side: 'Buy' | 'Sell'; size: number; account: number }
  | { do: 'deferred'; size: number }
  | { do: 'repay'; size: number }
  | { do: 'buffer'; size: number }
  | { do: 'wait'; ms: number };

const account = fc.nat(2);
const way = fc.constantFrom('deposits' as const, 'withdrawals' as const);
const size = fc.integer({ min: 1, max: 60_000 });
const few = fc.integer({ min: 1, max: 30 });
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
  fc.record({ do: fc.constant('cash' as const), way, size, account }),
  fc.record({ do: fc.constant('stock' as const), way, size: few, account }),
  fc.record({ do: fc.constant('bring' as const), side, size: few, account }),
  fc.record({ do: fc.constant('deferred' as const), size: few }),
  fc.record({ do: fc.constant('repay' as const), size: few }),
  fc.record({ do: fc.constant('buffer' as const), size }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 700, 3_000, 20_000, 3_600_000) }),
);

/** Plays a step; returns the AAPL that another actor has brought or taken. */
function run(venue: Bench, each: Step): bigint | undefined {
  switch (each.do) {
    case 'market': {
      const size = each.side === 'Buy' ? { notional: each.size } : { quantity: each.size / 1000 };
      venue.send({ side: each.side, type: 'Market', ...size }, venue.key(each.account));
      return undefined;
    }
    case 'limit': {
      const price = (venue.price() * (1 + each.offset / 200)).toFixed(2);
      const terms = { side: each.side, type: 'Limit', quantity: each.size / 10, price, timeInForce: 'DAY' };
      venue.send(terms, venue.key(each.account));
      return undefined;
    }
    case 'cancel': {
      const order = venue.machine.truth(venue.now).orders[each.which];
      if (order) venue.cancel(order.orderId);
      return undefined;
    }
    case 'shock': {
      const price = (venue.price() * (1 + each.percent / 100)).toFixed(2);
      venue.machine.command({ kind: 'market', body: { symbol: 'AAPL', price } }, venue.now);
      return undefined;
    }
    case 'move': {
      const { userAddress } = venue.account(each.account);
      const body = { userAddress, asset: 'AAPL', amount: String(each.amount) };
      try {
        venue.machine.command({ kind: 'move', body }, venue.now);
        return BigInt(each.amount) * WAD;
      } catch {
        return undefined; // The step would have taken more than the balance.
      }
    }
    case 'cash': {
      const amount = { [each.way === 'deposits' ? 'tokenAmount' : 'creditAmount']: each.size };
      const body = { tokenAddress: cashToken.address, ...amount };
      venue.post(`/cash/${each.way}/send`, body, venue.key(each.account));
      return undefined;
    }
    case 'stock': {
      const body = { tokenAddress: stock('AAPL'), tokenAmount: each.size };
      venue.post(`/stock/${each.way}/send`, body, venue.key(each.account));
      return undefined;
    }
    case 'bring': {
      const order = { side: each.side, type: 'Market', stockAddress: stock('AAPL') };
      const brought =
        each.side === 'Buy'
          ? { notional: each.size * 20, tokenAmount: each.size * 30, tokenAddress: cashToken.address }
          : { quantity: each.size, tokenAmount: each.size / 2 };
      const body = { ...order, ...brought, deadline: venue.deadline() };
      venue.post('/orders/with-deposit/send', body, venue.key(each.account));
      return undefined;
    }
    case 'deferred':
      venue.send({ side: 'Sell', type: 'Market', quantity: each.size, deferred: true }, venue.key(1));
      return undefined;
    case 'repay':
      venue.post(
        '/deferred-sell/repay/send',
        { stockAddress: stock('AAPL'), quantity: each.size },
        venue.key(1),
      );
      return undefined;
    case 'buffer': {
      const body = { creditBuffer: String(each.size), withdrawalBuffer: String(each.size / 2) };
      venue.command({ kind: 'cashier', body });
      return undefined;
    }
    case 'wait':
      venue.wait(each.ms);
      return undefined;
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);
const WAD = 10n ** 18n;

/** Total balance of all users in some assets and buckets. */
const heldIn = ({ state }: Machine, buckets: readonly string[], assets: readonly string[]): bigint =>
  sum(
    Object.entries(state.balances)
      .filter(([place]) => {
        const [, bucket = '', asset = ''] = place.split('/');
        return buckets.includes(bucket) && assets.includes(asset);
      })
      .map(([, amount]) => amount),
  );

/** Expected total balance, computed from orders, operations and events alone. */
function expectedOf({ state }: Machine, foreign: bigint) {
  const settled = state.orders.filter(({ settlement }) => settlement);
  const bought = settled.filter(({ side: each }) => each === 'buy');
  const sold = settled.filter(({ side: each }) => each === 'sell');
  const fees = state.operations
    .filter(({ type, changes }) => type === 'withdraw' && changes.at(-1)?.word === 'success')
    .map(({ fee }) => fee);
  const repaid = sum(
    state.transactions
      .flatMap(({ receipt }) => receipt?.events ?? [])
      .map((event) => (event.name === 'DeferredSellDebtRepaid' ? event.args.amount : 0n)),
  );
  const filled = (orders: typeof settled) => sum(orders.map((order) => order.filled));
  const deferred = filled(sold.filter((order) => order.deferred));
  return {
    cash:
      4n * 150_000n * WAD +
      sum(sold.map(({ settlement }) => settlement?.receive ?? 0n)) -
      sum(bought.map(({ settlement }) => settlement?.pay ?? 0n)) -
      sum(fees),
    stock: 4n * 120n * WAD + foreign + filled(bought) - (filled(sold) - deferred) - repaid,
    debt: deferred - repaid,
  };
}

const actualOf = (machine: Machine) => ({
  cash: heldIn(machine, ['exchange', 'locked', 'queued', 'wallet'], ['mUSD', 'USDC']),
  stock: heldIn(machine, ['exchange', 'locked', 'wallet'], ['AAPL']),
  debt: heldIn(machine, ['debt'], ['AAPL']),
});

const sumOf = ({ state }: Machine, asset: string): bigint =>
  Object.entries(state.balances)
    .filter(([place]) => place.endsWith(`/${asset}`))
    .reduce((sum, [, amount]) => sum + amount, 0n);

const lowestOf = ({ state }: Machine): bigint =>
  Object.entries(state.balances)
    .filter(([place]) => !place.startsWith('venue/'))
    .reduce((lowest, [, amount]) => (amount < lowest ? amount : lowest), 0n);

const hashOf = ({ state }: Machine): string => hashHex(encode(state));

test('any sequence of commands conserves money and stock, and no balance falls below zero', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const venue = new Bench({ indexerLagMs: 0 });
      venue.command({ kind: 'cashier', body: { creditBuffer: '100000', withdrawalBuffer: '20000' } });
      let foreign = 0n;
      for (const each of steps) {
        foreign += run(venue, each) ?? 0n;
        expect(sumOf(venue.machine, 'mUSD')).toBe(0n);
        expect(sumOf(venue.machine, 'AAPL')).toBe(0n);
        expect(sumOf(venue.machine, 'USDC')).toBe(0n);
        expect(actualOf(venue.machine)).toEqual(expectedOf(venue.machine, foreign));
        expect(lowestOf(venue.machine)).toBe(0n);
      }
      venue.wait(48 * 3_600_000);
      for (const index of [0, 1, 2]) expect(venue.cash(index).locked).toBe('0');
      expect(heldIn(venue.machine, ['queued'], ['mUSD', 'USDC'])).toBe(0n);
      expect(actualOf(venue.machine)).toEqual(expectedOf(venue.machine, foreign));
      expect(sumOf(venue.machine, 'mUSD')).toBe(0n);
    }),
    { numRuns: runs(100) },
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
    { numRuns: runs(30) },
  );
});

test('another seed gives other prices and keys', () => {
  const [one, two] = [new Bench({ seed: 1 }), new Bench({ seed: 2 })];
  expect(one.key().apiKey).not.toBe(two.key().apiKey);
  expect(one.price()).not.toBe(two.price());
});
