import { expect, test } from 'vitest';
import { cash } from '../../src/core/amount.ts';
import { settledAmounts } from '../../src/sim/settlement.ts';

const fees = { mintFee: cash(3n), protocolFee: cash(2n) };

test('a settled buy pays its notional and the fees, and receives its shares', () => {
  expect(settledAmounts({ side: 'buy', filled: 7n, notional: 100n, ...fees })).toEqual({
    pay: 105n,
    receive: 7n,
    ...fees,
  });
});

test('a settled sell pays its shares, and receives its notional less the fees', () => {
  expect(settledAmounts({ side: 'sell', filled: 7n, notional: 100n, ...fees })).toEqual({
    pay: 7n,
    receive: 95n,
    ...fees,
  });
});
