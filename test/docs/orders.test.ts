import { readFileSync } from 'node:fs';
import { compileFunction } from 'node:vm';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type HookContext, type OrderView } from '../../src/strategy/index.ts';
import { Stage } from '../../src/testing/index.ts';

const page = readFileSync('docs/orders.md', 'utf8');
const examples = [...page.matchAll(/^```ts ?(.*)\n([^]*?)^```$/gm)].map(([, kind = '', text = '']) => ({
  kind,
  text,
}));

type Given = Readonly<{ order: HookContext['order']; state: object; update?: OrderView }>;

/** Runs an example with the arguments of its hook. */
function run(text: string, { order, state, update }: Given): void {
  const example = compileFunction(text, ['order', 'state', 'update']);
  Reflect.apply(example, undefined, [order, state, update]);
}

/** Holds 10 AAPL at 100, then runs an example. */
const stageOf = async ({ kind, text }: (typeof examples)[number]) => {
  const stage = await Stage.open(
    defineStrategy({
      name: 'reader',
      description: 'does what the page says',
      params: z.strictObject({}),
      data: () => ({ quotes: ['AAPL', 'MSFT'] }),
      create: ({ state }) => ({
        onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 100 }),
        onQuote({ order, symbol }) {
          if (symbol !== 'MSFT') return;
          if (kind === 'onOrder') order.buy('AAPL', { notional: 1e9 });
          else run(text, { order, state });
        },
        onOrder({ order, update }) {
          if (kind === 'onOrder') run(text, { order, state, update });
        },
      }),
    }),
    { params: {}, prices: { AAPL: 100, MSFT: 50 } },
  );
  await stage.settle();
  return stage;
};

test('docs/orders.md has an example of each order function', () => {
  const text = examples.map((example) => example.text).join('\n');
  const verbs = new Set([...text.matchAll(/order\.(\w+)/g)].map(([, verb]) => verb));
  expect([...verbs].sort()).toEqual(
    [
      'adjust',
      'bracket',
      'buy',
      'cancel',
      'limit',
      'oco',
      'rebalance',
      'replace',
      'sell',
      'stop',
      'target',
      'trail',
      'work',
    ].sort(),
  );
});

test.each(examples.filter(({ kind }) => kind === ''))(
  'an example of docs/orders.md places its orders: $text',
  async (example) => {
    const stage = await stageOf(example);
    stage.intents();
    await stage.quote({ MSFT: 50.1 });
    const calls = example.text.match(/order\.\w+\(/g) ?? [];
    expect(stage.intents()).toHaveLength(calls.length);
    expect(stage.alarms).toEqual([]);
  },
);

test('the example of an order code in docs/orders.md receives the code', async () => {
  const example = examples.find(({ kind }) => kind === 'onOrder');
  const stage = await stageOf(example ?? { kind: '', text: '' });
  await stage.quote({ MSFT: 50.1 });
  await stage.pass({ seconds: 30 });
  expect(stage.state).toEqual({ poor: true });
});

test('the example of a refused order in docs/orders.md is refused, and the strategy goes on', async () => {
  const example = examples.find(({ kind }) => kind === 'refused');
  const stage = await stageOf(example ?? { kind: '', text: '' });
  await stage.quote({ MSFT: 50.1 });
  expect(stage.alarms.join()).toContain('is not below the price of 100');
});

test('the example of a wrong call in docs/orders.md throws', async () => {
  const example = examples.find(({ kind }) => kind === 'throws');
  const stage = await stageOf(example ?? { kind: '', text: '' });
  await expect(stage.quote({ MSFT: 50.1 })).rejects.toThrow('there is no "stopp"');
});
