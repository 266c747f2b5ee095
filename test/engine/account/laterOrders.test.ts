import { expect, test } from 'vitest';
import type { HookContext } from '../../../src/strategy/index.ts';
import { MINUTE, Stage } from '../stage.ts';

const buy = ({ order }: HookContext) => void order.buy('AAPL', { notional: 100 });

/** Shows an order four minutes after it was sent and filled, and waits for the next. `fillsLate`: it fills only then. */
async function showLate(stage: Stage, fillsLate = false): Promise<void> {
  const { venue } = stage;
  const { last, sends } = venue;
  if (!fillsLate) venue.fill(last);
  await stage.pass(4 * MINUTE);
  if (fillsLate) venue.fill(last);
  last.shown = true;
  for (let waited = 0; venue.sends === sends && waited < 60; waited++) await stage.pass(10_100);
}

test('equal orders in sequence each explain the money they have taken before a late list shows them', async () => {
  const stage = new Stage({ hooks: { solo: { onStart: buy, onFill: buy } } });
  stage.venue.indexed = false;
  await stage.play(1_000);
  for (let index = 0; index < 12; index++) await showLate(stage, index % 4 === 3);
  expect(stage.venue.sends).toBe(13);
  expect(stage.alarms).toEqual([]);
});

test('money that orders under way cannot explain is reported between them', async () => {
  const stage = new Stage({ hooks: { solo: { onStart: buy, onFill: buy } } });
  stage.venue.indexed = false;
  await stage.play(1_000);
  await showLate(stage);
  stage.venue.cash -= 50n * 10n ** 18n;
  for (let index = 0; index < 3; index++) await showLate(stage);
  expect(stage.alarms[0]).toMatch(/^difference in mUSD/);
});

test('the end of an order that took as much as the one before is not confirmed by the gap of that one', async () => {
  const stage = new Stage({ hooks: { solo: { onStart: buy, onFill: buy } } });
  const { venue } = stage;
  venue.indexed = false;
  await stage.play(1_000);
  await showLate(stage);
  const { last } = venue;
  venue.fill(last);
  await stage.pass(MINUTE);
  Object.assign(last, { status: 'cancelled', rawStatus: 'cancelled', settlement: null, shown: true });
  await stage.pass(6 * MINUTE);
  expect(stage.alarms.join('\n')).toMatch(/ended without a fill \(.*\), and the account does not agree/);
});
