import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { Orders, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, Stage, type StageOptions } from '../stage.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NO_PRICE = 'AAPL had no price in the session of 2026-06-15 that it was for: halted, or without data';

const acts = (act: (order: Orders) => void, heard: string[] = []): StrategyHooks => ({
  onStart({ order, view }) {
    if (view.orders().length === 0) act(order);
  },
  onOrder: ({ update }) => void heard.push(update.status),
});

/** Decides an hour before the open of Monday, the 15th, on Friday's price of AAPL. */
function halted(hooks: StrategyHooks): Readonly<{ stage: Stage; options: StageOptions }> {
  const options: StageOptions = { hooks: { solo: hooks }, start: MORNING - HOUR };
  const stage = new Stage(options);
  stage.venue.haltedAt.set('AAPL', epochMs(MORNING - 3 * DAY));
  return { stage, options };
}

describe('an order for a stock halted at the venue', () => {
  test.each<[string, (order: Orders) => void]>([
    ['market', (order) => order.buy('AAPL', { notional: '1000' })],
    ['a DAY limit order', (order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 110 })],
  ])('is dropped at the close of its session with a notice: %s', async (_what, act) => {
    const heard: string[] = [];
    const { stage, options } = halted(acts(act, heard));
    await stage.play(6 * HOUR);
    expect([heard, stage.runner.kernel.context.accountState.intents.size]).toEqual([['waiting'], 1]);
    await stage.pass(2 * HOUR);
    expect([heard.at(-1), stage.runner.kernel.context.accountState.intents.size]).toEqual(['dropped', 0]);
    expect(stage.notices.map(({ text }) => text)).toContainEqual(
      expect.stringContaining(`: dropped, ${NO_PRICE}`),
    );
    stage.venue.haltedAt.clear();
    await stage.pass(DAY);
    expect(stage.venue.sends).toBe(0);
    const { calendar, rules, strategies } = new Stage(options).options;
    const again = replay([...memoryJournal(stage.lines).entries()], () => {
      return new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
    });
    expect(again.parting).toBeNull();
  });

  test('without any price is dropped at the close, too', async () => {
    const { stage } = halted(acts((order) => order.buy('AAPL', { notional: '1000' })));
    stage.venue.prices.set('AAPL', 0n);
    await stage.play(8 * HOUR);
    expect(stage.notices.map(({ text }) => text)).toContainEqual(
      expect.stringContaining(`: dropped, ${NO_PRICE}`),
    );
  });

  test('is sent when the stock trades again before the close', async () => {
    const { stage } = halted(acts((order) => order.buy('AAPL', { notional: '1000' })));
    await stage.play(5 * HOUR);
    stage.venue.haltedAt.clear();
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
  });

  test('that is good till cancelled waits for the next session', async () => {
    const { stage } = halted(
      acts((order) => order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled' })),
    );
    await stage.play(8 * HOUR);
    stage.venue.haltedAt.clear();
    await stage.pass(DAY);
    expect(stage.venue.sends).toBe(1);
  });
});
