import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { logLine } from '../../../src/engine/strategy/strategyLog.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';
import { isolated, sourceOf } from '../../app/isolation/isolated.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { factsOf } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const linesOf = (stage: Stage) =>
  factsOf(stage).flatMap((fact) => (fact.kind === 'logged' ? [[fact.text, fact.fields]] : []));

test("a strategy's log line goes to the journal and the screen", async () => {
  const stage = await new Stage({
    hooks: { solo: { onStart: ({ log }) => log('regime changed', { from: 'up', steps: 3 }) } },
  }).play(MINUTE);
  expect(linesOf(stage)).toEqual([['regime changed', { from: 'up', steps: 3 }]]);
  expect(stage.said(/^regime changed \(from up, steps 3\)$/)).toBe(true);
});

test("a strategy's log is limited to 60 lines a minute, with one line that says so", async () => {
  const chatter: StrategyHooks = {
    onStart: ({ log }) => Array.from({ length: 100 }, (_, index) => log(`line ${index}`)),
    onQuote: ({ log }) => log('later'),
  };
  const stage = await new Stage({ hooks: { solo: chatter } }).play(MINUTE);
  expect(linesOf(stage)).toHaveLength(61);
  expect(linesOf(stage).at(-1)?.[0]).toMatch(/more than 60 lines/);
  stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
  await stage.pass(MINUTE);
  expect(linesOf(stage).at(-1)?.[0]).toBe('later');
});

test.each([
  [5, undefined, /is not a text/],
  ['a', [1], /no object/],
  ['a', { deep: { er: 1 } }, /"deep" has the type object/],
  ['a', Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`f${index}`, 1])), /21 fields/],
])('the log line %o with the fields %o is refused', (text, fields, message) => {
  expect(() => logLine(text, fields)).toThrow(message);
});

test('a log line is cut to 500 characters, and NaN is kept as text', () => {
  expect(logLine('x'.repeat(900)).text).toHaveLength(500);
  expect(logLine('a', { ratio: NaN }).fields).toEqual({ ratio: 'NaN' });
});

test('a strategy in a thread logs the same, in sequence with its orders', async () => {
  const source = sourceOf(`({
    onStart({ log, order }) {
      log('one', { a: 1 });
      order.buy('AAPL', { notional: 5 });
      try { log(5); } catch (error) { log(error.message); }
    },
  })`);
  const stage = await new Stage({ more: { strategies: [await isolated('solo', source)] } }).play(SECOND);
  const order = factsOf(stage).flatMap(({ kind }) =>
    kind === 'logged' || kind === 'intentCreated' ? [kind] : [],
  );
  expect(order).toEqual(['logged', 'intentCreated', 'logged']);
  expect(linesOf(stage)).toEqual([
    ['one', { a: 1 }],
    ['log: number is not a text', undefined],
  ]);
});

test('a replay of a strategy that logs is the same', async () => {
  const hooks = atStart((order) => order.buy('AAPL', { notional: 5 }));
  const options = { hooks: { solo: { ...hooks, onOrder: ({ log }: HookContext) => log('moved') } } };
  const stage = await new Stage(options).play(MINUTE);
  const { calendar, rules, strategies } = new Stage(options).options;
  const entries: JournalEntry[] = [...memoryJournal(stage.lines).entries()];
  const replayed = replay(
    entries,
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
  expect([replayed.parting, linesOf(stage).length > 0]).toEqual([null, true]);
});

const needs = {
  bars: [
    { symbol: 'X', interval: '1d' as const },
    { symbol: 'Y', interval: '1d' as const },
  ],
};

async function played(hooks: StrategyHooks, further = {}) {
  const prices = [100, 104, 99, 103, 108];
  const y = barsFrom('2026-06-15', [50, 52, 51, 53, 54], '1d');
  return runBacktest(
    plainly({
      strategies: [{ definition: strategyOf(hooks, needs), id: 'solo', capital: '9000' }],
      bars: [barsFrom('2026-06-15', prices, '1d'), { ...y, symbol: 'Y' }],
      ...further,
    }),
  );
}

test('onBars is called with all bars of an instant, after onBar of each', async () => {
  const heard: string[] = [];
  await played({
    onBar: ({ bar }) => void heard.push(bar.symbol),
    onBars: ({ bars }) => void heard.push(bars.map(({ symbol }) => symbol).join('+')),
  });
  expect(heard.slice(0, 6)).toEqual(['X', 'Y', 'X+Y', 'X', 'Y', 'X+Y']);
});

test('orders of onBars fill as those of onBar do', async () => {
  const buy = ({ order, view }: HookContext) => {
    if (view.position('X') === 0 && view.orders().length === 0) order.buy('X', { shares: 3 });
  };
  const [one, other] = [await played({ onBar: buy }), await played({ onBars: buy })];
  expect(other.fills.map(({ at, price }) => [at, price])).toEqual(
    one.fills.map(({ at, price }) => [at, price]),
  );
});

test("onSplit and onDividend are called with the strategy's own position and amount", async () => {
  const heard: unknown[] = [];
  await played(
    {
      onBar({ order, view }) {
        if (view.position('X') === 0 && view.orders().length === 0) order.buy('X', { shares: 6 });
      },
      onSplit: ({ split, view, log }) => {
        heard.push([split, view.position('X')]);
        log('split', { ratio: split.ratio });
      },
      onDividend: ({ dividend }) => void heard.push(dividend),
    },
    {
      actions: [
        { symbol: 'X', type: 'reverse_split', exDate: '2026-06-18', oldRate: '3', newRate: '1' },
        { symbol: 'X', type: 'cash_dividend', exDate: '2026-06-17', cashPerShare: '0.31' },
      ],
    },
  );
  expect(heard).toHaveLength(2);
  expect(heard).toContainEqual({ symbol: 'X', amount: 1.86, perShare: 0.31, exDate: '2026-06-17' });
  const split = { symbol: 'X', oldRate: 3, newRate: 1, ratio: 1 / 3, exDate: '2026-06-18' };
  expect(heard).toContainEqual([split, 2]);
});

test('a backtest keeps the log lines of its strategies', async () => {
  const result = await played({ onBar: ({ bar, log }) => log('seen', { close: bar.close }) });
  expect(result.logs).toHaveLength(10);
  expect(result.logs?.[0]).toMatchObject({ strategy: 'solo', text: 'seen', fields: { close: 100 } });
});
