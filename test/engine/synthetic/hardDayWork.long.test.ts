import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { filledOf } from '../../../src/domain/orders/order.ts';
import { faultPlan } from '../../../src/emulator/faults/plan.ts';
import { atStart } from '../stage.ts';
import { EmulatedWorld } from '../emulated.ts';

const ASKED = '20';

test('a working order in 100 parts with 20 % of responses lost agrees with the venue and names what is missing', async () => {
  const plan = JSON.parse(readFileSync('config/hard-day.json', 'utf8')) as Readonly<{ rules: object[] }>;
  const rules = plan.rules.map((rule) => ({ ...rule, probability: 0.2 }));
  const world = new EmulatedWorld({ start: epochMs(Date.parse('2026-06-15T13:25:00Z')) });
  world.command({ kind: 'faults', body: faultPlan.parse({ ...plan, rules }) });
  const held = () => {
    const stock = world.truth().stocks.find(({ symbol }) => symbol === 'AAPL');
    return parseShares(stock?.exchange ?? '0') + parseShares(stock?.locked ?? '0');
  };
  const before = held();
  await world.run(7.5 * 60, {
    hooks: atStart((order) =>
      order.work('AAPL', {
        side: 'buy',
        shares: ASKED,
        style: 'twap',
        over: { minutes: 390 },
        every: { minutes: 3.9 },
      }),
    ),
  });
  const orders = [...(world.runner?.kernel.context.accountState.orders.values() ?? [])];
  const traded = orders.reduce((sum, order) => sum + filledOf(order), 0n);
  const ended = world.notices.find(({ text }) => /bought .* of 20/.test(text))?.text;
  expect(traded).toBeLessThanOrEqual(parseShares(ASKED));
  expect(held() - before).toBe(traded);
  expect(orders.length).toBeGreaterThan(50);
  expect(ended).toMatch(traded === parseShares(ASKED) ? /nothing is left/ : /missing: its time is over/);
});
