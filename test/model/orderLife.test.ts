import { describe, expect, it } from 'vitest';
import { ModelAccount } from './account.ts';
import { WAD } from './amount.ts';
import { close, mine, newOrder, revert } from './orderLife.ts';
import type { OrderTerms } from './orderRules.ts';

const at = (text: string) => Date.parse(text);

const terms: OrderTerms = {
  stock: {
    symbol: 'X',
    address: `0x${'11'.repeat(20)}`,
    tradable: true,
    fractionable: true,
    fractionalExtendedHours: false,
    overnight: true,
  },
  side: 'Sell',
  type: 'Limit',
  quantity: 10n * WAD,
  notional: 0n,
  price: 100n * WAD,
  deadline: at('2026-03-06T21:31:00Z') / 1000,
  deferred: false,
  gasLimit: 0,
};

const mined = () => {
  const account = new ModelAccount(new Map([['X', { available: 10n * WAD, locked: 0n }]]));
  const order = newOrder({ txHash: '0x1', apiKey: 'k', userAddress: 'u', terms });
  expect(mine(order, account, at('2026-03-06T21:30:00Z'))).toEqual([]);
  return { order, account };
};

/** Four of ten shares at 100: 400, less 1 bp. */
const executed = {
  filled: 4n * WAD,
  price: 100n * WAD,
  pay: 4n * WAD,
  receive: 400n * WAD - WAD / 25n,
  mintFee: 0n,
  protocolFee: WAD / 25n,
};

describe('orders of the model', () => {
  it('may partly fill after hours until a cancel that settles once the venue is closed', () => {
    const { order, account } = mined();
    order.cancel = { txHash: '0x2', deadline: 0, minedAt: null, reverted: false };
    const end = { status: 'Canceled' as const, at: at('2026-03-07T01:21:19Z'), ...executed };
    expect(close(order, account, end)).toEqual([]);
    expect(account.holding('X')).toEqual({ available: 6n * WAD, locked: 0n });
    expect(account.holding('mUSD')).toEqual({ available: executed.receive, locked: 0n });
  });

  it('may not fill while the venue is closed', () => {
    const { order, account } = mined();
    const whole = { ...executed, filled: 10n * WAD, pay: 10n * WAD, receive: 1000n * WAD - WAD / 10n };
    const end = {
      ...whole,
      protocolFee: WAD / 10n,
      status: 'Filled' as const,
      at: at('2026-03-07T15:00:00Z'),
    };
    expect(close(order, account, end)).toEqual([expect.stringContaining('outside of its sessions')]);
  });

  it('may not revert without a reason the model knows', () => {
    const account = new ModelAccount(new Map([['X', { available: 10n * WAD, locked: 0n }]]));
    const order = newOrder({ txHash: '0x1', apiKey: 'k', userAddress: 'u', terms });
    expect(revert(order, account, at('2026-03-06T21:30:00Z'))).toEqual([
      expect.stringContaining('reverted although'),
    ]);
  });
});
