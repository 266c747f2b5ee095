import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { Orders, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, Stage, type StageOptions } from '../stage.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Decides once, an hour before the open of Monday, the 15th. */
function scene(act: (order: Orders) => void): StageOptions {
  let isFirst = true;
  const onStart: StrategyHooks['onStart'] = ({ order }) => {
    if (isFirst) act(order);
    isFirst = false;
  };
  return { hooks: { solo: { onStart } }, start: MORNING - 2 * HOUR };
}

const buy = (order: Orders) => order.buy('AAPL', { notional: '1000' });

async function restarted(options: StageOptions, down: Readonly<{ after: number; for: number }>) {
  const first = await new Stage(options).play(down.after);
  first.crash();
  await first.clock.advanceBy(down.for);
  first.venue.haltedAt.clear();
  return new Stage({ ...options, after: first }).play(10 * MINUTE);
}

describe('an order for a session whose close the runner missed', () => {
  test('is dropped with a notice by a start in the next session', async () => {
    const next = await restarted(scene(buy), { after: 30 * MINUTE, for: DAY + 3 * HOUR });
    expect(next.venue.sends).toBe(0);
    expect(next.said(/dropped, the session of 2026-06-15 that it was for has closed without a run/)).toBe(
      true,
    );
    expect(next.runner.kernel.context.accountState.intents.size).toBe(0);
  });

  test('is dropped, too, when its stock was halted at the venue before the crash', async () => {
    const options = scene(buy);
    const first = new Stage(options);
    first.venue.haltedAt.set('AAPL', epochMs(MORNING - 3 * DAY));
    await first.play(5 * HOUR);
    first.crash();
    await first.clock.advanceBy(DAY);
    first.venue.haltedAt.clear();
    const next = await new Stage({ ...options, after: first }).play(10 * MINUTE);
    expect(next.venue.sends).toBe(0);
    expect(next.runner.kernel.context.accountState.intents.size).toBe(0);
  });

  test('is sent when the runner is back before the close', async () => {
    const next = await restarted(scene(buy), { after: 30 * MINUTE, for: 4 * HOUR });
    expect(next.venue.sends).toBe(1);
  });

  test('that is good till cancelled is sent in the next session', async () => {
    const limit = (order: Orders) =>
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled' });
    const next = await restarted(scene(limit), { after: 30 * MINUTE, for: DAY + 3 * HOUR });
    expect(next.venue.sends).toBe(1);
  });
});
