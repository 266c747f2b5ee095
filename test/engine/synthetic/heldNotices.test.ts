import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { OperatorAnswer } from '../../../src/domain/operator/command.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { give } from '../operator/commands.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

/** Two minutes before the close of the session. */
const EVENING = epochMs(Date.parse('2026-06-15T19:56:00Z'));

/** Buys 10 AAPL (at 100.5) at the start, and places an exit once it has filled. */
const holding = (protect: (order: HookContext['order']) => void): StrategyHooks => ({
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') protect(order);
  },
});

const textOf = ({ text }: OperatorAnswer): string => text;

test('the report at the close names the stops held overnight', async () => {
  const hooks = { solo: holding((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard')) };
  const stage = await new Stage({ hooks, start: EVENING }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(4 * MINUTE);
  const day = stage.notices.find(({ kind, text }) => kind === 'session' && text.startsWith('day:'));
  expect(day?.text).toMatch(
    /; nothing open; this bot, not the venue, holds overnight: stop at 95 of all AAPL \(guard\)$/,
  );
});

test('the report at the close names nothing when no order is held', async () => {
  const hooks = { solo: holding(() => undefined) };
  const stage = await new Stage({ hooks, start: EVENING }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(4 * MINUTE + 10 * SECOND);
  expect(stage.said(/nothing open$/)).toBe(true);
});

test('a start names held orders, and the stops the price has passed meanwhile', async () => {
  const hooks = { solo: holding((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard')) };
  const stage = await new Stage({ hooks }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', parseCash('90'));
  const next = await new Stage({ hooks, after: stage }).play(MINUTE);
  const found = next.notices.flatMap(({ text }) => (text.startsWith('found:') ? [text] : []));
  expect(found).toContain('found: held by this bot, not by the venue: solo stop at 95 of all AAPL (guard)');
  expect(found).toContain(
    'found: stops that the price has passed meanwhile: solo stop at 95 of all AAPL (guard), at 95: AAPL is at 90',
  );
});

test('`cancel` and `flatten` name the held orders they end', async () => {
  const hooks = { solo: holding((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard')) };
  const play = async () => {
    const stage = await new Stage({ hooks }).play(MINUTE);
    stage.venue.fill(stage.venue.last);
    return stage.pass(MINUTE);
  };
  const named = /; this bot holds no more: stop at 95 of all AAPL \(guard\) of solo \(solo-2\)$/;
  expect(textOf(await give(await play(), { kind: 'cancel', scope: {} }))).toMatch(named);
  expect(textOf(await give(await play(), { kind: 'cancel', scope: {}, orders: ['solo-2'] }))).toMatch(named);
  expect(textOf(await give(await play(), { kind: 'flatten', scope: {} }))).toMatch(named);
  const paused = await give(await play(), { kind: 'trade', state: 'halted', scope: {} });
  expect(textOf(paused)).toBe('trading of everything is halted');
});

test('an exit that cannot be sent raises one alarm per reason, even when reasons alternate', async () => {
  const hooks = { solo: holding((order) => order.stop('AAPL', { all: true, stop: 95 }, 'guard')) };
  const stage = await new Stage({ hooks }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  const { holds } = stage.runner.kernel.context;
  stage.venue.prices.set('AAPL', parseCash('90'));
  for (const why of [
    'GET /account does not answer',
    'GET /orders does not answer',
    'GET /account does not answer',
    'GET /orders does not answer',
  ]) {
    holds.put('blind', why);
    await stage.pass(MINUTE);
  }
  const alarms = stage.notices.flatMap(({ kind, text }) => (kind === 'alarm' ? [text] : []));
  expect(alarms.filter((text) => text.includes('GET /account'))).toHaveLength(1);
  expect(alarms.filter((text) => text.includes('GET /orders'))).toHaveLength(1);
});
