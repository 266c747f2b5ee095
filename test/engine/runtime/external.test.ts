import { expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderTerms } from '../../../src/domain/venue.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, Stage } from '../stage.ts';

const common = { symbol: ticker('AAPL'), stock: `0x${'1'.repeat(40)}`, side: 'buy' } as const;
const buyMsft: StrategyHooks = {
  onTimer: ({ order }) => void order.limit('MSFT', { side: 'buy', shares: 4, price: 50 }),
};
const data = { quotes: ['MSFT'], timers: [{ name: 't', at: '10:02' }] };

/** An external buy is open before ours is requested. Its value with fees is just above, or below, the room left by the limit. */
async function besides(terms: OrderTerms, locked: 'told' | 'untold', gross: string): Promise<number> {
  const limits = { grossExposure: parseCash(gross) };
  const stage = await new Stage({ hooks: { solo: buyMsft }, data, limits }).play(10_000);
  const row = stage.venue.foreign(terms);
  if (locked === 'untold') row.locked = null;
  await stage.pass(5 * MINUTE);
  return stage.venue.sends;
}

const limit: OrderTerms = { ...common, type: 'limit', quantity: parseShares('10'), price: parsePrice('90') };
const market: OrderTerms = { ...common, type: 'market', notional: parseCash('900') };

test('an external order counts for all it can take, and explains what it has locked', async () => {
  expect(await besides(limit, 'told', '1100')).toBe(0);
  expect(await besides(limit, 'told', '1101')).toBe(1);
});

test.each([limit, market])(
  'cash that an external order may have locked stops every buy (%#)',
  async (terms) => {
    expect(await besides(terms, 'untold', '9000')).toBe(0);
  },
);

const hash = (digit: string) => `0x${digit.repeat(64)}`;

test.each([
  ['by its transaction', hash('a'), hash('b')],
  ['by its unreadable field when it has no transaction', null, null],
])(
  'an unreadable row is recognised again %s, and reported once even if its other fields change',
  async (_name, first, second) => {
    const stage = new Stage({ data });
    const orders = stage.venue.orders.bind(stage.venue);
    const rows = () =>
      (['side', 'type'] as const).map((field, index) => ({
        reason: `${field}: not a text`,
        unreadable: `${field}: not a text: {"updateTime":${stage.clock.now()}}`,
        txHash: index === 0 ? first : second,
      }));
    stage.venue.orders = async (asked) => {
      const page = await orders(asked);
      return { total: page.total + 2, rows: [...page.rows, ...rows()] as never };
    };
    await stage.play(5 * MINUTE);
    expect(stage.alarms).toEqual([
      expect.stringContaining('is unreadable: side: not a text: {"updateTime":'),
      expect.stringContaining('is unreadable: type: not a text: {"updateTime":'),
    ]);
  },
);

test.each([
  ['that starts with', 0, 'cancelled'],
  ['that changes to', 30_000, 'cancelled'],
  ['that ends with', 30_000, 'unrecognised'],
] as const)(
  'an external order %s an unknown status counts until it locks nothing',
  async (_how, seenMs, status) => {
    const stage = await new Stage({ data }).play(10_000);
    const row = stage.venue.foreign(limit);
    const { context, reconciliation } = stage.runner.kernel;
    const { externals } = context.accountState;
    await stage.pass(seenMs);
    Object.assign(row, { status: 'unrecognised', rawStatus: 'Held' });
    await stage.pass(5 * MINUTE);
    expect([[...externals.open.keys()], reconciliation.open]).toEqual([[row.txHash], []]);
    Object.assign(row, { status, locked: null });
    await stage.pass(MINUTE);
    expect([externals.open.size, externals.all.get(row.txHash)?.why]).toEqual([0, 'ended']);
  },
);
