import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { OrderId } from '../../../src/domain/orders/order.ts';
import { dayEndsOf } from '../../../src/engine/state/tradingWindow.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, SECOND, Stage, type StageOptions } from '../stage.ts';
import { june, MINUTE, nightStage, ordersOf, trading, until } from './nights.ts';

/** Cancels that the venue accepts, and that have no effect. */
const NO_EFFECT = Array<'late'>(100).fill('late');

const timed = (times: readonly string[], act: StrategyHooks['onTimer']): StageOptions => ({
  data: { quotes: ['AAPL'], timers: times.map((at) => ({ name: at, at })) },
  hooks: { solo: { onTimer: act } as StrategyHooks },
});

/** Places a limit order in post, and gives it another price at 19:58. */
const changing = (goodTill: 'day' | 'cancelled'): StageOptions => {
  let id: OrderId | string = '';
  return timed(['16:30', '19:58'], ({ order, timer }) => {
    if (timer === '19:58') return void order.replace(id, { limit: 91 });
    id = order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill });
  });
};

describe('a limit order that is replaced at night', () => {
  test('rests at its new price, and ends with its phase if it is a day order', async () => {
    const stage = await nightStage(changing('day')).play(0);
    await until(stage, '15T23:59:30');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 cancelled', 'buy limit 10 at 91 working']);
    await until(stage, '16T14:00');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 cancelled', 'buy limit 10 at 91 cancelled']);
  });

  test('is not replaced in the next phase if it is a day order', async () => {
    const stage = nightStage(changing('day'));
    stage.venue.cancelFates.push(...NO_EFFECT);
    await stage.play(0);
    await until(stage, '16T00:03');
    stage.venue.end(stage.venue.last, 'cancelled');
    await until(stage, '16T14:00');
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 cancelled']);
  });

  test('is replaced in the next phase if it is good till cancelled', async () => {
    const stage = nightStage(changing('cancelled'));
    stage.venue.cancelFates.push(...NO_EFFECT);
    await stage.play(0);
    await until(stage, '16T00:03');
    expect(stage.venue.sends).toBe(1);
    stage.venue.end(stage.venue.last, 'cancelled');
    await stage.pass(2 * MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 10 at 90 cancelled', 'buy limit 10 at 91 working']);
  });
});

describe('an order that misses its session', () => {
  const late = (rules: StageOptions['rules'] = {}): Stage =>
    nightStage({
      ...timed(['15:59'], ({ order }) => {
        order.limit('AAPL', { side: 'buy', shares: 3, price: 90 });
      }),
      rules,
      as: (venue, clock) => {
        const { place } = venue;
        venue.place = async (terms, gate) => {
          if (clock.now() < june('15T20:00')) await clock.sleep(80 * SECOND);
          return place.call(venue, terms, gate);
        };
        return venue;
      },
    });

  test('is sent in the phase that has begun', async () => {
    const stage = await late().play(0);
    await until(stage, '15T20:02');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 90 abandoned', 'buy limit 3 at 90 working']);
    expect(stage.orders[1]?.until).toBe(june('16T00:00'));
  });

  test('is sent at the next open if that phase is not traded', async () => {
    const stage = await late({ trade: trading(['regular', 'pre']) }).play(0);
    await until(stage, '16T07:59');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 90 abandoned']);
    await until(stage, '16T08:02');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 90 abandoned', 'buy limit 3 at 90 working']);
  });
});

describe('an order decided in the last second of a session', () => {
  const last = (outside: 'wait' | 'refuse'): Promise<Stage> =>
    new Stage({
      start: june('15T19:59:59.300'),
      hooks: { solo: atStart((order) => void order.buy('AAPL', { shares: 3, outside })) },
    }).play(MINUTE);

  test('waits for the next open, like one a moment later', async () => {
    const stage = await last('wait');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 abandoned']);
    await until(stage, '16T13:31');
    expect(ordersOf(stage).slice(1)).toEqual(['buy limit 3 at 100.5 working']);
  });

  test('is dropped if it must not be sent outside the session', async () => {
    const stage = await last('refuse');
    await until(stage, '16T13:31');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 abandoned']);
  });
});

describe('a night order that the venue refused with a documented text but accepted anyway', () => {
  const refused = async (turnsUp: string): Promise<Stage> => {
    const stage = nightStage(
      timed(['19:56'], ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' })),
    );
    stage.venue.fates.push('refusedAfterTheDeed');
    stage.venue.indexed = false;
    const had = stage.venue.cash;
    await stage.play(0);
    await until(stage, '15T23:56:01');
    const taken = stage.venue.cash;
    stage.venue.cash = had;
    await until(stage, turnsUp);
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 refused']);
    stage.venue.last.shown = true;
    stage.venue.cash = taken;
    return stage.pass(MINUTE);
  };

  test('is recognised when it turns up in its phase, and cancelled at the end of the phase', async () => {
    const stage = await refused('15T23:58:30');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 working']);
    await until(stage, '16T00:02');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 cancelled']);
    expect(stage.runner.kernel.context.accountState.external.size).toBe(0);
  });

  test('is recognised when it turns up in a later phase, cancelled, and never sent again', async () => {
    const stage = await refused('16T02:00');
    await stage.pass(MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 cancelled']);
    await until(stage, '16T14:00');
    expect(stage.venue.sends).toBe(1);
    expect(stage.runner.kernel.context.accountState.external.size).toBe(0);
  });
});

describe('a standing order that a limit has made smaller', () => {
  test('is done once it has filled, by night and by day', async () => {
    const bounds = { orderNotional: parseCash('500'), limitPolicy: 'reduce' } as const;
    const stage = await nightStage({
      ...timed(['16:30'], ({ order }) => {
        order.limit('AAPL', { side: 'buy', shares: 10, price: 90, goodTill: 'cancelled' });
      }),
      limits: bounds,
    }).play(45 * MINUTE);
    expect(ordersOf(stage)).toEqual(['buy limit 5 at 90 working']);
    stage.venue.fill(stage.venue.last);
    await until(stage, '16T14:00');
    expect(ordersOf(stage)).toEqual(['buy limit 5 at 90 filled']);
  });
});

describe('an order that waits to be sent', () => {
  test('is not sent once its stock has stopped trading in the phase, but at the open', async () => {
    const stage = nightStage({
      ...timed(['16:30'], ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' })),
      as: (venue, clock) => {
        const { place } = venue;
        venue.place = async (terms, gate) => {
          if (clock.now() < june('15T20:31')) await clock.sleep(30 * SECOND);
          return place.call(venue, terms, gate);
        };
        return venue;
      },
    });
    await stage.play(0);
    await until(stage, '15T20:30:10');
    stage.venue.told.set('AAPL', { overnightTradable: false });
    await until(stage, '16T13:29');
    expect(stage.venue.sends).toBe(0);
    await until(stage, '16T13:32');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 abandoned', 'buy limit 3 at 100.5 working']);
    expect(stage.orders[1]?.until).toBeUndefined();
  });
});

describe('without phases', () => {
  test('a journal does not mention them', async () => {
    const stage = new Stage({
      start: june('15T19:50'),
      ...timed(['15:55', '16:30'], ({ order }) => {
        order.limit('AAPL', { side: 'buy', shares: 3, price: 90, goodTill: 'cancelled' });
      }),
    });
    stage.venue.told.set('AAPL', { overnightTradable: true });
    await stage.play(0);
    await until(stage, '15T20:01');
    stage.venue.end(stage.venue.last, 'expired');
    await until(stage, '16T13:40');
    expect(ordersOf(stage)).toEqual([
      'buy limit 3 at 90 expired',
      'buy limit 3 at 90 working',
      'buy limit 3 at 90 working',
    ]);
    const text = stage.lines.join('\n');
    expect(stage.orders.filter(({ until: end }) => end !== undefined)).toEqual([]);
    for (const word of ['"lapse', '"limit","after"', 'dayBegan']) expect(text).not.toContain(word);
  });

  const endsOf = (rules: object, order: object) => {
    const { context } = new Stage().runner.kernel;
    const sent = { plannedAt: june('15T20:30'), state: { kind: 'planned' }, ...order } as never;
    return dayEndsOf({ calendar: context.calendar, rules } as never, sent);
  };

  test('an order sent after the close ends at the next close, or with its phase if phases are traded', () => {
    const [post, close] = [june('16T00:00'), june('16T20:00')];
    expect(endsOf({}, {})).toEqual({ first: close, last: close });
    expect(endsOf({}, { until: post })).toEqual({ first: post, last: close });
    expect(endsOf({ trade: trading() }, {})).toEqual({ first: post, last: close });
    expect(endsOf({ trade: trading(undefined, { dayEnds: 'phase' }) }, {})).toEqual({
      first: post,
      last: post,
    });
  });

  test('an order of a session ends at its close under every rule', () => {
    const close = june('15T20:00');
    const sent = { plannedAt: june('15T19:00') };
    expect(endsOf({ trade: trading() }, sent)).toEqual({ first: close, last: close });
  });
});
