import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import { recordOf } from '../../../src/app/backtest/record.ts';
import { backtestText } from '../../../src/cli/commands/backtest/summary.ts';
import { fillsOf, openOrdersOf } from '../../../src/ops/model/orders.ts';
import { pageOf } from '../../report/html/pageOf.ts';
import { parseRunRecord } from '../../../src/report/runRecord.ts';
import type { Fill, HookContext, OrderView } from '../../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from '../../backtest/bars.ts';
import { factsOf } from '../invariants.ts';
import { atStart, MINUTE, Stage } from '../stage.ts';

const CALLS: Readonly<Record<string, (order: HookContext['order'], tag: string) => unknown>> = {
  buy: (order, tag) => order.buy('AAPL', { shares: 1, tag }),
  limit: (order, tag) => order.limit('AAPL', { side: 'buy', shares: 1, price: 99, tag }),
  target: (order, tag) => order.target('AAPL', { weight: 0.1, tag }),
  rebalance: (order, tag) => order.rebalance({ AAPL: 0.1 }, { tag }),
  bracket: (order, tag) => order.bracket('AAPL', { entry: { shares: 1 }, stopLoss: { percent: 5 }, tag }),
};

test.each(Object.entries(CALLS))(
  'the tag of %s is kept from the order intent to the fill',
  async (_verb, call) => {
    const heard: (string | null)[] = [];
    const hooks = {
      onStart: ({ order }: HookContext) => void call(order, 'dip'),
      onOrder: ({ update }: { update: OrderView }) => void heard.push(update.tag),
      onFill: ({ fill }: { fill: Fill }) => void heard.push(fill.tag),
    };
    const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
    const { context } = stage.runner.kernel;
    expect(openOrdersOf(context, context.now).map(({ tag }) => tag)).toEqual(['dip']);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(heard.length).toBeGreaterThan(1);
    expect(new Set(heard)).toEqual(new Set(['dip']));
    expect(fillsOf(context, 1).map(({ tag }) => tag)).toEqual(['dip']);
    const planned = factsOf(stage).flatMap((fact) => (fact.kind === 'planned' ? [fact.order.tag] : []));
    expect(planned[0]).toBe('dip');
  },
);

test('an order without a tag has none, and the journal mentions none', async () => {
  const stage = await new Stage({
    hooks: { solo: atStart((order) => order.buy('AAPL', { shares: 1 })) },
  }).play(MINUTE);
  expect(stage.lines.join()).not.toContain('"tag"');
  expect(openOrdersOf(stage.runner.kernel.context, stage.clock.now())[0]?.tag).toBeNull();
});

test.each([[''], ['x'.repeat(101)], [5], [null]])('the tag %o is refused', async (tag) => {
  const hooks = atStart((order) => order.buy('AAPL', { shares: 1, tag: tag as string }));
  const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
  expect(stage.orders).toEqual([]);
  expect(stage.notices.map(({ text }) => text).join()).toContain('tag of an order');
});

test('a backtest has results by tag, and its report has columns for them', async () => {
  let bars = 0;
  const definition = strategyOf(
    {
      onBar({ order, view }) {
        bars++;
        if (view.position('X') > 0) order.sell('X', { all: true, tag: 'out' });
        else order.buy('X', { shares: 3, tag: bars < 4 ? 'dip' : 'rally' });
      },
    },
    { bars: [{ symbol: 'X', interval: '1d' }] },
  );
  const options = plainly({
    strategies: [{ definition, id: 'solo', capital: '9000' }],
    bars: [barsFrom('2026-06-15', [100, 104, 99, 103, 108, 101, 110, 97], '1d')],
  });
  const result = await runBacktest(options);
  expect(result.tags?.map(({ tag, trades }) => [tag, trades])).toEqual([
    ['dip', 2],
    ['rally', 1],
  ]);
  const sum = result.tags?.reduce((total, { pnl }) => total + Number(pnl), 0);
  expect(sum).toBeCloseTo(result.tradeList.reduce((total, { pnl }) => total + Number(pnl) / 1e18, 0));
  expect(result.fills.map(({ tag }) => tag).slice(0, 2)).toEqual(['dip', 'out']);
  const terminal = { colour: false, out: () => undefined, err: () => undefined };
  expect(backtestText(result, terminal)).toMatch(/by tag {3}(dip|rally): [12] closed/);
  const record = parseRunRecord(JSON.stringify(recordOf(result, options)), 'test');
  expect(record.trades[0]).toMatchObject({ entryTag: 'dip', exitTag: 'out' });
  expect(pageOf(record)).toContain('Entry tag');
});
