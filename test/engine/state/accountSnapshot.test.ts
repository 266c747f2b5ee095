import { expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares, type Price } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { freeOf, UNALLOCATED, VENUE, type Asset } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { AccountSnapshot } from '../../../src/engine/state/accountSnapshot.ts';

const [AAPL, SPY] = [ticker('AAPL'), ticker('SPY')];

/** An account with two stocks, and a market that counts its reads. */
function account(version: number | undefined) {
  const state = new AccountState();
  const bring = (strategyId: string, asset: Asset, amount: bigint) =>
    state.ledger.move('a test', { asset, amount, from: VENUE, to: freeOf(strategyId) });
  bring('a', 'mUSD', parseCash('100'));
  bring('a', AAPL, parseShares('2'));
  bring(UNALLOCATED, SPY, parseShares('3'));
  const prices = new Map<string, Price>([[AAPL, parsePrice('10')]]);
  const market = {
    version,
    asked: 0,
    price(symbol: string) {
      this.asked++;
      return prices.get(symbol) ?? null;
    },
  };
  return { bring, prices, market, snapshot: new AccountSnapshot(state, market) };
}

test('the account snapshot is computed once while neither ledger nor prices change', () => {
  const { bring, prices, market, snapshot } = account(1);
  const marks = snapshot.of('a');
  expect(marks).toMatchObject({ cash: parseCash('100'), worth: parseCash('20'), booked: parseCash('20') });
  const { asked } = market;
  expect(snapshot.of('a')).toBe(marks);
  expect(market.asked).toBe(asked);
  bring('a', AAPL, parseShares('1'));
  expect(snapshot.of('a').worth).toBe(parseCash('30'));
  prices.set(AAPL, parsePrice('11'));
  market.version = 2;
  expect(snapshot.of('a').worth).toBe(parseCash('33'));
});

test('the account snapshot follows a price that changes without a version', () => {
  const { prices, snapshot } = account(undefined);
  expect(snapshot.whole.worth).toBe(parseCash('20'));
  prices.set(AAPL, parsePrice('12'));
  expect(snapshot.whole.worth).toBe(parseCash('24'));
});

test('the counted part of the account snapshot excludes stock held before the first start', () => {
  const { prices, snapshot } = account(undefined);
  prices.set(SPY, parsePrice('5'));
  expect(snapshot.whole.worth).toBe(parseCash('35'));
  expect(snapshot.counted.worth).toBe(parseCash('20'));
});
