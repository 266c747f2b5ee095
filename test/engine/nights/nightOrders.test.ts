import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { Stage } from '../stage.ts';
import { partingOf } from '../synthetic/play.ts';
import { june, MINUTE, nightStage, ordersOf, trading, until } from './nights.ts';

/** Cancels that the venue accepts, and that have no effect. */
const NO_EFFECT = Array<'late'>(100).fill('late');

/** Acts once at a New York time, by a timer. */
const at = (time: string, act: StrategyHooks['onTimer']) => ({
  data: { quotes: ['AAPL'], timers: [{ name: 'act', at: time }] },
  hooks: { solo: { onTimer: act } as StrategyHooks },
});

const buying = at(
  '16:30',
  ({ order }) => void order.buy('AAPL', { notional: 1_050, outside: 'limit' }, 'news'),
);

describe('a market order outside the session', () => {
  test('is sent as a limit at the quote with its own collar, in whole shares', async () => {
    const stage = await nightStage({
      ...buying,
      limits: { outside: { collarBps: 100 } },
    }).play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 101 working']);
  });

  test('is sent with fractions if the stock allows them in that phase', async () => {
    const stage = nightStage(buying);
    stage.venue.told.set('AAPL', { overnightTradable: true, fractionsOutside: true });
    await stage.play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 10.447761 at 100.5 working']);
  });

  test('waits for the open without `outside`', async () => {
    const stage = await nightStage(
      at('16:30', ({ order }) => void order.buy('AAPL', { notional: 500 })),
    ).play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual([]);
    await until(stage, '16T13:31');
    expect(ordersOf(stage)).toEqual(['buy market 0 working']);
  });

  test('waits for the open without `trade`, as before', async () => {
    const { hooks, data } = buying;
    const stage = new Stage({ start: june('15T19:50'), hooks, data });
    stage.venue.told.set('AAPL', { overnightTradable: true });
    await stage.play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual([]);
    await until(stage, '16T13:31');
    expect(ordersOf(stage)).toEqual(['buy market 0 working']);
  });

  test('waits for the open if the stock does not trade at night', async () => {
    const stage = nightStage(buying);
    stage.venue.told.set('AAPL', { overnightTradable: false });
    await stage.play(45 * MINUTE);
    await until(stage, '16T13:29');
    expect(ordersOf(stage)).toEqual([]);
  });

  test('waits for a phase that strategy and stock trade', async () => {
    const stage = nightStage({ ...buying, rules: { trade: trading(['regular', 'pre']) } });
    await stage.play(45 * MINUTE);
    await until(stage, '16T07:59');
    expect(ordersOf(stage)).toEqual([]);
    await until(stage, '16T08:01');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 100.5 working']);
  });

  test('is not sent in the last half minute of a phase, but in the next phase', async () => {
    const stage = nightStage(
      at('19:59', ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' })),
    );
    stage.venue.haltedAt.set('AAPL', june('15T19:59') as never);
    await stage.play(0);
    await until(stage, '15T23:59:31');
    stage.venue.haltedAt.delete('AAPL');
    await until(stage, '15T23:59:59');
    expect(ordersOf(stage)).toEqual([]);
    await until(stage, '16T00:01');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 working']);
  });

  test('waits for a price of its phase', async () => {
    const stage = nightStage(buying);
    stage.venue.haltedAt.set('AAPL', june('15T19:59') as never);
    await stage.play(0);
    await until(stage, '15T21:00');
    expect(ordersOf(stage)).toEqual([]);
    stage.venue.haltedAt.delete('AAPL');
    await stage.pass(MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 100.5 working']);
  });

  test('keeps to the limits of the night', async () => {
    const limits = { orderNotional: parseCash('5000'), outside: { orderNotional: parseCash('900') } };
    const stage = await nightStage({ ...buying, limits }).play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual([]);
    expect(stage.said(/over the limit of 900/)).toBe(true);
  });

  test('is decided identically by a replay', async () => {
    const stage = await nightStage(buying).play(45 * MINUTE);
    await until(stage, '16T13:40');
    expect(partingOf(stage, { ...buying, rules: { trade: trading() } })).toBeNull();
  });
});

test('an order that a start finds ended while books differ is placed again identically in a replay', async () => {
  const resting = at('15:55', ({ order }) => {
    order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' });
  });
  const stage = await nightStage(resting).play(6 * MINUTE);
  const later = nightStage({ ...resting, after: stage });
  later.venue.holdings.set('MSFT', parseShares('5'));
  void later.play(0);
  await until(later, '15T20:00:10');
  later.venue.end(later.venue.last, 'expired');
  await until(later, '15T20:03');
  const moved = factsOf(later).flatMap((fact) => (fact.kind === 'intentDeferred' ? [fact.why] : []));
  expect([moved, later.runner.phase]).toEqual([['to be placed anew'], 'starting']);
  expect(partingOf(later, { ...resting, rules: { trade: trading() } })).toBeNull();
});

describe('the end of a phase', () => {
  test('cancels its order, and ends a market order', async () => {
    const stage = await nightStage(buying).play(45 * MINUTE);
    await until(stage, '15T23:59:50');
    expect(stage.venue.cancels).toBe(0);
    await until(stage, '16T00:02');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 100.5 cancelled']);
    expect(stage.venue.sends).toBe(1);
  });

  const standing = at('16:30', ({ order }) => {
    order.limit('AAPL', { side: 'buy', shares: 10.5, price: 90, goodTill: 'cancelled' });
  });

  test('places a standing order again in the next phase once it has ended', async () => {
    const stage = nightStage(standing);
    stage.venue.cancelFates.push(...NO_EFFECT);
    await stage.play(45 * MINUTE);
    await until(stage, '16T00:05');
    expect(stage.venue.rows.filter(({ status }) => status === 'open')).toHaveLength(1);
    expect(stage.venue.sends).toBe(1);
    stage.venue.end(stage.venue.last, 'expired');
    await stage.pass(2 * MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 expired', 'buy limit 10 at 90 working']);
  });

  test('leaves a remaining fraction of a share to the session', async () => {
    const stage = await nightStage(standing).play(45 * MINUTE);
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T13:29');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 filled']);
    await until(stage, '16T13:31');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 filled', 'buy limit 0.5 at 90 working']);
  });

  test('does not place again what its strategy has cancelled meanwhile', async () => {
    let id = '';
    const stage = nightStage({
      data: {
        quotes: ['AAPL'],
        timers: [
          { name: 'buy', at: '16:30' },
          { name: 'cancel', at: '20:01' },
        ],
      },
      hooks: {
        solo: {
          onTimer: ({ order, timer }) => {
            if (timer === 'cancel') return order.cancel(id);
            id = order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' });
          },
        },
      },
    });
    stage.venue.cancelFates.push(...NO_EFFECT);
    await stage.play(45 * MINUTE);
    await until(stage, '16T00:03');
    stage.venue.end(stage.venue.last, 'cancelled');
    await until(stage, '16T14:00');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 cancelled']);
  });
});

describe('an exit of the night', () => {
  const protecting: StrategyHooks = {
    onStart: ({ order, view }) => {
      if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10.66 });
    },
    onFill: ({ order, fill }) => {
      if (fill.side === 'buy')
        order.stop('AAPL', { all: true, stop: 95, phases: ['regular', 'post', 'overnight', 'pre'] });
    },
  };
  const options = { hooks: { solo: protecting }, data: { quotes: ['AAPL'] } };

  async function held(): Promise<Stage> {
    const stage = await nightStage(options).play(MINUTE);
    stage.venue.fill(stage.venue.last);
    return stage.pass(MINUTE);
  }

  test('sells whole shares, and the rest at the open as the same exit', async () => {
    const stage = await held();
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    await stage.pass(MINUTE);
    expect(ordersOf(stage).slice(1)).toEqual(['sell limit 10 at 93.53 working']);
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T13:29');
    expect(ordersOf(stage).slice(1)).toEqual(['sell limit 10 at 93.53 filled']);
    expect(stage.notices.filter(({ kind }) => kind === 'alarm')).toEqual([]);
    await until(stage, '16T13:31');
    expect(ordersOf(stage).slice(1)).toEqual(['sell limit 10 at 93.53 filled', 'sell market 0.66 working']);
    expect(partingOf(stage, { ...options, rules: { trade: trading() } })).toBeNull();
  });

  test('sells at the open its remaining fraction together with what its strategy has bought since', async () => {
    const buy = { name: 'buy', at: '04:30' };
    const onTimer: StrategyHooks['onTimer'] = ({ order }) =>
      void order.buy('AAPL', { shares: 3, outside: 'limit' });
    const hooks = { solo: { ...protecting, onTimer } };
    const stage = await nightStage({ hooks, data: { quotes: ['AAPL'], timers: [buy] } }).play(MINUTE);
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    await stage.pass(MINUTE);
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T08:31');
    stage.venue.fill(stage.venue.last);
    stage.venue.prices.set('AAPL', parseCash('50'));
    await until(stage, '16T13:31');
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 93.53 filled',
      'buy limit 3 at 94.47 filled',
      'sell market 0.66 working',
    ]);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(ordersOf(stage).at(-1)).toBe('sell market 3 working');
  });

  test('is never armed twice: past the end of a phase it waits for the end of its order', async () => {
    const stage = await held();
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    stage.venue.cancelFates.push(...NO_EFFECT);
    await stage.pass(MINUTE);
    await until(stage, '16T08:30');
    const open = stage.venue.rows.filter(({ status, order }) => status === 'open' && order.side === 'sell');
    expect(open).toHaveLength(1);
    expect(stage.venue.sends).toBe(2);
    stage.venue.fill(open[0] as never, 'expired', parseShares('4') as never);
    await stage.pass(2 * MINUTE);
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 93.53 expired',
      'sell limit 6 at 93.53 working',
    ]);
  });

  test('follows a price that has left its limit', async () => {
    const stage = await held();
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    await stage.pass(MINUTE);
    stage.venue.prices.set('AAPL', parseCash('90'));
    await stage.pass(3 * MINUTE);
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 93.53 cancelled',
      'sell limit 10 at 89.55 working',
    ]);
  });

  test('survives a kill at night', async () => {
    const stage = await held();
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    await stage.pass(MINUTE);
    const next = await nightStage({ ...options, after: stage }).play(2 * MINUTE);
    expect(ordersOf(next).slice(1)).toEqual(['sell limit 10 at 93.53 working']);
    await until(next, '16T08:02');
    expect(next.venue.rows.filter(({ status }) => status === 'open')).toHaveLength(1);
    expect(ordersOf(next).slice(1)).toEqual([
      'sell limit 10 at 93.53 cancelled',
      'sell limit 10 at 93.53 working',
    ]);
  });

  test('waits for the open if its stock stops trading at night, after its order has ended', async () => {
    const stage = await held();
    await until(stage, '16T07:12');
    stage.venue.prices.set('AAPL', parseCash('94'));
    await stage.pass(MINUTE);
    stage.venue.told.set('AAPL', { overnightTradable: false });
    await until(stage, '16T13:29');
    expect(ordersOf(stage).slice(1)).toEqual(['sell limit 10 at 93.53 cancelled']);
    await until(stage, '16T13:32');
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 93.53 cancelled',
      'sell market 10.66 working',
    ]);
  });
});
