import { expect, test } from 'vitest';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { parseCash } from '../../../src/core/amount.ts';
import { accountSchema, accountViewOf } from '../../../src/ops/model/account.ts';
import { DOCUMENTED_FEES } from '../../../src/domain/fees.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { USDC } from '../../domain/operations.ts';
import { SENT } from '../../domain/orders.ts';

test('a cash token has its address as a key, and its symbol as a name once the venue has stated it', () => {
  const { context } = new Kernel({
    calendar: tradingCalendar,
    rules: { limits: {}, ownLimits: new Map(), collarBps: 50, deadlineMs: 90_000, fees: DOCUMENTED_FEES },
    strategies: [],
    obstacles: { reason: () => null },
  });
  context.begin(SENT);
  context.record({ kind: 'opened', cash: parseCash('10'), holdings: [], equity: parseCash('10') });
  context.record({ kind: 'walletOpened', tokens: [[USDC, parseCash('7')]], stocks: [] });
  const assets = () => {
    const view = accountSchema.parse(accountViewOf(context, [], null));
    return view.assets.map(({ asset, name, wallet }) => [asset, name, wallet]);
  };
  expect(assets()).toEqual([
    ['mUSD', 'mUSD', '0'],
    [USDC, USDC, '7'],
  ]);
  context.record({
    kind: 'pinned',
    pins: [{ subject: 'cash token USDC', terms: { address: USDC, decimals: '6' } }],
  });
  expect(assets()[1]).toEqual([USDC, 'USDC', '7']);
});
