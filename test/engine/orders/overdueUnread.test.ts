import { expect, test } from 'vitest';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const everyMinute = Array.from({ length: 20 }, (_, index) => {
  const at = `10:${String(index + 1).padStart(2, '0')}`;
  return { name: `at ${at}`, at };
});
const data = { quotes: ['AAPL', 'MSFT'], timers: everyMinute };

/** A strategy with one resting buy that orders another of the same stock each minute. */
function insisting(): StrategyHooks {
  let asked = 0;
  return {
    onTimer: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 80 + asked++ }),
  };
}

/** Makes the row of the order unreadable from the second minute on, both in the list and by its transaction. */
async function garbled(txHash: 'told' | 'untold'): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: insisting() }, data }).play(MINUTE + 20 * SECOND);
  const orders = stage.venue.orders.bind(stage.venue);
  stage.venue.orders = async (asked) => {
    const page = await orders(asked);
    const rows = page.rows.map((row) => ({
      unreadable: 'side: no side: {}',
      reason: 'side: no side',
      txHash: txHash === 'told' ? row.txHash : null,
    }));
    return { total: page.total, rows: rows as never };
  };
  stage.venue.orderByTx = () => Promise.resolve(null);
  return stage;
}

test.each(['told', 'untold'] as const)(
  'an order with only unreadable rows raises one alarm that says since when (its transaction %s)',
  async (txHash) => {
    const stage = await garbled(txHash);
    await stage.pass(15 * MINUTE);
    const told = stage.alarms.filter((text) => text.startsWith('nothing could be read of buy 1 AAPL'));
    expect(told).toEqual([expect.stringMatching(/since 10:01 in New York: .* counts as working/)]);

    stage.runner.stop('enough');
    await stage.pass(5 * MINUTE);
    expect(stage.summary?.problems).toEqual([
      { since: expect.stringMatching(/^2026-06-15T14:01:/) as string, text: told[0] },
    ]);
  },
);

test('an order with only unreadable rows stops being a problem once the venue shows it, without an alarm', async () => {
  const stage = await garbled('untold');
  await stage.pass(5 * MINUTE);
  expect(stage.runner.kernel.context.problems.all).toHaveLength(1);
  Reflect.deleteProperty(stage.venue, 'orders');
  await stage.pass(MINUTE);
  expect(stage.runner.kernel.context.problems.all).toEqual([]);
  expect(stage.said(/order solo-1.1 can be read again, after \d min/)).toBe(true);
});

test('orders dropped while another order of the stock is unreadable are reported once per reason, and counted', async () => {
  const stage = await garbled('told');
  await stage.pass(15 * MINUTE);
  const dropped = stage.notices.filter(({ text }) => text.includes(': dropped, AAPL is frozen'));
  expect(dropped).toHaveLength(1);

  stage.runner.stop('enough');
  await stage.pass(5 * MINUTE);
  expect(stage.summary?.strategies[0]?.dropped).toEqual({
    count: 15,
    reasons: [
      {
        symbol: 'AAPL',
        why: expect.stringMatching(/^AAPL is frozen/) as string,
        since: expect.stringMatching(/^2026-06-15T14:0[23]/) as string,
        count: 15,
      },
    ],
  });
});
