import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { eventsOf, partingOf } from '../operator/commands.ts';
import { holding } from '../synthetic/play.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

type Options = Readonly<{ rest?: 'sell' | 'keep'; band?: number }>;

/** Holds 10 AAPL, and then targets MSFT alone. */
const toMsft = (options: Options = {}, weights: Record<string, number> = { MSFT: 0.01 }): StrategyHooks =>
  holding((order) => order.rebalance(weights, options));

/** Targets MSFT alone once it starts. */
const again = (options: Options = {}): StrategyHooks => ({
  onStart: ({ order }) => order.rebalance({ MSFT: 0.01 }, options),
});

async function played(hooks: StrategyHooks): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  return stage.pass(MINUTE);
}

const sold = (stage: Stage): string[] =>
  stage.orders.filter(({ terms }) => terms.side === 'sell').map(({ terms }) => terms.symbol);

/** The journal of a run as 0.8.0 wrote it: its start does not name the strategies. */
function asOf080(stage: Stage): Stage {
  stage.lines.forEach((line, index) => {
    if (line.includes('"kind":"started"')) stage.lines[index] = line.replace(/,"strategies":\[[^\]]*\]/, '');
  });
  return stage;
}

describe('a rebalance whose weights omit a held stock', () => {
  test.each([
    ['sells it', {}, ['AAPL']],
    ['sells it with `rest: sell`', { rest: 'sell' }, ['AAPL']],
    ['keeps it with `rest: keep`', { rest: 'keep' }, []],
  ] as const)('%s', async (_, options, expected) => {
    const hooks = toMsft(options);
    const stage = await played(hooks);
    expect(sold(stage)).toEqual(expected);
    expect(partingOf(stage, { hooks: { solo: hooks } })).toBeNull();
  });

  test('sells everything when there are no weights', async () => {
    expect(sold(await played(toMsft({}, {})))).toEqual(['AAPL']);
  });

  test('reports once that it sells a stock when `rest` is not given, and not when it is', async () => {
    const hooks = holding((order) => {
      order.rebalance({ MSFT: 0.01 });
      order.rebalance({ MSFT: 0.02 });
    });
    const said = (stage: Stage) =>
      stage.notices.filter(({ text }) =>
        text.startsWith('order.rebalance sells AAPL, which its weights omit'),
      );
    expect(said(await played(hooks))).toHaveLength(1);
    expect(said(await played(toMsft({ rest: 'sell' })))).toEqual([]);
  });

  test('orders nothing of an omitted stock the strategy does not hold', async () => {
    const stage = await played({ onStart: ({ order }) => order.rebalance({ MSFT: 0.01 }) });
    expect(eventsOf(stage, 'intentCreated').map(({ intent }) => intent.symbol)).toEqual(['MSFT']);
  });
});

describe('a rebalance that omits a held stock, in a state folder from 0.8.0,', () => {
  const begun = async () => asOf080(await played(toMsft({ rest: 'keep' })));

  test('is refused with an alarm until `rest` is given, and nothing is sold', async () => {
    const first = await begun();
    const placed = first.orders.length;
    const hooks = { solo: again() };
    const stage = await new Stage({ hooks, after: first }).play(2 * MINUTE);
    expect(stage.orders).toHaveLength(placed);
    expect(eventsOf(stage, 'intentRefused')).toMatchObject([{ symbol: 'MSFT', code: 'REST_UNSAID' }]);
    expect(stage.alarms.join()).toMatch(
      /order\.rebalance of MSFT: refused, the weights omit AAPL, .* rest: 'sell' or rest: 'keep'/,
    );
    expect(eventsOf(stage, 'strategyStopped')).toEqual([]);
  });

  test.each([
    ['sell', ['AAPL']],
    ['keep', []],
  ] as const)("follows the call's `rest: %s`", async (rest, expected) => {
    const stage = await new Stage({ hooks: { solo: again({ rest }) }, after: await begun() }).play(
      2 * MINUTE,
    );
    expect(sold(stage)).toEqual(expected);
  });

  test("follows the config's `rest` when the call has none", async () => {
    const first = await begun();
    const hooks = { solo: again() };
    const strategies = new Stage({ hooks }).options.strategies.map((own) => ({
      ...own,
      rest: 'sell' as const,
    }));
    const stage = await new Stage({ hooks, after: first, more: { strategies } }).play(2 * MINUTE);
    expect(sold(stage)).toEqual(['AAPL']);
  });

  test('replays as it was decided, whatever the strategy says today', async () => {
    const stage = await begun();
    expect(sold(stage)).toEqual([]);
    for (const options of [{}, { rest: 'sell' }] as const)
      expect(partingOf(stage, { hooks: { solo: toMsft(options) } })).toBeNull();
  });
});

test('a rebalance of 0.8.0, which did not count buys under way, replays as it was decided', async () => {
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
    onQuote({ order, price }) {
      if (price > 105) order.rebalance({ AAPL: 0, MSFT: 0.01 });
    },
  };
  const options = { data: { quotes: ['AAPL', 'MSFT'] }, hooks: { solo: hooks } };
  const stage = new Stage(options);
  await stage.play(10 * SECOND);
  stage.runner.kernel.context.precedents.countsBuys = false;
  stage.venue.prices.set('AAPL', parseCash('110'));
  await stage.pass(10 * SECOND);
  expect(stage.orders.map(({ terms }) => terms.symbol)).toEqual(['AAPL', 'MSFT']);
  expect(partingOf(stage, options)?.journal).toMatchObject({ intent: { symbol: 'MSFT' } });
  expect(partingOf(asOf080(stage), options)).toBeNull();
});

test('an unknown value of `rest` stops the strategy', async () => {
  const stage = await played(toMsft({ rest: 'sel' as never }));
  expect(eventsOf(stage, 'strategyStopped')[0]?.error).toContain(
    'rest of an order: "sel" is not "sell" or "keep"',
  );
});
