import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

/** Two minutes before the close of the session. */
const EVENING = epochMs(Date.parse('2026-06-15T19:56:00Z'));

/** Buys 10 AAPL (at 100.5) at the start, and places an exit once they are there. */
const holding = (protect: (order: HookContext['order']) => void): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') protect(order);
  },
});

test('the close says what stays armed overnight', async () => {
  const hooks = { solo: holding((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard')) };
  const stage = await new Stage({ hooks, start: EVENING }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(4 * MINUTE);
  const day = stage.notices.find(({ kind, text }) => kind === 'session' && text.startsWith('day:'));
  expect(day?.text).toMatch(
    /; nothing open; this bot, not the venue, holds overnight: stop at 95 of all AAPL \(guard\)$/,
  );
});

test('the close of a strategy that holds nothing so stays as it was', async () => {
  const hooks = { solo: holding(() => undefined) };
  const stage = await new Stage({ hooks, start: EVENING }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(4 * MINUTE + 10 * SECOND);
  expect(stage.said(/nothing open$/)).toBe(true);
});
