import { describe, expect, test } from 'vitest';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, eventsOf, give, MSFT, partingOf, slow } from './commands.ts';

const HOUR = 60 * MINUTE;
const timers = [{ name: 't', at: '10:02' }];
const data = { quotes: ['AAPL', 'MSFT'], timers };

const buyLater: StrategyHooks = { onTimer: ({ order }) => void order.buy('AAPL', { notional: '1000' }) };

/** Holds AAPL; at 10:02 it buys more, and sells a part. */
const trader: StrategyHooks = {
  onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
  onTimer({ order }) {
    order.buy('MSFT', { shares: 2 });
    order.sell('AAPL', { shares: 1 });
    order.target('AAPL', { weight: 0.9 });
  },
};

async function holding(options: StageOptions): Promise<Stage> {
  const stage = await new Stage(options).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  return stage;
}

const sent = (stage: Stage) => stage.venue.rows.map(({ order }) => `${order.side} ${order.symbol}`);

describe('a halt', () => {
  test('stops an order that waits for its slot', async () => {
    const options: StageOptions = { hooks: { solo: buyLater }, data, as: slow(20 * SECOND) };
    const stage = await new Stage(options).play(2 * MINUTE + 5 * SECOND);
    expect(stage.states).toEqual(['planned']);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    await stage.pass(MINUTE);
    expect(stage.orders).toMatchObject([
      { state: { kind: 'abandoned', reason: 'trading is halted: a holiday' } },
    ]);
    expect(stage.venue.sends).toBe(0);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('of a strategy or a stock stops nothing else', async () => {
    const options: StageOptions = { hooks: { solo: buyLater, other: buyLater }, data };
    const stage = await new Stage(options).play(MINUTE);
    await give(stage, { kind: 'trade', state: 'halted', scope: { strategyId: 'other' } });
    await give(stage, { kind: 'trade', state: 'halted', scope: { symbol: MSFT } });
    await stage.pass(2 * MINUTE);
    expect(stage.orders.map(({ strategyId }) => strategyId)).toEqual(['solo']);
    expect(stage.said(/dropped, trading of strategy other is halted: a holiday/)).toBe(true);
    expect(
      stage.said(/strategy other is halted .*`drover resume --strategy other --reason TEXT` ends that/),
    ).toBe(true);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('repeated under another id keeps its beginning, and a repeated id returns the first answer', async () => {
    const stage = await new Stage({ data }).play(MINUTE);
    const first = await give(stage, { kind: 'trade', state: 'halted', scope: {} }, 'one-id-12');
    const { trading } = stage.runner.kernel.context.accountState;
    const since = trading.ofRun?.since;
    await stage.pass(MINUTE);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    expect([trading.all.length, trading.ofRun?.since]).toEqual([1, since]);
    expect(stage.notices.filter(({ text }) => text.includes('everything is halted'))).toHaveLength(1);
    expect(await give(stage, { kind: 'trade', state: 'reducing', scope: {} }, 'one-id-12')).toEqual(first);
    expect(eventsOf(stage, 'operator')).toHaveLength(2);
  });

  test('is not loosened to reducing without an account read', async () => {
    const stage = await new Stage({ data }).play(MINUTE);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    const answer = await give(stage, { kind: 'trade', state: 'reducing', scope: {} });
    expect(answer).toMatchObject({ kind: 'refused', because: 'safety' });
    expect(stage.runner.kernel.context.accountState.trading.ofRun?.state).toBe('halted');
  });

  test('of an unknown stock is refused, with the likely one named', async () => {
    const stage = await new Stage({ data }).play(MINUTE);
    const scope = { symbol: 'AAPLE' as typeof AAPL };
    expect(await give(stage, { kind: 'trade', state: 'halted', scope })).toMatchObject({
      because: 'usage',
      text: expect.stringContaining('Did you mean AAPL?') as string,
    });
    expect(eventsOf(stage, 'restricted')).toEqual([]);
  });
});

describe('trading in the state reducing', () => {
  test('sends sells, and neither buys nor targets above the position', async () => {
    const options: StageOptions = { hooks: { solo: trader }, data };
    const stage = await holding(options);
    await give(stage, { kind: 'trade', state: 'reducing', scope: {} });
    await stage.pass(2 * MINUTE);
    expect(sent(stage)).toEqual(['buy AAPL', 'sell AAPL']);
    expect(stage.said(/buy 2 MSFT: dropped, trading is reducing: a holiday/)).toBe(true);
    expect(stage.said(/bring AAPL to 90 %: dropped/)).toBe(true);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('stops a buy that waits for its slot', async () => {
    const options: StageOptions = { hooks: { solo: buyLater }, data, as: slow(20 * SECOND) };
    const stage = await new Stage(options).play(2 * MINUTE + 5 * SECOND);
    await give(stage, { kind: 'trade', state: 'reducing', scope: { symbol: AAPL } });
    await stage.pass(MINUTE);
    expect([stage.states, stage.venue.sends]).toEqual([['abandoned'], 0]);
  });

  test('keeps a good-till-cancelled buy waiting, and sends it again once trading resumes', async () => {
    const patient: StrategyHooks = {
      onStart: ({ order }) =>
        void order.limit('AAPL', { side: 'buy', shares: 1, price: 90, goodTill: 'cancelled' }),
    };
    const options: StageOptions = { hooks: { solo: patient }, data };
    const stage = await new Stage(options).play(MINUTE);
    await give(stage, { kind: 'trade', state: 'reducing', scope: {} });
    expect(stage.venue.rows.map(({ status }) => status)).toEqual(['open']);
    await stage.pass(6 * HOUR);
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(18 * HOUR);
    expect([stage.venue.sends, stage.runner.kernel.context.accountState.intents.size]).toEqual([1, 1]);
    expect(stage.notices.filter(({ text }) => text.includes('It is placed again after that'))).toHaveLength(
      1,
    );
    const resumed = give(stage, { kind: 'trade', state: 'active', scope: {} });
    await stage.pass(MINUTE);
    expect(await resumed).toMatchObject({ kind: 'done' });
    expect(stage.venue.sends).toBe(2);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('cancels only the open buys when it is set with `cancel`', async () => {
    const both: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onTimer({ order }) {
        order.limit('AAPL', { side: 'sell', shares: 1, price: 110 });
        order.limit('MSFT', { side: 'buy', shares: 1, price: 40, goodTill: 'cancelled' });
      },
    };
    const options: StageOptions = { hooks: { solo: both }, data };
    const stage = await holding(options);
    await stage.pass(MINUTE);
    const answer = await give(stage, { kind: 'trade', state: 'reducing', scope: {}, cancel: true });
    expect(answer).toMatchObject({ result: { state: 'reducing', cancelled: 1, sold: 0 } });
    await stage.pass(MINUTE);
    expect(stage.venue.rows.map(({ status }) => status)).toEqual(['filled', 'open', 'cancelled']);
    expect(partingOf(stage, options)).toBeNull();
  });
});

describe('the operator command `cancel`', () => {
  const resting: StrategyHooks = {
    onStart({ order }) {
      order.limit('AAPL', { side: 'buy', shares: 1, price: 90 });
      order.limit('MSFT', { side: 'buy', shares: 1, price: 40 });
      order.buy('AAPL', { notional: '100', at: 'open' });
    },
  };
  const options: StageOptions = { hooks: { solo: resting }, data };

  test('without ids cancels open orders and ends waiting intents, and trading continues', async () => {
    const stage = await new Stage(options).play(MINUTE);
    const answer = await give(stage, { kind: 'cancel', scope: {} });
    expect(answer).toMatchObject({ result: { state: 'active', cancelled: 3 } });
    await stage.pass(MINUTE);
    const { intents, live } = stage.runner.kernel.context.accountState;
    expect([intents.size, live.size]).toEqual([0, 0]);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('with ids of orders or intents cancels those', async () => {
    const stage = await new Stage(options).play(MINUTE);
    await give(stage, { kind: 'cancel', scope: {}, orders: ['solo-1.1', 'solo-3'] });
    await stage.pass(MINUTE);
    expect(stage.venue.rows.map(({ status }) => status)).toEqual(['cancelled', 'open']);
    const again = await give(stage, { kind: 'cancel', scope: {}, orders: ['solo-1.1'] });
    expect(again).toMatchObject({
      because: 'usage',
      text: expect.stringContaining('has ended already') as string,
    });
    const unknown = await give(stage, { kind: 'cancel', scope: {}, orders: ['sola-2'] });
    expect(unknown).toMatchObject({ text: expect.stringContaining('Did you mean solo-2') as string });
    expect(partingOf(stage, options)).toBeNull();
  });

  test('is carried out during a halt', async () => {
    const stage = await new Stage(options).play(MINUTE);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    await give(stage, { kind: 'cancel', scope: { symbol: AAPL } });
    await stage.pass(MINUTE);
    expect(stage.venue.rows.map(({ status }) => status)).toEqual(['cancelled', 'open']);
  });
});

test('the operator command `stop` with `cancel` leaves no order open', async () => {
  const patient: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
  };
  const stage = await new Stage({ hooks: { solo: patient }, data }).play(MINUTE);
  expect(await give(stage, { kind: 'stop', cancel: true })).toMatchObject({ kind: 'done' });
  await stage.pass(2 * MINUTE);
  expect(stage.summary?.stop.why).toBe('asked to stop by ann: a holiday');
  expect(stage.venue.rows.map(({ status }) => status)).toEqual(['cancelled']);
});
