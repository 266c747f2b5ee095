import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import { slow } from '../operator/commands.ts';
import { atStart, SECOND, Stage } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const polling = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 };
const small = parseCash('999');
const cases: [string, Limits][] = [
  ['symbols.AAPL.orderNotional', { symbols: { AAPL: { orderNotional: small } } }],
  ['symbols.AAPL.positionNotional', { symbols: { AAPL: { positionNotional: small } } }],
  ['groups.tech.positionNotional', { groups: { tech: { symbols: ['AAPL'], positionNotional: small } } }],
  ['turnoverPerDay', { turnoverPerDay: small }],
];

/** A buy of 1000 mUSD that waits for its slot while a reload applies other limits. */
async function reloaded(limits: Limits): Promise<Stage> {
  const solo = atStart((order) => order.buy('AAPL', { notional: '1000' }));
  const stage = await new Stage({ hooks: { solo }, as: slow(30 * SECOND) }).play(10 * SECOND);
  expect(stage.states).toEqual(['planned']);
  await stage.runner.command({
    id: 'reload-1' as CommandId,
    by: 'ann',
    reason: 'narrower',
    command: { kind: 'reload', changes: {}, settings: { limits, ownLimits: {}, polling } },
  });
  return stage.pass(60 * SECOND);
}

test.each(cases)('the limit %s is checked again in the step that sends an order', async (path, limits) => {
  const stage = await reloaded(limits);
  expect(stage.venue.sends).toBe(0);
  expect(stage.orders[0]?.state).toMatchObject({
    kind: 'abandoned',
    reason: expect.stringContaining(path) as string,
  });
});

test.each(cases)(
  'an order that has come to exceed %s is sent with the allowed size under the policy reduce',
  async (_path, limits) => {
    const stage = await reloaded({ ...limits, limitPolicy: 'reduce' });
    expect(stage.orders.map(({ state }) => state.kind)).toEqual(['abandoned', 'working']);
    expect(stage.orders[1]?.terms).toMatchObject({ notional: small });
    expect(stage.venue.sends).toBe(1);
  },
);
