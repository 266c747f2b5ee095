import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { HookContext, View } from '../../../src/strategy/index.ts';
import { isolated, sourceOf } from '../../app/isolation/isolated.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const seenBy = async (options: StageOptions = {}, ms = MINUTE) => {
  const seen: View[] = [];
  const hooks = { onStart: ({ view }: HookContext) => void seen.push(view) };
  const stage = await new Stage({ ...options, hooks: { solo: hooks } }).play(ms);
  const [view] = seen;
  if (!view) throw new Error('it has not started');
  return { stage, view };
};

test('view.quote has the time since which the run knows the price', async () => {
  const { stage, view } = await seenBy();
  const first = view.quote('AAPL');
  expect(first?.price).toBe(100);
  await stage.pass(MINUTE);
  expect(view.quote('AAPL')).toEqual(first);
  stage.venue.prices.set('AAPL', parseCash('101'));
  await stage.pass(10 * SECOND);
  expect(view.quote('AAPL')?.price).toBe(101);
  expect(view.quote('AAPL')?.at).toBeGreaterThan(first?.at ?? Infinity);
  expect([view.quote('KO'), view.instrument('KO')]).toEqual([null, null]);
});

test('view.instrument has the steps of quantity and price', async () => {
  const { stage, view } = await seenBy();
  const { session } = view;
  const window = { phase: 'regular', from: session?.open, until: session?.close };
  const terms = { step: 0.000001, tick: 0.01, minimum: 1, fractionable: true, tradable: true, window };
  expect(view.instrument('AAPL')).toEqual(terms);
  expect(view.instrument('MSFT')).toEqual({ ...terms, step: 1, fractionable: false });
  stage.venue.prices.set('AAPL', parseCash('0.95'));
  await stage.pass(MINUTE);
  expect(view.instrument('AAPL')?.tick).toBe(0.0001);
});

test('view.unrealised is value minus cost, fees included', async () => {
  const hooks = {
    onStart: ({ order }: HookContext) => void order.buy('AAPL', { notional: 1_000 }),
    onFill: ({ view }: HookContext) => void (seen = view),
  };
  let seen: View | null = null;
  const stage = await new Stage({ hooks: { solo: hooks, other: {} } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  const view = seen as View | null;
  expect(view?.unrealised('AAPL')).toBeCloseTo(-1.1);
  expect(view?.unrealised()).toBeCloseTo(-1.1);
  expect(view?.unrealised('MSFT')).toBe(0);
});

const LIMITS = {
  limits: { grossExposure: parseCash('5000'), ordersPerMinute: 3, symbols: { KO: {}, AAPL: {} } },
  ownLimits: { dayLoss: parseCash('50'), symbols: { AAPL: { orderNotional: parseCash('10') }, KO: {} } },
};

test("view.limits lists those of the run and then the strategy's own, with their use", async () => {
  const { view } = await seenBy(LIMITS);
  expect(view.limits).toEqual([
    { name: 'grossExposure', scope: 'run', limit: 5_000, used: 0 },
    { name: 'ordersPerMinute', scope: 'run', limit: 3, used: 0 },
    { name: 'dayLoss', scope: 'strategy', limit: 50, used: 0 },
    { name: 'symbols.AAPL.orderNotional', scope: 'strategy', limit: 10, used: null },
  ]);
  expect(view.fees).toEqual({ buyBps: 11, sellBps: 1 });
});

test('a strategy in a thread sees the same quote, instrument, fees, limits and profit', async () => {
  const look = `({
    quote: view.quote('AAPL'), msft: view.instrument('MSFT'), ko: view.instrument('KO'),
    fees: view.fees, limits: view.limits, unrealised: [view.unrealised(), view.unrealised('AAPL')],
  })`;
  const source = sourceOf(`({ onStart({ view }) { state.seen = ${look}; } })`);
  const solo = await isolated('solo', source);
  const stage = await new Stage({ ...LIMITS, more: { strategies: [solo] } }).play(MINUTE);
  const { view } = await seenBy(LIMITS);
  expect(stage.runner.kernel.context.accountState.states.get('solo')?.['seen']).toEqual({
    quote: view.quote('AAPL'),
    msft: view.instrument('MSFT'),
    ko: null,
    fees: view.fees,
    limits: view.limits,
    unrealised: [0, 0],
  });
});
