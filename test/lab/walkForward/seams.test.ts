import { expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestOptions } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { planStudy } from '../../../src/lab/optimise.ts';
import { trialOptions } from '../../../src/lab/trials/kernelTrials.ts';
import { tradeParts } from '../../../src/lab/walkForward/outOfSample.ts';
import { defineStrategy } from '../../../src/strategy/index.ts';
import { barsOfDays, fillsIn, wallTime } from '../../backtest/phaseStage.ts';
import { samplingWith, setupWith } from '../study/stage.ts';

type Phases = NonNullable<BacktestOptions['outside']>['trade'];

const all = { from: -Infinity, to: Infinity };
const { regular, outside } = barsOfDays('2026-03-02', '2026-05-08', {});
const set = (columns: typeof regular) => ({ symbol: 'X', interval: '15m' as const, ...columns });

/** Buys at one time of each day, and sells at another; `fired` receives the time of each call. */
function playedBy(trade: Phases, { buy, sell }: Readonly<{ buy: string; sell: string }>) {
  const fired: string[] = [];
  const definition = defineStrategy({
    name: 'clock',
    description: 'of a test',
    params: z.strictObject({}),
    data: () => ({
      bars: [{ symbol: 'X', interval: '15m' }],
      timers: [
        { name: 'buy', at: buy },
        { name: 'sell', at: sell },
      ],
    }),
    create: () => ({
      onTimer({ order, timer, view }) {
        fired.push(`${wallTime(view.now)} ${timer}`);
        if (timer === 'buy') order.buy('X', { notional: 1_000, outside: 'limit' });
        else order.sell('X', { all: true, outside: 'limit' });
      },
    }),
  });
  const options = {
    bars: [set(regular)],
    fees: 'none',
    slippage: 'none',
    outside: { trade, bars: [set(outside)] },
  } satisfies BacktestOptions;
  return { fired, setup: setupWith({ options, strategy: { definition, params: {} } }) };
}

type Played = ReturnType<typeof playedBy>;

const windowsWith = ({ setup }: Played, text: string, span = all) =>
  planStudy({
    setup,
    span,
    sampling: samplingWith({ space: [] }),
    walkForward: { text, isAnchored: false, embargo: 0 },
    stopEarly: false,
  }).windows;

async function joined(played: Played, text: string, span = all) {
  const parts = windowsWith(played, text, span).map(({ outOfSample }) => ({ span: outOfSample, params: {} }));
  const { figures } = await tradeParts(parts, {
    setup: played.setup,
    datesOf: () => [],
    startEquity: 100_000,
  });
  return { parts, fired: played.fired.splice(0), fills: fillsIn(figures as never), marks: figures.marks };
}

test.each<[string, Phases, Readonly<{ buy: string; sell: string }>]>([
  ['in the evening, for the next open', ['regular'], { buy: '17:00', sell: '15:00' }],
  ['in the morning before an open', ['regular'], { buy: '08:00', sell: '15:00' }],
  ['at the close', ['regular'], { buy: '16:00', sell: '15:00' }],
  ['at the close of post', ['regular', 'post', 'overnight'], { buy: '20:00', sell: '15:00' }],
  ['between the close and the night', ['regular', 'overnight'], { buy: '18:00', sell: '15:00' }],
  ['in the night', ['regular', 'overnight'], { buy: '21:00', sell: '15:00' }],
  ['within post', ['regular', 'post'], { buy: '17:00', sell: '19:00' }],
])('timers %s come in one window each, and trade as in one backtest', async (_when, trade, times) => {
  const played = playedBy(trade, times);
  // Windows of a week from a Monday on, and of three days, whose cuts fall on any day of the week.
  for (const text of ['24d/5d', '20d/3d']) {
    const { parts, fired, fills, marks } = await joined(played, text);
    const { from } = parts[0]?.span ?? all;
    const whole = await runBacktest(trialOptions(played.setup, {}, { from, to: Infinity }));
    expect(fired).toEqual(played.fired.splice(0));
    expect(new Set(fired).size).toBe(fired.length);
    expect(fills).toEqual(fillsIn(whole));
    expect(marks.map(({ date }) => date)).toEqual(whole.marks.map(({ date }) => date));
  }
});

test('a Friday evening belongs to the window of the Monday, and a Friday until its last close to its own', () => {
  const seamOf = (trade: Phases) => {
    const played = playedBy(trade, { buy: '17:00', sell: '15:00' });
    const seam = windowsWith(played, '24d/5d')[0]?.outOfSample.to ?? NaN;
    return wallTime(seam);
  };
  expect(seamOf(['regular'])).toBe('2026-04-10 16:00');
  expect(seamOf(['regular', 'overnight'])).toBe('2026-04-10 16:00');
  expect(seamOf(['regular', 'post', 'overnight'])).toBe('2026-04-10 20:00');
});

test('the last window ends with the span of the study, and the first begins with it', async () => {
  const played = playedBy(['regular'], { buy: '10:00', sell: '15:00' });
  const span = { from: regular.start[26 + 1] ?? NaN, to: regular.start[26 * 45] ?? NaN };
  const windows = windowsWith(played, '20d/5d', span);
  expect(windows[0]?.inSample.from).toBe(span.from);
  const { marks } = await joined(played, '20d/5d', span);
  expect(wallTime(marks.at(-1)?.at ?? NaN)).toBe('2026-05-04 16:00');
});
