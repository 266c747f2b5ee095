import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineStrategy,
  type DataNeeds,
  type StrategyHooks,
  type StrategyState,
} from '../../src/strategy/index.ts';
import { Stage, type StageOptions } from '../../src/testing/index.ts';

type Build = (state: StrategyState) => StrategyHooks;

const quotes: DataNeeds = { quotes: ['AAPL'] };

function open(
  hooks: StrategyHooks | Build,
  data: DataNeeds = quotes,
  more: Partial<StageOptions<Record<string, never>>> = {},
): Promise<Stage> {
  const definition = defineStrategy({
    name: 'scripted',
    description: 'scripted by a test',
    params: z.strictObject({}),
    data: () => data,
    create: ({ state }) => (typeof hooks === 'function' ? hooks(state) : hooks),
  });
  return Stage.open(definition, { params: {}, prices: { AAPL: 100 }, ...more });
}

const hooksOf = (stage: Stage) => stage.heard().map(({ hook }) => hook);

test('an order on the stage fills at the next quote, with the hooks of a run', async () => {
  const stage = await open({
    onQuote({ order, price }) {
      if (price > 100) order.buy('AAPL', { notional: 1010 }, 'up');
    },
  });
  expect(hooksOf(stage)).toEqual(['onStart', 'onSession']);
  await stage.quote({ AAPL: 101 });
  await stage.settle();
  expect(stage.intents()).toEqual([['buy', 'AAPL', { notional: 1010 }]]);
  expect(stage.intents(), 'each once').toEqual([]);
  const heard = stage.heard();
  expect(heard.map((call) => ('update' in call ? call.update.status : call.hook))).toEqual([
    'onQuote',
    'sending',
    'accepted',
    'working',
    'filled',
    'onFill',
  ]);
  expect(stage.fills).toMatchObject([{ side: 'buy', shares: 10, price: 101, fee: 1.111 }]);
  expect([stage.view.position('AAPL'), stage.view.cash]).toEqual([10, 8_988.889]);
});

test('bars from before the start are a warm-up, and later ones come at their end', async () => {
  const seen: [string, number][] = [];
  const stage = await open(
    { onBar: ({ bar, order }) => void seen.push([order.buy('AAPL', { notional: 10 }), bar.close]) },
    {
      bars: [
        { symbol: 'AAPL', interval: '1d', warmUp: 2 },
        { symbol: 'AAPL', interval: '5m' },
      ],
    },
    { history: { '1d': { AAPL: [1, 97, { open: 96, close: 98 }] } } },
  );
  expect(seen).toEqual([
    ['ignored', 97],
    ['ignored', 98],
  ]);
  await stage.bars('5m', { AAPL: 99 });
  expect(stage.time).toBe('2026-06-15 10:05');
  await stage.bars('1d', { AAPL: { high: 103, close: 102 } });
  expect(stage.time).toBe('2026-06-15 16:00');
  expect(seen.slice(2).map(([, close]) => close)).toEqual([99, 102]);
  expect(stage.intents(), 'without those of the warm-up').toHaveLength(2);
  expect(stage.view.bars('AAPL', '1d').at(0)).toMatchObject({ open: 102, high: 103, low: 102, close: 102 });
});

test("timers fire and sessions open and close as the stage's time passes", async () => {
  const stage = await open({}, { ...quotes, timers: [{ name: 'late', at: 'close-30m' }] });
  const { onTimer, onSession } = { onTimer: () => undefined, onSession: () => undefined };
  const timed = await open(
    { onTimer, onSession },
    { ...quotes, timers: [{ name: 'late', at: 'close-30m' }] },
  );
  await stage.to('close-30m');
  await timed.to('close-30m');
  expect(hooksOf(timed)).toEqual(['onStart', 'onSession', 'onTimer']);
  await timed.to('open');
  expect(timed.time).toBe('2026-06-16 09:30');
  expect(hooksOf(timed)).toEqual(['onSession', 'onSession']);
});

test('a restart continues from the journal with its state, orders and venue', async () => {
  const stage = await open((state) => ({
    onQuote({ order }) {
      if (state['placed'] !== undefined) return;
      state['placed'] = order.limit('AAPL', { side: 'buy', shares: 2, price: 98 });
    },
  }));
  await stage.quote({ AAPL: 99 });
  await stage.restart();
  expect(stage.state).toEqual({ placed: 'scripted-1' });
  expect(stage.view.orders()).toMatchObject([{ id: 'scripted-1', status: 'working' }]);
  await stage.quote({ AAPL: 97.5 });
  await stage.settle();
  expect(stage.fills).toMatchObject([{ shares: 2, price: 97.5 }]);
  expect(stage.intents()).toHaveLength(1);
});

test('a bracket sells after a restart', async () => {
  const stage = await open((state) => ({
    onQuote({ order }) {
      if (state['bought'] !== undefined) return;
      state['bought'] = true;
      order.bracket('AAPL', { entry: { notional: 1000 }, stopLoss: { percent: 5 }, takeProfit: 120 });
    },
  }));
  await stage.quote({ AAPL: 100.5 });
  await stage.settle();
  await stage.restart();
  await stage.quote({ AAPL: 95 });
  await stage.settle();
  await stage.pass({ seconds: 30 });
  expect(stage.fills.map(({ side, price }) => [side, price])).toEqual([
    ['buy', 100.5],
    ['sell', 95],
  ]);
  expect(stage.view.position('AAPL')).toBe(0);
});

test("the stage's exchange can refuse an order, and end another partly filled", async () => {
  const stage = await open({
    onStart: ({ order }) => void order.buy('AAPL', { notional: 100 }),
    onQuote: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 4, price: 98 }),
  });
  await stage.settle();
  stage.refuseNext('not today');
  await stage.quote({ AAPL: 99 });
  const ends = () => stage.heard().flatMap((call) => ('update' in call ? [call.update] : []));
  expect(ends().at(-1)).toMatchObject({ status: 'refused', code: 'VENUE_REFUSED', why: 'not today' });
  await stage.quote({ AAPL: 99.5 });
  await stage.settle();
  const [resting] = stage.view.orders();
  await stage.endInPart(resting?.id ?? '', 1.5);
  expect(ends().at(-1)).toMatchObject({ status: 'expired', filled: 1.5 });
  expect(stage.fills.at(-1)).toMatchObject({ shares: 1.5, price: 98 });
});

test('limits apply as in a run', async () => {
  const stage = await open({ onStart: ({ order }) => void order.buy('AAPL', { notional: 100 }) }, quotes, {
    limits: { orderNotional: 50 },
  });
  await stage.settle();
  expect(stage.heard().at(-1)).toMatchObject({ update: { status: 'dropped', code: 'ORDER_NOTIONAL' } });
});

test('an error in a hook rejects the call that led to it', async () => {
  const stage = await open({
    onQuote() {
      throw new Error('a mistake of the author');
    },
  });
  await expect(stage.quote({ AAPL: 101 })).rejects.toThrow('a mistake of the author');
});

test('a stock without a price is named', async () => {
  await expect(open({}, { quotes: ['MSFT'] })).rejects.toThrow('scripted asks for MSFT');
  const stage = await open({});
  await expect(stage.quote({ AAPL: 0 })).rejects.toThrow('the price of AAPL is 0');
});

test('log lines are kept, without those of the warm-up', async () => {
  const stage = await open(
    { onBar: ({ bar, log }) => log('a close', { price: bar.close }) },
    { bars: [{ symbol: 'AAPL', interval: '5m', warmUp: 1 }] },
    { history: { '5m': { AAPL: [97] } } },
  );
  await stage.bars('5m', { AAPL: 99 });
  expect(stage.logged()).toEqual([{ text: 'a close', fields: { price: 99 } }]);
});

test('plotted values are kept, without those of the warm-up', async () => {
  const stage = await open(
    { onBar: ({ bar, plot }) => plot('close', bar.close, { symbol: 'AAPL' }) },
    { bars: [{ symbol: 'AAPL', interval: '5m', warmUp: 1 }] },
    { history: { '5m': { AAPL: [97] } } },
  );
  await stage.bars('5m', { AAPL: 99 });
  expect(stage.plotted()).toEqual([{ name: 'close', value: 99, symbol: 'AAPL' }]);
  expect(stage.plotted()).toEqual([]);
});

test('onStop is called at the end', async () => {
  const stage = await open({ onStop: () => undefined });
  await stage.stop();
  expect(stage.heard().at(-1)).toEqual({ hook: 'onStop' });
});

test('a dated series shows its rows as they become known', async () => {
  const seen: number[] = [];
  const data: DataNeeds = { ...quotes, series: [{ name: 'mood', numbers: ['level'] }] };
  // It begins on June 15, 10:00 in New York.
  const series = { mood: 'known,level\n2026-06-12,1\n2026-06-15T14:02:00Z,2\n' };
  const stage = await open(
    { onQuote: ({ view }) => void seen.push(view.series('mood').at(0)?.number('level') ?? NaN) },
    data,
    { series },
  );
  await stage.quote({ AAPL: 101 });
  await stage.pass({ minutes: 3 });
  await stage.quote({ AAPL: 102 });
  expect(seen).toEqual([1, 2]);
  await expect(open({}, data)).rejects.toThrow('scripted asks for the series mood');
});

test('a fetched text is that of the test, also after a restart', async () => {
  const stage = await open({}, { quotes: ['AAPL'], fetch: ['mood'] });
  expect(stage.view.fetched('mood')).toBeNull();
  stage.fetched('mood', '{"level":2}');
  expect(stage.view.fetched('mood')?.text).toBe('{"level":2}');
  await stage.restart();
  expect(stage.view.fetched('mood')?.text).toBe('{"level":2}');
});
