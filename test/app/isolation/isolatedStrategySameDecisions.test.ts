/** @module-tag heavy */
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isolatedCode } from '../../../src/app/isolation/isolatedStrategy.ts';
import { loadStrategy } from '../../../src/app/strategies/loadStrategy.ts';
import type { BacktestStrategy } from '../../../src/backtest/options.ts';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { barsFrom } from '../../backtest/bars.ts';
import { shares } from '../../runs.ts';
import { openRealm } from '../strategies/openRealm.ts';
import { fileWith } from './isolated.ts';

const LONG_MS = 120_000;
const DAYS = ['2026-06-15', '2026-06-16', '2026-06-17'];
const MINUTES = 390;

/** A walk of prices from a seed, in cents. */
function walk(seed: number, from: number): number[] {
  let [state, price] = [seed, from * 100];
  return Array.from({ length: MINUTES }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    price += (state % 41) - 20;
    return price / 100;
  });
}

const symbols = ['AAPL', 'MSFT', 'SPY'];

/** Minutes of three days. */
function bars() {
  return symbols.map((symbol, index) => {
    const days = DAYS.map((day, at) => barsFrom(day, walk(7 * index + at + 1, 100 + 20 * index)));
    const joined = (field: 'start' | 'open' | 'high' | 'low' | 'close' | 'volume') =>
      Float64Array.from(days.flatMap((day) => [...day[field]]));
    return {
      symbol,
      interval: '1m' as const,
      start: joined('start'),
      open: joined('open'),
      high: joined('high'),
      low: joined('low'),
      close: joined('close'),
      volume: joined('volume'),
    };
  });
}

/** Reads everything there is to read, calls everything there is to call, and records the results. */
const BUSY = `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'busy',
  description: 'Does everything.',
  params: z.strictObject({ every: z.int() }),
  data: () => ({
    bars: [{ symbol: 'AAPL', interval: '1m', warmUp: 5 }, { symbol: 'MSFT', interval: '1m' }],
    quotes: ['SPY', { symbol: 'MSFT', phases: ['post', 'regular'] }],
    timers: [{ name: 'noon', at: '12:00' }],
    series: [{ name: 'mood', numbers: ['level'], texts: ['of'] }],
  }),
  create({ params, state }) {
    let count = 0;
    const shown = (row) => row && [row.known, row.number('level'), row.text('of')];
    const look = (view) => ({
      mood: [view.series('mood').length, shown(view.series('mood').at(1)), shown(view.series('mood').latest({ of: 'A' }))],
      fees: view.fees, limits: view.limits, unrealised: view.unrealised(),
      now: view.now, session: view.session, cash: view.cash, equity: view.equity,
      seen: ['AAPL', 'MSFT', 'SPY', 'KO'].map((symbol) => [
        view.position(symbol), view.averagePrice(symbol), view.price(symbol), view.weight(symbol),
        view.bars(symbol, '1m').length, view.bars(symbol, '1m').at(1) ?? null, [...view.bars(symbol, '1m').closes(3)],
        view.orders(symbol), view.quote(symbol), view.instrument(symbol), view.unrealised(symbol),
      ]),
    });
    const note = (what, view) => { state.last = [what, look(view)]; };
    return {
      onStart({ view, order }) { note('start', view); order.buy('SPY', { notional: 500 }, 'first'); note('bought', view); },
      onBar({ bar, view, order }) {
        count++;
        note(bar, view);
        if (count % params.every === 0) order.target('AAPL', { weight: (count % 5) / 10 }, 'turn ' + count);
        if (count % 17 === 0) state.id = order.limit('MSFT', { side: 'buy', shares: 1, price: bar.close * 0.999 });
        if (count % 23 === 0 && state.id) order.cancel(state.id);
        if (count % 29 === 0) order.rebalance({ AAPL: 0.2, MSFT: 0.3 }, { band: 0.01 });
        if (count % 31 === 0) {
          try { order.buy('AAPL', { notional: -1 }); } catch (error) { state.refused = [error.name, error.message]; }
          note('after', view);
        }
        if (count % 97 === 0 && view.position('SPY') > 0) order.sell('SPY', { all: true });
        if (count % 101 === 0) order.buy('SPY', { shares: '0.5', at: 'open' });
      },
      onQuote({ symbol, price, view }) { if (count % 50 === 0) note([symbol, price], view); },
      onFill({ fill, view }) { state.fills = (state.fills ?? 0) + 1; note(fill, view); },
      onOrder({ update, view }) { note(update, view); },
      onSession({ session, change, view }) { note([session, change], view); },
      onTimer({ timer, order, view }) { note(timer, view); order.target('SPY', { notional: 700 }); },
      onStop({ view }) { note('stop', view); },
    };
  },
});
`;

/** A row every ten minutes, from the day before on. */
const MOOD = {
  file: 'mood.csv',
  text: [
    'known,level,of',
    '2026-06-14,0,A',
    ...Array.from({ length: 400 }, (_, index) => {
      const known = new Date(Date.parse('2026-06-15T13:35:00Z') + index * 600_000).toISOString();
      return `${known},${index},${index % 3 === 0 ? 'A' : 'B'}`;
    }),
  ].join('\n'),
};

async function play(strategy: BacktestStrategy) {
  const facts: JournalEntry[] = [];
  const result = await runBacktest({
    strategies: [
      { ...strategy, id: 'tried', ...(strategy.definition.name === 'busy' && { series: { mood: MOOD } }) },
    ],
    bars: bars(),
    cash: '10000',
    onFact: (entry: JournalEntry) => facts.push(entry),
  });
  const { elapsedMs: _, ...same } = result;
  return { facts, same };
}

const bundled = (name: string): string => resolve('strategies', `${name}.ts`);

/** The same strategy in this thread, and in its own. */
async function both(file: string, params: unknown) {
  const { definition, hash } = await loadStrategy(file, '/', openRealm);
  const local = await play({ definition, params, codeHash: hash });
  const { strategy, close } = await isolatedCode({
    use: file,
    folder: '/',
    kept: [],
    params,
    print: () => undefined,
    misfit: () => new Error('the parameters do not fit'),
  });
  onTestFinished(close);
  return { local, threaded: await play(strategy) };
}

/** The one that uses everything, and a bundled one; `npm run long` has the others. */
const STRATEGIES: readonly (readonly [name: string, file: () => string, params: unknown])[] = [
  ['one that does everything', () => fileWith(BUSY), { every: 7 }],
  ['dca', () => bundled('dca'), { symbol: 'SPY', notional: '500', at: 'open+10m' }],
  [
    'limit-ladder',
    () => bundled('limit-ladder'),
    {
      symbol: 'AAPL',
      rungs: 3,
      stepBps: 20,
      notional: '900',
      takeProfitBps: 30,
      requoteBps: 60,
      maxExposure: '5000',
    },
  ],
  [
    'rebalance',
    () => bundled('rebalance'),
    { weights: { AAPL: 0.3, MSFT: 0.3, SPY: 0.2 }, band: 0.001, at: ['open+15m', '12:30', 'close-30m'] },
  ],
  [
    'sma-cross',
    () => bundled('sma-cross'),
    { symbol: 'AAPL', interval: '1m', fast: 5, slow: 20, weight: 0.45 },
  ],
  [
    'mean-reversion',
    () => bundled('mean-reversion'),
    { symbol: 'AAPL', interval: '1m', length: 3, takeProfitPercent: 0.2, stopPercent: 0.2, exitAfterBars: 5 },
  ],
  [
    'twap-accumulation',
    () => bundled('twap-accumulation'),
    { symbol: 'SPY', notional: 600, budget: 5000, until: 'open+2h' },
  ],
  ['bench-sma', () => resolve('bench/strategies/bench-sma.ts'), { symbol: 'AAPL' }],
  ['bench-rsi', () => resolve('bench/strategies/bench-rsi.ts'), { symbol: 'MSFT' }],
];

for (const { cases, tags } of shares(STRATEGIES, 2))
  test.each(cases)(
    'a strategy decides the same in a thread and without one: %s',
    { tags, timeout: LONG_MS },
    async (_, fileOf, params) => {
      const { local, threaded } = await both(fileOf(), params);
      expect(local.facts.filter(({ fact }) => fact.kind === 'intentCreated').length).toBeGreaterThan(0);
      expect(threaded.facts).toEqual(local.facts);
      expect(threaded.same).toEqual(local.same);
    },
  );

test(
  'signals decide the same ahead of time without a thread as at each bar in one',
  async () => {
    const params = { symbol: 'AAPL', interval: '1m', fast: 5, slow: 20, weight: 0.45 };
    const { local, threaded } = await both(bundled('sma-signals'), params);
    expect(local.same.fills.length).toBeGreaterThan(50);
    expect(threaded.same).toEqual(local.same);
  },
  LONG_MS,
);
