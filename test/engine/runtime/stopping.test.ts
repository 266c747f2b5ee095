import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { UnreachableError } from '../../../src/core/errors.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import type { StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const rest = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));
const buy = atStart((order) => order.buy('AAPL', { notional: '1000' }));
const lastFact = (stage: Stage) => factsOf(stage).at(-1);

describe('the stop of a run', () => {
  test('leaves open orders at the venue, and says so', async () => {
    const stage = await new Stage({ hooks: { solo: rest } }).play(20 * SECOND);
    const { stop } = await stage.stop();
    expect(stop).toMatchObject({
      why: 'the test is over',
      how: 'in order',
      left: { working: 1, unknown: 0, planned: 0, orders: [{ id: 'solo-1.1', state: 'working' }] },
    });
    expect(stage.said(/left open, a DAY order that ends at the close by itself/)).toBe(true);
    expect(stage.venue.cancels).toBe(0);
    expect(lastFact(stage)).toEqual({ kind: 'ended', why: 'the test is over', how: 'in order' });
  });

  test('with `atStop: cancel` cancels open orders and waits for their end', async () => {
    const stage = new Stage({ hooks: { solo: rest }, more: { atStop: 'cancel' } });
    await stage.play(20 * SECOND);
    stage.venue.cancelFates.push('late');
    stage.clock.at(epochMs(stage.clock.now() + 8 * SECOND), () =>
      stage.venue.end(stage.venue.last, 'cancelled'),
    );
    const { stop, orders } = await stage.stop();
    expect(stage.venue.cancels).toBe(1);
    expect(stop.left).toMatchObject({ working: 0, unknown: 0 });
    expect(orders.cancelled).toBe(1);
  });

  test('with `atStop: cancel` ends a good-till-cancelled limit order that waits for the next session', async () => {
    const terms = { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled', at: 'open' } as const;
    const wait = atStart((order) => order.limit('AAPL', terms));
    const ends = async (atStop: 'cancel' | 'leave') => {
      const stage = await new Stage({ hooks: { solo: wait }, more: { atStop } }).play(20 * SECOND);
      await stage.stop();
      return factsOf(stage).filter(({ kind }) => kind === 'intentEnded');
    };
    expect(await ends('cancel')).toMatchObject([{ id: 'solo-1', how: 'cancelled', why: 'the run ends' }]);
    expect(await ends('leave')).toEqual([]);
  });

  test('with `atStop: cancel` cancels open orders although a kill file exists', async () => {
    const stage = new Stage({ hooks: { solo: rest }, more: { atStop: 'cancel' } });
    await stage.play(20 * SECOND);
    stage.killed = true;
    stage.venue.cancelFates.push('late');
    stage.clock.at(epochMs(stage.clock.now() + 8 * SECOND), () =>
      stage.venue.end(stage.venue.last, 'cancelled'),
    );
    const { stop, orders } = await stage.stop();
    expect([stage.venue.cancels, orders.cancelled, stop.left.working]).toEqual([1, 1, 0]);
  });

  test('with `atStop: cancel` cancels nothing while a kill file exists and the journal disk is nearly full', async () => {
    const disk: NonNullable<StageOptions['disk']> = { state: 'fine' };
    const stage = new Stage({ hooks: { solo: rest }, disk, more: { atStop: 'cancel' } });
    await stage.play(20 * SECOND);
    stage.killed = true;
    disk.state = 'nearly';
    const { stop } = await stage.stop();
    expect([stage.venue.cancels, stop.left.working]).toEqual([0, 1]);
  });

  test('notifies strategies of orders until the end, and they keep that in their state', async () => {
    const build = (state: StrategyState): StrategyHooks => ({
      ...rest,
      onOrder: ({ update }) => void (state[update.id] = update.status),
    });
    const stage = new Stage({ build: { solo: build }, more: { atStop: 'cancel' } });
    await stage.play(20 * SECOND);
    stage.venue.cancelFates.push('late');
    stage.clock.at(epochMs(stage.clock.now() + 8 * SECOND), () =>
      stage.venue.end(stage.venue.last, 'cancelled'),
    );
    await stage.stop();
    expect(
      factsOf(stage)
        .filter(({ kind }) => kind === 'strategyState')
        .at(-1),
    ).toMatchObject({
      state: { 'solo-1': 'cancelled' },
    });
    const { calendar, rules, strategies } = new Stage({ build: { solo: build } }).options;
    const kernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
    expect(replay([...memoryJournal(stage.lines).entries()], kernel).parting).toBeNull();
  });

  test('waits for a pending response, and then counts the order as working', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    const place = stage.venue.place.bind(stage.venue);
    stage.venue.place = async (terms, gate) => {
      const outcome = await place(terms, gate);
      await stage.clock.sleep(15 * SECOND);
      return outcome;
    };
    await stage.play(8 * SECOND);
    expect(stage.states).toEqual(['sent']);
    const { stop } = await stage.stop();
    expect(stop.left).toMatchObject({ working: 1, unknown: 0 });
  });

  test('does not wait forever, and reports the unknown order', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('hang');
    await stage.play(8 * SECOND);
    stage.runner.stop('asked to stop');
    await stage.pass(20 * SECOND);
    expect(stage.summary).toBeNull();
    expect(stage.runner.phase).toBe('stopping');
    await stage.pass(30 * SECOND);
    expect(stage.summary?.stop.left).toMatchObject({ unknown: 1, orders: [{ id: 'solo-1.1' }] });
    expect(stage.said(/has no answer: the venue may have it/)).toBe(true);
  });

  test('sends nothing that is decided during it', async () => {
    const stage = new Stage({
      hooks: { solo: { onFill: ({ order }) => order.buy('MSFT', { shares: 1 }), ...buy } },
    });
    await stage.play(8 * SECOND);
    stage.runner.stop('asked to stop');
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.summary?.orders.filled).toBe(1);
  });

  test('at once is journaled, and reports the unknown order', async () => {
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('hang');
    await stage.play(8 * SECOND);
    stage.runner.stop('asked to stop');
    await stage.pass(SECOND);
    const { stop } = stage.runner.endNow('told twice to stop');
    expect(stop).toMatchObject({ why: 'asked to stop', how: 'at once', left: { unknown: 1 } });
    expect(lastFact(stage)).toEqual({ kind: 'ended', why: 'told twice to stop', how: 'at once' });
  });

  test('by a crash is journaled, and the gate stops every send', async () => {
    const stage = await new Stage({ hooks: { solo: rest } }).play(20 * SECOND);
    stage.runner.endNow('a bug', 'crashed');
    expect(lastFact(stage)).toEqual({ kind: 'ended', why: 'a bug', how: 'crashed' });
    const { kernel } = stage.runner;
    const permit = kernel.permitPlacing(stage.orders[0]?.id as never, epochMs(stage.clock.now()));
    expect(permit).toEqual({ stop: 'a bug', code: 'NOT_SENT' });
  });
});

describe('a run that fails', () => {
  test('is journaled as crashed', async () => {
    const stage = await new Stage({ hooks: { solo: buy } }).play(20 * SECOND);
    stage.venue.account = () => Promise.reject(new Error('a bug'));
    await stage.pass(2 * MINUTE);
    expect(stage.failure?.message).toBe('a bug');
    expect(lastFact(stage)).toEqual({ kind: 'ended', why: 'the run has failed', how: 'crashed' });
  });

  test('at its start because the venue does not answer is not journaled as crashed', async () => {
    const stage = new Stage();
    stage.venue.listings = () => Promise.reject(new UnreachableError('connection refused'));
    await stage.play(20 * SECOND);
    expect(stage.failure?.message).toBe('connection refused');
    expect(lastFact(stage)).toEqual({ kind: 'ended', why: 'connection refused', how: 'at once' });
  });

  test('at its start by a bug is journaled as crashed', async () => {
    const stage = new Stage();
    stage.venue.listings = () => Promise.reject(new TypeError('undefined is not a function'));
    await stage.play(20 * SECOND);
    expect(lastFact(stage)).toMatchObject({ kind: 'ended', how: 'crashed' });
  });
});

test('each start of a run has a new epoch', async () => {
  const first = await new Stage().play(SECOND);
  await first.stop();
  const second = await new Stage({ after: first }).play(SECOND);
  const epochs = factsOf(second).flatMap((fact) => (fact.kind === 'epoch' ? [fact.epoch] : []));
  expect(epochs).toEqual([1, 2]);
});
