import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { AAPL, eventsOf, give, MSFT, partingOf, progressOf } from './commands.ts';

const HOUR = 60 * MINUTE;

/** Buys once, and has a resting buy and a good-till-cancelled sell of another stock. */
const holder: StrategyHooks = {
  onStart({ order, view }) {
    if (view.position('AAPL') > 0 || view.orders().length > 0) return;
    order.buy('AAPL', { notional: '1000' });
    order.limit('MSFT', { side: 'buy', shares: 2, price: 40, goodTill: 'cancelled' });
  },
};
const options: StageOptions = { hooks: { solo: holder } };

/** A stage that holds 10 AAPL and has a resting buy of MSFT. */
async function holding(more: StageOptions = {}): Promise<Stage> {
  const stage = await new Stage({ ...options, ...more }).play(10 * SECOND);
  const row = stage.venue.rows.find(({ order }) => order.symbol === 'AAPL');
  if (row) stage.venue.fill(row);
  await stage.pass(MINUTE);
  return stage;
}

const held = (stage: Stage, strategyId = 'solo') =>
  stage.runner.kernel.context.accountState.ledger.held(strategyId, AAPL);

const sells = (stage: Stage) => stage.orders.filter(({ terms }) => terms.side === 'sell');

async function fillSell(stage: Stage): Promise<void> {
  await stage.pass(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
}

describe('a flatten', () => {
  test('halts, cancels open orders, sells what strategies hold, and ends halted', async () => {
    const stage = await holding();
    const answer = await give(stage, { kind: 'flatten', scope: {} });
    expect(answer).toMatchObject({ kind: 'done', result: { state: 'halted', cancelled: 1, sold: 0 } });
    await fillSell(stage);
    expect(held(stage)).toBe(0n);
    expect(progressOf(stage)).toMatchObject({ isDone: true, cancelled: 1, sold: 1, left: [] });
    expect(stage.venue.rows.map(({ status }) => status)).toEqual(['filled', 'cancelled', 'filled']);
    expect(eventsOf(stage, 'flattened')).toMatchObject([{ why: 'nothing is left to sell' }]);
    expect(stage.runner.kernel.context.accountState.trading.ofRun).toMatchObject({ state: 'halted' });
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
    expect(stage.said(/is sold out.*stays halted until/)).toBe(true);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('sells unallocated stock only when `unallocated` is set', async () => {
    const stage = new Stage(options);
    stage.venue.holdings.set('AAPL', parseShares('5'));
    await stage.play(10 * SECOND);
    stage.venue.fill(stage.venue.rows[0] ?? stage.venue.last);
    await stage.pass(MINUTE);
    await give(stage, { kind: 'flatten', scope: {} });
    await fillSell(stage);
    expect([held(stage), held(stage, '')]).toEqual([0n, parseShares('5')]);
    await give(stage, { kind: 'flatten', scope: { symbol: AAPL }, unallocated: true });
    await fillSell(stage);
    expect(held(stage, '')).toBe(0n);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('of one strategy leaves the others unchanged', async () => {
    const both: StageOptions = { hooks: { solo: holder, other: holder } };
    const stage = await new Stage(both).play(10 * SECOND);
    for (const row of stage.venue.rows) if (row.order.symbol === 'AAPL') stage.venue.fill(row);
    await stage.pass(MINUTE);
    await give(stage, { kind: 'flatten', scope: { strategyId: 'other' } });
    await fillSell(stage);
    expect([held(stage, 'solo') > 0n, held(stage, 'other')]).toEqual([true, 0n]);
    expect(
      stage.orders.filter(({ cancel }) => cancel.kind !== 'none').map(({ strategyId }) => strategyId),
    ).toEqual(['other']);
    expect(partingOf(stage, both)).toBeNull();
  });

  test('sells the shares of a late fill, too', async () => {
    const stage = await holding();
    const resting = stage.venue.rows.find(({ order }) => order.symbol === 'MSFT');
    stage.venue.cancelFates.push('late');
    await give(stage, { kind: 'flatten', scope: {} });
    await fillSell(stage);
    expect(progressOf(stage)).toMatchObject({ isDone: false, left: [expect.stringContaining('buy 2 MSFT')] });
    if (resting) stage.venue.fill(resting);
    await stage.pass(MINUTE);
    await fillSell(stage);
    expect(progressOf(stage)).toMatchObject({ isDone: true, sold: 2, left: [] });
    expect(partingOf(stage, options)).toBeNull();
  });

  test('waits for an unknown sell, and never has two sells', async () => {
    const seller: StrategyHooks = {
      ...holder,
      onTimer: ({ order }) => void order.sell('AAPL', { all: true }),
    };
    const timed: StageOptions = {
      hooks: { solo: seller },
      data: { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:02' }] },
    };
    const stage = await holding(timed);
    stage.venue.indexed = false;
    stage.venue.fates.push('lostAfter');
    await stage.pass(MINUTE);
    expect(sells(stage).map(({ state }) => state.kind)).toEqual(['unknown']);
    await give(stage, { kind: 'flatten', scope: {} });
    await stage.pass(5 * MINUTE);
    expect(sells(stage)).toHaveLength(1);
    expect(progressOf(stage).left.join()).toContain('what became of it is not known yet');
    for (const row of stage.venue.rows) row.shown = true;
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(progressOf(stage)).toMatchObject({ isDone: true, sold: 0 });
    expect(partingOf(stage, timed)).toBeNull();
  });

  test('outside the session sells at the next open', async () => {
    const stage = await holding();
    await stage.pass(7 * HOUR);
    const answer = await give(stage, { kind: 'flatten', scope: {} });
    const open = '2026-06-16 09:30 New York time';
    expect(answer).toMatchObject({
      text: expect.stringContaining(`what is held is sold from the open on, ${open}`) as string,
    });
    expect(stage.said(/is being sold/)).toBe(false);
    await stage.pass(HOUR);
    expect(sells(stage)).toEqual([]);
    expect(progressOf(stage).left.join()).toContain(`its sell waits until ${open}`);
    await stage.pass(17 * HOUR);
    expect(sells(stage)).toHaveLength(1);
    await fillSell(stage);
    expect(progressOf(stage).isDone).toBe(true);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('continues after `kill -9` with one sell', async () => {
    const stage = await holding();
    await give(stage, { kind: 'flatten', scope: {} });
    await stage.pass(100);
    const next = await new Stage({ ...options, after: stage }).play(MINUTE);
    expect(sells(next)).toHaveLength(1);
    next.venue.fill(next.venue.last);
    await next.pass(MINUTE);
    expect(progressOf(next)).toMatchObject({ isDone: true, sold: 1 });
    expect(partingOf(next, options)).toBeNull();
  });

  test('leaves a frozen stock unsold and names it', async () => {
    const stage = await holding();
    await give(stage, { kind: 'freeze', symbol: AAPL });
    await give(stage, { kind: 'flatten', scope: {} });
    await stage.pass(5 * MINUTE);
    expect(sells(stage)).toEqual([]);
    expect(progressOf(stage)).toMatchObject({
      isDone: false,
      left: [expect.stringMatching(/AAPL of solo: it is frozen/)],
    });
    expect(partingOf(stage, options)).toBeNull();
  });

  test('retries a sell that the venue refuses, at growing intervals', async () => {
    const stage = await holding();
    stage.venue.fates.push('refuse', 'refuse');
    await give(stage, { kind: 'flatten', scope: {} });
    await stage.pass(30 * SECOND);
    expect(sells(stage)).toHaveLength(1);
    await stage.pass(10 * MINUTE);
    expect(sells(stage).map(({ state }) => state.kind)).toEqual(['refused', 'refused', 'working']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(progressOf(stage).isDone).toBe(true);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('sells in parts if a limit allows no larger order', async () => {
    const limited: StageOptions = { ...options, limits: { orderNotional: parseCash('600') } };
    const buyer: StageOptions = {
      ...limited,
      hooks: {
        solo: {
          onStart({ order }) {
            order.buy('AAPL', { notional: '600' });
            order.buy('AAPL', { notional: '400' });
          },
        },
      },
    };
    const stage = await new Stage(buyer).play(10 * SECOND);
    for (const row of stage.venue.rows) stage.venue.fill(row);
    await stage.pass(MINUTE);
    await give(stage, { kind: 'flatten', scope: {} });
    await fillSell(stage);
    await fillSell(stage);
    expect(held(stage)).toBe(0n);
    expect(progressOf(stage)).toMatchObject({ isDone: true, sold: 2 });
    expect(partingOf(stage, buyer)).toBeNull();
  });

  test('sells whole shares of a stock without fractions, and names the rest', async () => {
    const stage = await holding({ data: { quotes: ['AAPL', 'MSFT'] } });
    stage.venue.holdings.set('MSFT', parseShares('10.5'));
    const accept = give(stage, { kind: 'accept', asset: 'MSFT', for: 'solo' });
    await stage.pass(5 * SECOND);
    expect(await accept).toMatchObject({ kind: 'done' });
    await give(stage, { kind: 'flatten', scope: { symbol: MSFT } });
    await stage.pass(10 * SECOND);
    expect(sells(stage).map(({ terms }) => 'quantity' in terms && terms.quantity)).toEqual([
      parseShares('10'),
    ]);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(progressOf(stage)).toMatchObject({
      isDone: true,
      left: ['0.5 MSFT of solo: less than one share, and it is traded in whole shares only'],
    });
  });

  test('names the dust it leaves', async () => {
    const stage = await holding();
    stage.venue.prices.set('AAPL', parseCash('0.09'));
    await stage.pass(MINUTE);
    await give(stage, { kind: 'flatten', scope: {} });
    await stage.pass(MINUTE);
    expect(progressOf(stage)).toMatchObject({
      isDone: true,
      left: [expect.stringContaining("less than the venue's minimum")],
    });
  });

  test('of an unknown strategy is refused', async () => {
    const stage = await holding();
    expect(await give(stage, { kind: 'flatten', scope: { strategyId: 'sola' } })).toMatchObject({
      kind: 'refused',
      because: 'usage',
      text: expect.stringContaining('Did you mean solo?') as string,
    });
    await stage.pass(MINUTE);
    expect([sells(stage), eventsOf(stage, 'restricted')]).toEqual([[], []]);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('is stopped by a later halt and does not continue under it', async () => {
    const stage = await holding();
    await stage.pass(7 * HOUR);
    await give(stage, { kind: 'flatten', scope: {} });
    stage.runner.heed({ kind: 'killFiles', there: ['/state/KILL'] });
    await stage.pass(20 * HOUR);
    expect(sells(stage)).toEqual([]);
    expect(progressOf(stage).left.join()).toContain('the kill file /state/KILL is there');
    expect(partingOf(stage, options)).toBeNull();
  });
});
