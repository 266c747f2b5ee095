import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import type { BacktestBars } from '../../src/backtest/options.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import { barsFrom, type Row } from './bars.ts';
import { fillsOf, playFirst, playHeld, sellsOf } from './syntheticStage.ts';

type Order = HookContext['order'];
type ExitAfter = NonNullable<Parameters<Order['bracket']>[1]['exitAfter']>;

const bracket = (order: Order) =>
  void order.bracket('X', { entry: { shares: 10 }, takeProfit: { percent: 10 }, stopLoss: { percent: 5 } });
/** Entry at 100 or lower, 110 or 95 from there. */
const lower = (order: Order) =>
  void order.bracket('X', {
    entry: { shares: 10, limit: 100 },
    takeProfit: { percent: 10 },
    stopLoss: { percent: 5 },
  });
const stop = (order: Order) => void order.stop('X', { all: true, stop: 95 });
const oco = (order: Order) => void order.oco('X', { limit: { all: true, price: 110 }, stop: { stop: 95 } });

describe('a bracket, bought at the open of 13:31 at 100: 110 or 95', () => {
  test.each<[string, Row[], string[]]>([
    ['the stop in the bar of the entry', [[100, 101, 94, 96]], ['sell 10 at 95, 13:31:05']],
    ['the take-profit in the bar of the entry', [[100, 111, 99, 108]], ['sell 10 at 110, 13:32:00']],
    ['both in the bar of the entry: the stop', [[100, 111, 94, 108]], ['sell 10 at 95, 13:31:05']],
    ['the take-profit a bar later', [100, [104, 110, 103, 108]], ['sell 10 at 110, 13:33:00']],
    ['a gap down', [100, [94, 94, 93, 93]], ['sell 10 at 94, 13:32:00']],
  ])('%s', async (_name, rows, sells) => {
    const [bought, ...sold] = fillsOf(await playFirst([100, ...rows, 100, 100], bracket));
    expect(bought).toBe('buy 10 at 100, 13:31:00');
    expect(sold).toEqual(sells);
  });
});

describe('a bracket with a limit of 100 as its entry, open at 102', () => {
  // In the worst case the price falls from 102 to 100, where it buys, and on to 95, where it sells. A take-profit that came within
  // the bar does not fill in it.
  test.each<[string, Row, string[]]>([
    ['low 94', [102, 103, 94, 99], ['buy 10 at 100, 13:31:05', 'sell 10 at 95, 13:31:05']],
    ['low 94, high 112', [102, 112, 94, 99], ['buy 10 at 100, 13:31:05', 'sell 10 at 95, 13:31:05']],
    ['low 96', [102, 103, 96, 99], ['buy 10 at 100, 13:31:05']],
    ['low 96, high 112', [102, 112, 96, 99], ['buy 10 at 100, 13:31:05']],
  ])('%s', async (_name, row, fills) => {
    expect(fillsOf(await playFirst([102, row, 100], lower))).toEqual(fills);
  });

  test('has the high after the entry in the best case', async () => {
    const rows: Row[] = [102, [102, 112, 94, 99], 100];
    expect(fillsOf(await playFirst(rows, lower, { ambiguous: 'best' }))).toEqual([
      'buy 10 at 100, 13:31:20',
      'sell 10 at 110, 13:31:20',
    ]);
  });
});

describe('a bracket that enters at 102: 110 or 99', () => {
  const breakout = (order: Order) =>
    void order.bracket('X', { entry: { shares: 10, stop: 102 }, takeProfit: 110, stopLoss: 99 });

  test.each<[string, Row[], string[]]>([
    ['no bar reaches 102', [[100, 101.9, 95, 100]], []],
    ['a bar reaches it, after its low', [[100, 103, 98, 103]], ['buy 10 at 102, 13:31:20']],
    [
      'a bar reaches it, and ends below its stop',
      [[100, 103, 98, 98.5]],
      ['buy 10 at 102, 13:31:20', 'sell 10 at 99, 13:31:20'],
    ],
    ['a gap up', [[104, 105, 103, 104]], ['buy 10 at 104, 13:31:00']],
    [
      'the take-profit a bar later',
      [
        [100, 103, 100, 103],
        [103, 111, 103, 110],
      ],
      ['buy 10 at 102, 13:31:20', 'sell 10 at 110, 13:33:00'],
    ],
  ])('%s', async (_name, rows, fills) => {
    expect(fillsOf(await playFirst([100, ...rows, 100, 100], breakout)).slice(0, fills.length + 1)).toEqual(
      fills,
    );
  });
});

describe('a bracket, bought at 100, whose halves sell at 104 and 108, or at 95', () => {
  const halves = (order: Order) =>
    void order.bracket('X', {
      entry: { shares: 10 },
      takeProfit: [
        { price: 104, share: 0.5 },
        { price: 108, share: 0.5 },
      ],
      stopLoss: 95,
    });

  test.each<[string, Row[], string[]]>([
    [
      'one after the other',
      [
        [100, 105, 100, 105],
        [105, 109, 104, 108],
      ],
      ['sell 5 at 104, 13:32:00', 'sell 5 at 108, 13:33:00'],
    ],
    ['both in one bar', [[100, 109, 99, 108]], ['sell 5 at 104, 13:32:00', 'sell 5 at 108, 13:32:00']],
    [
      'the first, then the stop for the rest',
      [
        [100, 105, 100, 105],
        [105, 105, 94, 96],
      ],
      ['sell 5 at 104, 13:32:00', 'sell 5 at 95, 13:32:05'],
    ],
    ['the stop for all', [[100, 101, 94, 96]], ['sell 10 at 95, 13:31:05']],
  ])('%s', async (_name, rows, sells) => {
    expect(sellsOf(await playFirst([100, ...rows, 100, 100], halves))).toEqual(sells);
  });
});

describe('a stop at 95 that is touched within 13:32', () => {
  const rows: Row[] = [100, 100, [97, 98, 94, 96, 60], 96.5, 96.5];

  test('with slippage of 10 bps sells at 95 · 0.999', async () => {
    expect(sellsOf(await playHeld(rows, stop, { slippage: 'bps:10' }))).toEqual([
      'sell 10 at 94.905, 13:32:05',
    ]);
  });

  test('with fees of 10 bps pays 0.95 on the 950 of ten shares', async () => {
    const { tradeList } = await playHeld(rows, stop, { fees: 'bps:10' });
    // 1000 · 0.001 for the purchase.
    expect(tradeList[0]).toMatchObject({ exitPrice: 95, fees: 1.95 });
  });

  test('with a volume cap of a tenth of 60 sells 6 at 95 and 4 at the next open of 96.5, on average 95.6', async () => {
    expect(sellsOf(await playHeld(rows, stop, { volumeCap: 0.1 }))).toEqual(['sell 10 at 95.6, 13:33:00']);
  });

  test('with a latency of a second buys at 97 at 13:32, and sells at the open after the trigger at 13:33', async () => {
    const late: Row[] = [100, 100, 97, [97, 98, 94, 96], 96.5, 96.5];
    expect(fillsOf(await playHeld(late, stop, { latencyMs: 1_000 }))).toEqual([
      'buy 10 at 97, 13:32:00',
      'sell 10 at 96.5, 13:34:00',
    ]);
  });

  test('of one-cancels-other under fill: venue ends its limit at 13:32:08.5, and sells the rest at the next open', async () => {
    expect(sellsOf(await playHeld(rows, oco, { fill: 'venue' }))).toEqual(['sell 10 at 96.5, 13:33:00']);
  });

  test.each<[close: number, sold: number]>([
    [96, 95],
    [94.5, 94.5],
  ])('under fill: close sells at the close of %d, and not above the stop: %d', async (close, sold) => {
    const played = { fill: 'close', interval: '1m' } as const;
    expect(fillsOf(await playHeld([100, [97, 98, 94, close], 100], stop, played))).toEqual([
      'buy 10 at 100, 13:31:00',
      `sell 10 at ${sold}, 13:32:00`,
    ]);
  });
});

describe('an exit on daily bars, bought at the open of the 16th at 100', () => {
  const daily = { interval: '1d' } as const;

  test.each<[string, Row, string[]]>([
    ['a stop, 55 s before the close', [100, 101, 94, 96], ['sell 10 at 95, 19:59:05']],
    ['a gap is known only at the open of the next day', [100, 101, 96, 96], []],
  ])('%s', async (_name, row, sells) => {
    expect(sellsOf(await playHeld([100, row], stop, daily))).toEqual(sells);
  });

  // The take-profit of 110 has ended 3.5 s after the touch: only the close remains of the day.
  test.each<[string, number, number]>([
    ['below the stop: the close', 94.5, 94.5],
    ['above the stop: the stop', 99, 95],
  ])('one-cancels-other under fill: venue, with a close %s', async (_name, close, sold) => {
    const rows: Row[] = [100, 100, [97, 112, 94, close], 100];
    expect(sellsOf(await playHeld(rows, oco, { fill: 'venue', ...daily }))).toEqual([
      `sell 10 at ${sold}, 20:00:00`,
    ]);
  });

  test('on an early close sells 55 s before 18:00 on 27 November', async () => {
    const played = { ...daily, date: '2026-11-25' };
    expect(sellsOf(await playHeld([100, [100, 101, 94, 96], 96], stop, played))).toEqual([
      'sell 10 at 95, 17:59:05',
    ]);
  });

  test('after a split 1 to 2 has a stop of 47.5 for 20 shares', async () => {
    const actions = [
      { symbol: 'X', type: 'forward_split', exDate: '2026-06-17', oldRate: '1', newRate: '2' },
    ];
    const rows: Row[] = [100, 100, [49, 50, 47, 48], 48];
    expect(sellsOf(await playHeld(rows, stop, { ...daily, actions }))).toEqual(['sell 20 at 47.5, 19:59:05']);
  });

  test('that expires at noon is not triggered by the low of its day, which is known only in the last minute', async () => {
    const expiring = (order: Order) => void order.stop('X', { all: true, stop: 95, expires: '12:00' });
    expect(sellsOf(await playHeld([100, [100, 101, 94, 96], 96], expiring, daily))).toEqual([]);
  });

  test.each<[string, ExitAfter, string]>([
    [
      'an hour: at the close of the day, the next price that is known',
      { minutes: 60 },
      'sell 10 at 103, 20:00:00',
    ],
    ['a day: at the next open', { days: 1 }, 'sell 10 at 104, 13:30:00'],
    ['two daily bars: at the open after them', { bars: 2, interval: '1d' }, 'sell 10 at 106, 13:30:00'],
  ])('of a bracket for %s', async (_name, exitAfter, sold) => {
    const timed = (order: Order) => void order.bracket('X', { entry: { shares: 10 }, exitAfter });
    const rows: Row[] = [100, [100, 104, 99, 103], [104, 106, 103, 105], 106, 107];
    expect(fillsOf(await playFirst(rows, timed, daily))).toEqual(['buy 10 at 100, 13:30:00', sold]);
  });
});

describe('an expiry on minute bars', () => {
  const rows: Row[] = [100, 100, [100, 101, 99, 100], [102, 103, 94, 96], 96];

  test.each<[string, number, string[]]>([
    ['two minutes: it has ended at 13:33, before the bar that falls', 2, []],
    ['three minutes: it is still armed', 3, ['sell 10 at 95, 13:33:05']],
  ])('ends a stop for %s', async (_name, minutes, sells) => {
    const timed = (order: Order) => void order.stop('X', { all: true, stop: 95, expires: { minutes } });
    expect(sellsOf(await playHeld(rows, timed))).toEqual(sells);
  });

  test.each<[string, ExitAfter]>([
    ['two minutes', { minutes: 2 }],
    ['two bars', { bars: 2, interval: '1m' }],
  ])('ends a bracket for %s: bought at 13:31, sold at the open of 13:33', async (_name, exitAfter) => {
    const timed = (order: Order) => void order.bracket('X', { entry: { shares: 10 }, exitAfter });
    expect(fillsOf(await playFirst(rows, timed))).toEqual([
      'buy 10 at 100, 13:31:00',
      'sell 10 at 102, 13:33:00',
    ]);
  });
});

/** Weekly bars from 15 June on: each is played in the last session of its week. */
function weekly(rows: readonly Row[]): BacktestBars {
  const days = barsFrom('2026-06-15', rows, '1d');
  const mondays = rows.map(
    (_row, week) => tradingCalendar.newYorkTime('2026-06-15', '09:30') + week * 7 * 86_400_000,
  );
  return { ...days, interval: '1w', start: Float64Array.from(mondays) };
}

test('a stop on weekly bars sells in the last minute of the last session of the week', async () => {
  const played = { interval: '1w', bars: [weekly([100, 100, [97, 98, 94, 96], 96])] } as const;
  const { fills } = await playHeld([], stop, played);
  expect(fills.map(({ at, price }) => [new Date(at).toISOString(), price])).toEqual([
    ['2026-06-26T13:30:00.000Z', 100],
    ['2026-07-02T19:59:05.000Z', 95],
  ]);
});

test('shorter bars of a stock decide which leg of one-cancels-other comes first', async () => {
  const minutes = barsFrom('2026-06-15', [100, 100, [100, 112, 99, 111], [111, 111, 94, 96], 96]);
  const bars = [minutes, barsFrom('2026-06-15', [[100, 112, 94, 96]], '1d')];
  expect(sellsOf(await playHeld([], oco, { bars }))).toEqual(['sell 10 at 110, 13:33:00']);
});
