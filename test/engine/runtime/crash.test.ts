import { expect, test } from 'vitest';
import type { StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { moments } from '../../runs.ts';
import { expectSound, factsOf, settleAll } from '../invariants.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

type How = NonNullable<StageOptions['dies']>['how'];

/** Does each thing once in its life, however often it is restarted, and keeps its order updates. */
const once = (state: StrategyState): StrategyHooks => ({
  onTimer({ order, timer }) {
    if (state[timer] !== undefined) return;
    state[timer] = true;
    if (timer === 'buy') order.buy('AAPL', { notional: '1000' });
    if (timer === 'rest') order.limit('AAPL', { side: 'buy', shares: 5, price: 90, goodTill: 'cancelled' });
    if (timer === 'lost') order.buy('MSFT', { shares: 3 });
    if (timer === 'cancel') order.cancel({ symbol: 'AAPL' });
    if (timer === 'sell') order.target('AAPL', { weight: 0 });
  },
  onFill: ({ fill }) => void (state['told'] = [...toldOf(state), `${fill.orderId} ${fill.shares}`]),
});

const toldOf = (state: StrategyState | undefined) => (state?.['told'] ?? []) as string[];

const timers = ['buy', 'rest', 'lost', 'cancel', 'sell'].map((name, index) => ({
  name,
  at: `10:0${index + 1}`,
}));
const data = { quotes: ['AAPL', 'MSFT'], timers };

/** Fills all orders except the resting one in AAPL, every few seconds, until the runner dies. */
async function trade(stage: Stage): Promise<void> {
  for (let step = 0; step < 48 && stage.alive; step++) {
    await stage.pass(10 * SECOND);
    for (const row of stage.venue.rows)
      if (row.status === 'open' && (row.order.type === 'market' || row.order.symbol === 'MSFT'))
        stage.venue.fill(row);
  }
}

async function day(dies?: StageOptions['dies']): Promise<Stage> {
  const options = { build: { solo: once }, data, rules: { assumeGoneAfterMs: 3 * MINUTE } };
  const first = new Stage({ ...options, ...(dies ? { dies } : {}) });
  first.venue.fates.push('accept', 'accept', 'lostAfter');
  first.venue.cancelFates.push('lostAfter');
  await first.play(0);
  await trade(first);
  if (first.alive) return first;
  const next = new Stage({ ...options, after: first });
  await next.play(0);
  await trade(next);
  return next;
}

const told = (stage: Stage) => toldOf(stage.runner.kernel.context.accountState.states.get('solo'));

test('a day without a crash sends and notifies everything once', async () => {
  const stage = await day();
  await settleAll(stage, 10 * MINUTE);
  expectSound(stage);
  expect(told(stage)).toEqual(['solo-1 10', 'solo-3 3', 'solo-4 10']);
});

test.each<How>(['before', 'after', 'answer'])(
  'a runner killed %s any commit sends nothing twice, finds every order and notifies each fill once',
  async (how) => {
    const whole = await day();
    for (const at of moments(whole.commits)) {
      const stage = await day({ at, how });
      await settleAll(stage, 10 * MINUTE);
      const where = `${how} commit ${at} of ${whole.commits}`;
      expect(stage.failure, where).toBeNull();
      expectSound(stage);
      expect(new Set(told(stage)).size, where).toBe(told(stage).length);
      const moved = stage.orders.filter(
        ({ state }) => state.kind === 'closed' && (state.settlement?.receive ?? 0n) > 0n,
      );
      expect(told(stage).length, where).toBe(moved.length);
      const intents = factsOf(stage).filter(({ kind }) => kind === 'intentCreated').length;
      expect(intents, where).toBe(4);
    }
  },
);
