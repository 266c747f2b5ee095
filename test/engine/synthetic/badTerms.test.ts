import { describe, expect, test } from 'vitest';
import type { HookContext } from '../../../src/strategy/index.ts';
import { eventsOf } from '../operator/commands.ts';
import { MINUTE, type Stage } from '../stage.ts';
import { bracketed, held, sells, syntheticsOf } from './play.ts';

type Order = HookContext['order'];

/** Calls with wrong terms while 10 AAPL are held at a price of 100, and the message for their author. */
const WRONG: readonly (readonly [string, (order: Order) => unknown, RegExp])[] = [
  [
    'a stop above the price',
    (order) => order.stop('AAPL', { all: true, stop: 101 }),
    /stop at 101 is not below the price of 100: it would sell at once\. Write a stop below it/,
  ],
  ['a stop at the price', (order) => order.stop('AAPL', { all: true, stop: 100 }), /is not below the price/],
  [
    'a stop that buys below it',
    (order) => order.stop('AAPL', { side: 'buy', shares: 1, stop: 99 }),
    /is not above the price of 100/,
  ],
  [
    'a stop that buys all',
    (order) => order.stop('AAPL', { side: 'buy', all: true, stop: 110 }),
    /a number of shares, not \{ all: true \}/,
  ],
  [
    'more than is held',
    (order) => order.stop('AAPL', { shares: 11, stop: 95 }),
    /11 to protect, but 10 are held: at most 10 are left/,
  ],
  [
    'two exits for more than is held',
    (order) => {
      order.stop('AAPL', { shares: 6, stop: 95 });
      order.trail('AAPL', { shares: 5, by: { percent: 5 } });
    },
    /5 to protect, but 10 are held, of which .* 6: at most 4 are left\. Cancel one of them first/,
  ],
  [
    'a stop of nothing held',
    (order) => order.stop('MSFT', { all: true, stop: 40 }),
    /nothing to protect: 0 are held .* order\.bracket/,
  ],
  ['NaN', (order) => order.stop('AAPL', { all: true, stop: NaN }), /NaN/],
  ['a negative price', (order) => order.stop('AAPL', { all: true, stop: -5 }), /-5/],
  ['a string off the tick', (order) => order.stop('AAPL', { all: true, stop: '95.005' }), /95\.005/],
  [
    'an unknown field',
    (order) => order.stop('AAPL', { all: true, stop: 95, trigger: 1 } as never),
    /trigger/,
  ],
  ['both sizes', (order) => order.stop('AAPL', { all: true, shares: 1, stop: 95 } as never), /shares|all/],
  [
    'a percentage of 0',
    (order) => order.trail('AAPL', { all: true, by: { percent: 0 } }),
    /percent is 0, not a number above 0/,
  ],
  [
    'a percentage below a tick',
    (order) => order.trail('AAPL', { all: true, by: { percent: 0.005 } }),
    /0\.005 percent of 100 are less than a tick: it would sell at once/,
  ],
  ['a percentage of 100', (order) => order.trail('AAPL', { all: true, by: { percent: 100 } }), /below 100/],
  [
    'a percentage that is NaN',
    (order) => order.trail('AAPL', { all: true, by: { percent: NaN } }),
    /percent/,
  ],
  [
    'a distance above the price',
    (order) => order.trail('AAPL', { all: true, by: { amount: 100 } }),
    /not less than the price/,
  ],
  ['no distance', (order) => order.trail('AAPL', { all: true } as never), /percent|by/],
  [
    'legs that cross',
    (order) => order.oco('AAPL', { limit: { all: true, price: 94 }, stop: { stop: 95 } }),
    /legs cross: the take-profit at 94 is not above the stop at 95/,
  ],
  [
    'a take-profit below the price',
    (order) => order.oco('AAPL', { limit: { all: true, price: 99 }, stop: { stop: 95 } }),
    /take-profit at 99 is not above the price of 100: it would sell at once\. Write a higher one/,
  ],
  ['a bracket without an exit', (order) => order.bracket('AAPL', { entry: { shares: 1 } }), /it has no exit/],
  [
    'a bracket whose stop is above its entry',
    (order) => order.bracket('AAPL', { entry: { shares: 1, limit: 90 }, stopLoss: 91 }),
    /stop at 91 is not below the limit of its entry of 90: .* Write a stop below it/,
  ],
  [
    'a limit for an entry by notional',
    (order) => order.bracket('AAPL', { entry: { notional: 10, limit: 90 } as never, stopLoss: 80 }),
    /number of shares, not a notional/,
  ],
  [
    'half a bar',
    (order) => order.bracket('AAPL', { entry: { shares: 1 }, exitAfter: { bars: 0.5, interval: '1m' } }),
    /whole number above 0/,
  ],
  [
    'a time that no session has',
    (order) => order.bracket('AAPL', { entry: { shares: 1 }, exitAfter: 'clsoe-5m' }),
    /"clsoe-5m" is not a time of a session/,
  ],
  [
    'a time of another kind',
    (order) => order.bracket('AAPL', { entry: { shares: 1 }, exitAfter: { until: 5 } as never }),
    /exitAfter is \{"until":5\}/,
  ],
  [
    'an end before now',
    (order) => order.stop('AAPL', { all: true, stop: 95, expires: { minutes: -1 } }),
    /-1/,
  ],
  [
    'two ends',
    (order) => order.stop('AAPL', { all: true, stop: 95, expires: 'close', goodTill: 'day' }),
    /not both/,
  ],
  [
    'no stop',
    (order) => order.stop('AAPL', { all: true } as never),
    /stop of order\.stop of AAPL is missing/,
  ],
  [
    'a stop in percent',
    (order) => order.stop('AAPL', { all: true, stop: { percent: 5 } as never }),
    /stop of order\.stop of AAPL: \{"percent":5\} is not a number/,
  ],
  [
    'a stop-limit whose limit is above its stop',
    (order) => order.stop('AAPL', { all: true, stop: 95, limit: 97 }),
    /limit at 97 is above the stop at 95: it would not sell there/,
  ],
  [
    'the same of one-cancels-other',
    (order) => order.oco('AAPL', { limit: { all: true, price: 110 }, stop: { stop: 95, limit: 97 } }),
    /limit at 97 is above the stop at 95/,
  ],
  [
    'two distances',
    (order) => order.trail('AAPL', { all: true, by: { percent: 5, amount: 2 } as never }),
    /write \{ percent: 5 \} or \{ amount: 2\.5 \}/,
  ],
  [
    'a level of two forms',
    (order) =>
      order.bracket('AAPL', { entry: { shares: 1 }, takeProfit: { percent: 5, amount: 2 } as never }),
    /takeProfit of a bracket of AAPL: write a price or \{ percent: 5 \}/,
  ],
  [
    'a word beside a trailing stop',
    (order) =>
      order.bracket('AAPL', {
        entry: { shares: 1 },
        stopLoss: { trail: { percent: 2 }, amount: 2 } as never,
      }),
    /beside trail it may have percent alone/,
  ],
  [
    'a time that is a number',
    (order) => order.bracket('AAPL', { entry: { shares: 1 }, exitAfter: 30 as never }),
    /exitAfter is 30, not \{ minutes \}/,
  ],
  [
    'a time of two units',
    (order) => order.bracket('AAPL', { entry: { shares: 1 }, exitAfter: { minutes: 5, days: 1 } }),
    /give one of bars, minutes, days/,
  ],
  ['an empty tag', (order) => order.stop('AAPL', { all: true, stop: 95, tag: '' }), /tag/],
  [
    'an unknown phase',
    (order) => order.stop('AAPL', { all: true, stop: 95, phases: ['lunch' as never] }),
    /lunch/,
  ],
  ['an unknown symbol', (order) => order.stop('TSLA', { all: true, stop: 95 }), /TSLA/],
];

/** Malformed rows, which throw. All others are refused, and the strategy continues. */
const MALFORMED: ReadonlySet<string> = new Set([
  'a stop that buys all',
  'an unknown field',
  'both sizes',
  'no distance',
  'a bracket without an exit',
  'a limit for an entry by notional',
  'a time of another kind',
  'two ends',
  'no stop',
  'a stop in percent',
  'two distances',
  'a level of two forms',
  'a word beside a trailing stop',
  'a time that is a number',
  'a time of two units',
  'an unknown phase',
  'an unknown symbol',
]);

describe('impossible terms of an exit', () => {
  test.each(WRONG)('are refused before anything is sent: %s', async (name, call, text) => {
    let thrown = '';
    const stage = await held((order) => {
      try {
        call(order);
      } catch (error) {
        thrown = String(error);
      }
    });
    const refused = eventsOf(stage, 'intentRefused').map(({ why }) => why);
    expect(thrown !== '').toBe(MALFORMED.has(name));
    expect(thrown || refused.join()).toMatch(text);
    expect([sells(stage), stage.venue.sends]).toEqual([[], 1]);
  });
});

test('a trailing stop at the same distance as the fixed stop of its bracket replaces it', async () => {
  const near = { percent: 1.5000000000000013, trail: { percent: 1.5 } };
  const stage = await bracketed({ entry: { shares: 10 }, stopLoss: near });
  const [bracket] = syntheticsOf(stage);
  expect(bracket?.order.terms).toMatchObject({ stopLoss: { trail: { percent: 1.5 } } });
  expect(bracket?.order.terms).not.toMatchObject({ stopLoss: { percent: 1.5 } });
});

test('a bracket may exit at a time of the session of its fill', async () => {
  const stage: Stage = await bracketed({ entry: { shares: 10 }, exitAfter: 'open+45m' });
  stage.venue.fill(stage.venue.last);
  await stage.pass(13 * MINUTE);
  expect(sells(stage)).toEqual([]);
  await stage.pass(3 * MINUTE);
  expect(sells(stage)).toEqual(['market 10 working']);
});
