import { expect, test } from 'vitest';
import { ticker } from '../../../src/domain/instrument.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import type { Row } from '../fakeVenue.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const WAD = 10n ** 18n;

/** A run that has bought ten shares, and offers them by a resting order. */
async function offering(): Promise<Readonly<{ stage: Stage; buy: Row; sell: Row }>> {
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
    onFill: ({ order }) => void order.limit('AAPL', { side: 'sell', shares: 10, price: 120 }),
  };
  const stage = await new Stage({ hooks: { solo: hooks } }).play(10 * SECOND);
  const buy = stage.venue.last;
  stage.venue.fill(buy);
  await stage.pass(MINUTE);
  expect(stage.states).toEqual(['closed', 'working']);
  return { stage, buy, sell: stage.venue.last };
}

const stopsOf = ({ runner }: Stage) => {
  const { holds, accountState } = runner.kernel.context;
  return { held: holds.against(AAPL), frozen: accountState.frozen.get(AAPL) };
};

test('a fill undone by the chain freezes its stock, even if a sell that vanished with it hides the difference', async () => {
  const { stage, buy, sell } = await offering();
  const { pay = 0n, receive = 0n } = buy.settlement ?? {};
  for (const row of [sell, buy]) stage.venue.neverMined(row);
  Object.assign(buy, { settlement: null });
  stage.venue.cash += pay;
  stage.venue.holdings.set('AAPL', (stage.venue.holdings.get('AAPL') ?? 0n) - receive);
  await stage.pass(MINUTE);
  expect(stopsOf(stage)).toEqual({ held: expect.stringMatching(/shows it no longer/), frozen: undefined });
  await stage.pass(5 * MINUTE);
  expect(stopsOf(stage).frozen).toMatch(/order solo-1\.1: .* has undone the fill/);
  expect(stage.alarms.filter((text) => /undone the fill/.test(text))).toHaveLength(1);
  const { freezes } = stage.runner.kernel.context.accountState;
  const [cause] = freezes.causes(AAPL);
  expect(cause?.shown).toBe(cause?.why);
});

test('an indexer that restarts while a deposit arrives stops only buys, until it shows the fill again', async () => {
  const { stage, buy } = await offering();
  const shown = { ...buy };
  Object.assign(buy, { orderId: null, terms: null, status: 'pending', rawStatus: 'Pending', locked: null });
  Object.assign(buy, { settlement: null });
  stage.venue.cash -= 5n * WAD;
  await stage.pass(6 * MINUTE);
  expect(stopsOf(stage).frozen).toBeUndefined();
  stage.venue.cash += 10n * WAD;
  await stage.pass(2 * MINUTE);
  const { freezes } = stage.runner.kernel.context.accountState;
  expect(freezes.why.get(AAPL)).toMatch(/undone the fill/);
  expect(freezes.againstSale(AAPL, true)).toBeNull();
  Object.assign(buy, shown);
  await stage.pass(MINUTE);
  expect(freezes.why.get(AAPL) ?? '').not.toMatch(/undone the fill/);
});

test('an indexer that restarts freezes nothing, and holds a stock until its open order is shown again', async () => {
  const { stage, buy, sell } = await offering();
  const shown = [buy, sell].map((row) => ({ ...row }));
  for (const row of [buy, sell])
    Object.assign(row, { orderId: null, terms: null, status: 'pending', rawStatus: 'Pending', locked: null });
  await stage.pass(6 * MINUTE);
  expect(stopsOf(stage)).toEqual({ held: expect.stringMatching(/shows it no longer/), frozen: undefined });
  Object.assign(buy, shown[0]);
  Object.assign(sell, shown[1]);
  await stage.pass(MINUTE);
  expect(stopsOf(stage)).toEqual({ held: null, frozen: undefined });
  expect(stage.states).toEqual(['closed', 'working']);
});
