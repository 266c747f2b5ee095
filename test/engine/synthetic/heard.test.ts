import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

/** A bracket of 10 AAPL at 100, and every update its strategy receives. */
function scene() {
  const heard: string[] = [];
  let id = '';
  const hooks: StrategyHooks = {
    onStart: ({ order, view }) => {
      if (id === '' && view.orders().length === 0)
        id = order.bracket('AAPL', {
          entry: { shares: 10 },
          takeProfit: 120,
          stopLoss: 95,
          tag: 'dip',
        });
    },
    onOrder: ({ update }) => {
      heard.push(
        `${update.id === id ? 'it' : update.id} ${update.leg ?? 'whole'} ${update.status} ${update.tag}`,
      );
    },
    onFill: ({ fill, view }) => {
      heard.push(`fill ${fill.orderId === id ? 'it' : fill.orderId} ${fill.leg}`);
      for (const each of view.orders())
        heard.push(
          `view ${each.id === id ? 'it' : each.id} ${each.leg ?? 'whole'} ${each.status} ${each.stop}`,
        );
    },
  };
  return { heard, hooks };
}

test('every leg of a bracket is reported under the id its call returned, and view.orders shows the bracket once', async () => {
  const { heard, hooks } = scene();
  const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', parseCash('94'));
  await stage.pass(30 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(heard.filter((line) => !/sending|accepted|working/.test(line))).toEqual([
    'it entry filled dip',
    'fill it entry',
    'view it whole armed 95',
    'it whole triggered dip',
    'it take profit cancelling dip',
    'it take profit cancelled dip',
    'it exit filled dip',
    'fill it exit',
    'it whole filled dip',
  ]);
});
