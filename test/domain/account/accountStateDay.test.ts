import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { UNALLOCATED, type Asset } from '../../../src/domain/account/ledger.ts';
import { assetOf } from '../../../src/domain/orders/order.ts';
import { decode, encode } from '../../../src/store/codec.ts';
import { AAPL, MSFT } from '../orders.ts';
import { someDay } from './someDay.ts';
import { runs } from '../../runs.ts';

const OWNERS = [UNALLOCATED, 'alpha', 'beta'];
const ASSETS: Asset[] = ['mUSD', AAPL, MSFT];
const $ = parseCash;

/** All contents of the account state, private parts too. */
const contents = (books: AccountState) => ({
  fields: Object.entries(books),
  balances: OWNERS.flatMap((strategyId) =>
    (['free', 'reserved', 'venue'] as const).map((bucket) =>
      ASSETS.map((asset) => books.ledger.balance(strategyId, bucket, asset)),
    ),
  ),
  positions: OWNERS.map((strategyId) => [...books.positions.all(strategyId)]),
});

describe('the account state over any sequence of journal entries', () => {
  test('conserves every unit: holdings come from the venue, reserves belong to live orders', () => {
    fc.assert(
      fc.property(someDay, (entries) => {
        const kept = new AccountState();
        const flow = new Map<Asset, bigint>([
          ['mUSD', $('10000')],
          [MSFT, parseShares('5')],
        ]);
        const flowed = (asset: Asset, amount: bigint) => flow.set(asset, (flow.get(asset) ?? 0n) + amount);
        for (const entry of entries) {
          kept.apply(entry);
          const { fact } = entry;
          const order = fact.kind === 'order' ? kept.order(fact.id) : null;
          if (order?.state.kind === 'closed' && order.state.settlement) {
            const buys = order.terms.side === 'buy';
            flowed(assetOf(order), -order.state.settlement.pay);
            flowed(buys ? AAPL : 'mUSD', order.state.settlement.receive);
          }
        }
        for (const asset of ASSETS) {
          expect(kept.ledger.total(asset)).toBe(flow.get(asset) ?? 0n);
          const held = OWNERS.reduce((sum, strategyId) => sum + kept.ledger.held(strategyId, asset), 0n);
          expect(held).toBe(kept.ledger.total(asset));
          for (const strategyId of OWNERS) {
            const bound = [...kept.live.values()]
              .filter((order) => order.strategyId === strategyId && assetOf(order) === asset)
              .reduce((sum, order) => sum + order.reserve, 0n);
            expect(kept.ledger.balance(strategyId, 'reserved', asset)).toBe(bound);
          }
        }
        for (const strategyId of ['alpha', 'beta'])
          expect(kept.positions.of(strategyId, AAPL).quantity).toBe(kept.ledger.held(strategyId, AAPL));
      }),
      { numRuns: runs(300) },
    );
  });

  test('is the same when rebuilt from the encoded journal', () => {
    fc.assert(
      fc.property(someDay, (entries) => {
        const [once, again] = [new AccountState(), new AccountState()];
        for (const entry of entries) {
          once.apply(entry);
          again.apply(decode(encode(entry)) as JournalEntry);
        }
        expect(contents(again)).toEqual(contents(once));
      }),
    );
  });

  test('passes through every order state in 300 random days', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(someDay, (entries) => {
        const kept = new AccountState();
        for (const entry of entries) {
          kept.apply(entry);
          if (entry.fact.kind === 'order') seen.add(kept.order(entry.fact.id).state.kind);
        }
      }),
      { numRuns: runs(300), seed: 1 },
    );
    expect([...seen].sort()).toEqual(
      'abandoned acknowledged closed neverExisted planned refused reverted sent unknown working'.split(' '),
    );
  });
});
