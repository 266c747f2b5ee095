import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { PlottedSeries } from '../../../src/domain/plots.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { PlotBuffer } from '../../../src/engine/strategy/plotBuffer.ts';
import type { HookContext, Plot, StrategyHooks } from '../../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';
import { isolated, sourceOf } from '../../app/isolation/isolated.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

/** A buffer with its own clock and log. */
function bufferAt(start = 0) {
  const state = { now: start, isOpen: true };
  const lines: string[] = [];
  const buffer = new PlotBuffer({
    now: () => epochMs(state.now),
    isOpen: () => state.isOpen,
    known: new Set(['AAPL', 'MSFT']),
    log: (text) => lines.push(text),
  });
  return { state, lines, buffer, plot: buffer.plot };
}

const valuesOf = (taken: readonly PlottedSeries[]) => taken.map(({ name, values }) => [name, ...values]);

test('the plot buffer gives the first value of a minute at once, and the last when the minute is over', () => {
  const { state, buffer, plot } = bufferAt(MINUTE);
  plot('a', 1);
  expect(valuesOf(buffer.take(epochMs(state.now)))).toEqual([['a', 1]]);
  for (const value of [2, 3]) {
    state.now += SECOND;
    plot('a', value);
    expect(buffer.take(epochMs(state.now))).toEqual([]);
  }
  state.now = 2 * MINUTE;
  expect(buffer.take(epochMs(state.now))).toEqual([{ name: 'a', at: [MINUTE + 2 * SECOND], values: [3] }]);
  expect(buffer.take(epochMs(state.now))).toEqual([]);
});

test('the plot buffer gives the last value of each minute when it was not read for several', () => {
  const { state, buffer, plot } = bufferAt();
  for (let second = 0; second < 180; second += 20) {
    state.now = second * SECOND;
    plot('a', second);
  }
  expect(valuesOf(buffer.take(epochMs(state.now)))).toEqual([['a', 40, 100, 160]]);
});

test('the plot buffer keeps a later value of a read minute back until the next minute', () => {
  const { state, buffer, plot } = bufferAt();
  plot('a', 1);
  buffer.take(epochMs(state.now));
  plot('a', 2);
  plot('b', 5);
  expect(valuesOf(buffer.take(epochMs(state.now)))).toEqual([['b', 5]]);
  state.now = MINUTE;
  plot('a', 3);
  expect(valuesOf(buffer.take(epochMs(state.now)))).toEqual([['a', 2, 3]]);
  plot('a', 4);
  expect(valuesOf(buffer.take(epochMs(state.now), true))).toEqual([['a', 4]]);
});

test('plots of one name with another stock or panel are different series', () => {
  const { state, buffer, plot } = bufferAt();
  plot('rsi', 1, { symbol: 'AAPL' });
  plot('rsi', 2, { symbol: 'MSFT' });
  plot('rsi', 3, { symbol: 'AAPL', panel: 'rsi' });
  plot('rsi', 4);
  plot('rsi', 5, { symbol: 'MSFT' });
  expect(buffer.take(epochMs(state.now))).toEqual([
    { name: 'rsi', symbol: 'AAPL', at: [0], values: [1] },
    { name: 'rsi', symbol: 'MSFT', at: [0], values: [5] },
    { name: 'rsi', symbol: 'AAPL', panel: 'rsi', at: [0], values: [3] },
    { name: 'rsi', at: [0], values: [4] },
  ]);
});

test('a plotted value that is not finite is a gap', () => {
  const { state, buffer, plot } = bufferAt();
  for (const [minute, value] of [NaN, Infinity, -Infinity, 0].entries()) {
    state.now = minute * MINUTE;
    plot('a', value);
  }
  expect(valuesOf(buffer.take(epochMs(state.now)))).toEqual([['a', null, null, null, 0]]);
});

test.each<readonly [unknown[], RegExp]>([
  [['', 1], /the name of a series is empty/],
  [['  ', 1], /is empty/],
  [['x'.repeat(61), 1], /61 characters, at most 60/],
  [[5, 1], /the name of a series has the type number: give a text/],
  [['a', '1'], /a value has the type string: give a number; NaN leaves a gap/],
  [['a', undefined], /a value has the type undefined/],
  [['a', 1, 'AAPL'], /its place is no object, such as \{ symbol: 'AAPL' \}/],
  [['a', 1, null], /its place is no object/],
  [['a', 1, { sybmol: 'AAPL' }], /a place has no "sybmol": there are symbol and panel/],
  [['a', 1, { symbol: 'TSLA' }], /"TSLA" is none of the symbols .*: AAPL, MSFT/],
  [['a', 1, { panel: '' }], /the name of a panel is empty/],
])('plot(%j) is refused', (given, message) => {
  const { plot } = bufferAt();
  expect(() => plot(...(given as Parameters<Plot>))).toThrow(message);
});

test('plots beyond 100 series are left out, with one log line that says so', () => {
  const { state, buffer, plot, lines } = bufferAt();
  for (let index = 0; index < 103; index++) plot(`series ${index}`, index);
  expect(buffer.take(epochMs(state.now))).toHaveLength(100);
  expect(lines).toEqual(['plot: more than 100 series: the rest is left out']);
});

test('plots outside a hook are not kept', () => {
  const { state, buffer, plot } = bufferAt();
  state.isOpen = false;
  plot('a', 1);
  expect(buffer.take(epochMs(state.now), true)).toEqual([]);
});

const plotted = (stage: Stage) => factsOf(stage).flatMap((fact) => (fact.kind === 'plotted' ? fact : []));

/** Plots the price, at a start and with each quote. */
const pricePlotter: StrategyHooks = {
  onStart: ({ plot, view }) => plot('price', view.price('AAPL') ?? NaN, { symbol: 'AAPL' }),
  onQuote: ({ plot, price }) => plot('price', price, { symbol: 'AAPL' }),
};

const wad = 10n ** 18n;

/** Moves the price every few seconds for some minutes. */
async function playedWith(hooks: StrategyHooks): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: hooks } }).play(SECOND);
  for (let step = 1n; step <= 12n; step++) {
    stage.venue.prices.set('AAPL', (100n + step) * wad);
    await stage.pass(15 * SECOND);
  }
  return stage;
}

test('a run journals at most two plotted values of a series per minute, the last one included', async () => {
  const stage = await playedWith(pricePlotter);
  const points = plotted(stage).flatMap(({ series }) =>
    series.flatMap(({ at, values }) => at.map((when, index) => ({ when, value: values[index] }))),
  );
  const last = new Map<number, number>();
  const count = new Map<number, number>();
  for (const { at, fact } of memoryJournal(stage.lines).entries())
    if (fact.kind === 'quotes') last.set(Math.floor(at / MINUTE), Number(fact.prices[0]?.[1]) / 1e18);
  for (const { when } of points)
    count.set(Math.floor(when / MINUTE), (count.get(Math.floor(when / MINUTE)) ?? 0) + 1);
  const over = [...last.keys()].slice(0, -1);
  expect(over.length).toBeGreaterThan(1);
  expect(over.map((minute) => count.get(minute))).toEqual(over.map(() => 2));
  const kept = new Map(points.map(({ when, value }) => [Math.floor(when / MINUTE), value]));
  expect(over.map((minute) => kept.get(minute))).toEqual(over.map((minute) => last.get(minute)));
});

test('plotted values alone cause no commit', async () => {
  const stage = await new Stage({ hooks: { solo: pricePlotter } }).play(MINUTE);
  stage.venue.prices.set('AAPL', 123n * wad);
  let seconds = 0;
  const latest = () => plotted(stage).at(-1)?.series[0]?.values;
  for (; seconds < 60 && latest()?.[0] !== 123; seconds++) await stage.pass(SECOND);
  expect(latest()).toEqual([123]);
  expect(seconds).toBeGreaterThan(20);
});

test('a replay does not compare plots', async () => {
  const hooks: StrategyHooks = {
    ...pricePlotter,
    onQuote({ plot, price, order, view }) {
      plot('price', price);
      plot('held', view.position('AAPL'), { panel: 'position' });
      if (price === 105) order.buy('AAPL', { notional: 50 });
    },
    onOrder: ({ plot, update }) => plot('filled', update.filled),
  };
  const stage = await playedWith(hooks);
  const { calendar, rules, strategies } = new Stage({ hooks: { solo: hooks } }).options;
  const replayed = replay(
    [...memoryJournal(stage.lines).entries()],
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
  expect(replayed).toMatchObject({ parting: null, orders: 1 });
  expect(plotted(stage).length).toBeGreaterThan(4);
});

test('a strategy in a thread plots the same, also before it throws', async () => {
  const body = `({ plot, view }) => {
    for (const value of [1, 2]) plot('a', value, { symbol: 'AAPL' });
    plot('b', NaN);
    plot('price', view.price('AAPL'), { panel: 'p' });
    plot('c', 'no number');
  }`;
  const source = sourceOf(`({ onStart: ${body} })`);
  const threaded = await new Stage({ more: { strategies: [await isolated('solo', source)] } }).play(MINUTE);
  const onStart = ({ plot, view }: HookContext) => {
    for (const value of [1, 2]) plot('a', value, { symbol: 'AAPL' });
    plot('b', NaN);
    plot('price', view.price('AAPL') ?? NaN, { panel: 'p' });
    (plot as (name: string, value: unknown) => void)('c', 'no number');
  };
  const local = await new Stage({ hooks: { solo: { onStart } } }).play(MINUTE);
  expect(plotted(threaded)).toEqual(plotted(local));
  expect(plotted(local)[0]?.series).toHaveLength(3);
  const stops = factsOf(threaded).flatMap((fact) => (fact.kind === 'strategyStopped' ? [fact.error] : []));
  expect(stops).toEqual([expect.stringMatching(/a value has the type string/)]);
});

const PRICES = [100, 104, 99, 103, 108];

/** Backtest over five days of a strategy with a warm-up of two. */
const backtestOf = (hooks: StrategyHooks) =>
  runBacktest(
    plainly({
      strategies: [
        {
          definition: strategyOf(hooks, { bars: [{ symbol: 'X', interval: '1d', warmUp: 2 }] }),
          id: 'solo',
          capital: '9000',
        },
      ],
      bars: [barsFrom('2026-06-15', PRICES, '1d')],
      from: epochMs(Date.parse('2026-06-17T13:30:00Z')),
    }),
  );

test('a backtest keeps the plots of its strategies without the warm-up', async () => {
  const result = await backtestOf({
    onBar: ({ plot, bar }) => plot('close', bar.close, { symbol: 'X' }),
  });
  expect(result.plots).toEqual([
    {
      strategy: 'solo',
      name: 'close',
      symbol: 'X',
      panel: null,
      at: ['2026-06-17', '2026-06-18', '2026-06-22'].map((date) => Date.parse(`${date}T20:00:00Z`)),
      values: [99, 103, 108],
    },
  ]);
});

test('plotting changes neither the identity nor the result of a backtest', async () => {
  const [{ plots, elapsedMs: _one, ...plain }, { plots: drawn, elapsedMs: _other, ...same }] = [
    await backtestOf({ onBar: () => undefined }),
    await backtestOf({ onBar: ({ plot, bar }) => plot('close', bar.close) }),
  ];
  expect([plots, drawn?.length]).toEqual([undefined, 1]);
  expect(same).toEqual(plain);
});
