import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig } from '../../../src/app/config/load.ts';

const parse = (limits: string, own = '{}') =>
  parseConfig(`limits: ${limits}\nstrategies:\n  - { id: a, use: dca, capital: 10, limits: ${own} }\n`, {
    file: 'my.yaml',
    cwd: '/',
    secrets: new Secrets(),
  });

test('limits by stock and by group are parsed for the account and for a strategy', () => {
  const { config } = parse(
    '{ limitPolicy: reduce, symbols: { TSLA: { positionNotional: 500 } }, turnoverPerDay: 900 }',
    "{ groups: { chips: { symbols: [NVDA, AMD], positionNotional: '2000' } } }",
  );
  expect(config.limits).toMatchObject({
    limitPolicy: 'reduce',
    symbols: { TSLA: { positionNotional: parseCash('500') } },
    turnoverPerDay: parseCash('900'),
  });
  expect(config.strategies[0]?.limits).toEqual({
    groups: { chips: { symbols: ['NVDA', 'AMD'], positionNotional: parseCash('2000') } },
  });
});

test.each([
  ['{ limitPolicy: cut }', 'my.yaml:1:24: limits.limitPolicy: must be drop or reduce, not "cut"'],
  [
    '{ symbols: { tsla: {} } }',
    'my.yaml:1:22: limits.symbols.tsla: is not a stock symbol. Write it like TSLA',
  ],
  [
    '{ symbols: { TSLA: { positionNotionl: 5 } } }',
    'my.yaml:1:30: limits.symbols.TSLA.positionNotionl: unknown key. Did you mean "positionNotional"?',
  ],
  [
    '{ orderNotional: 100, symbols: { TSLA: { orderNotional: 200 } } }',
    'limits.symbols.TSLA.orderNotional: is more than orderNotional, which binds first. ' +
      'Make it smaller, or raise orderNotional: this limit only narrows that one',
  ],
  [
    '{ groups: { chips: { symbols: [], positionNotional: 5 } } }',
    'limits.groups.chips.symbols: must be at least 1 entries',
  ],
  [
    '{ groups: { chips: { symbols: [NVDA, NVDA], positionNotional: 5 } } }',
    'limits.groups.chips.symbols[1]: NVDA stands here twice. Remove one',
  ],
  [
    '{ groups: { chips: { symbols: [nvda], positionNotional: 5 } } }',
    'limits.groups.chips.symbols[0]: is not a stock symbol',
  ],
  [
    '{ groups: { Chips: { symbols: [NVDA], positionNotional: 5 } } }',
    'my.yaml:1:21: limits.groups.Chips: must be named by lower-case letters, digits and hyphens, at most 40',
  ],
  [
    '{ drawdown: { action: reduce } }',
    'limits.drawdown: has neither percent nor amount. Write one, such as { percent: 10, action: reduce }',
  ],
  [
    '{ drawdown: { percent: 5, amount: 9, action: flatten } }',
    'limits.drawdown: has both percent and amount',
  ],
  ['{ drawdown: { percent: 0, action: flatten } }', 'limits.drawdown.percent: must be at least 0.1'],
  [
    '{ drawdown: { percent: 5, action: sell } }',
    'limits.drawdown.action: must be reduce or flatten, not "sell"',
  ],
  ['{ lossStreak: { trades: 0, pause: session } }', 'limits.lossStreak.trades: must be at least 1'],
  ['{ lossStreak: { trades: 2, pause: { hours: 1 } } }', 'limits.lossStreak.pause.'],
  ['{ cooldown: {} }', 'limits.cooldown.minutes: is missing'],
  ['{ turnoverPerDay: 0 }', 'limits.turnoverPerDay: must be more than 0'],
])('%s is refused at its place', (limits, message) => {
  expect(() => parse(limits)).toThrow(message);
});

test('deferred sells of a strategy need a debt limit and a policy that repays', () => {
  const text = (more: string) =>
    `strategies:\n  - { id: a, use: dca, capital: 10, allowOrders: [deferredSells] }\n${more}`;
  const read = (more: string) =>
    parseConfig(text(more), { file: 'my.yaml', cwd: '/', secrets: new Secrets() });
  expect(() => read('')).toThrow('limits.debt: is missing, and allowOrders: [deferredSells] needs it');
  expect(() => read("limits: { debt: '2000' }\n")).toThrow('treasury.repayDebt: is missing, and allowOrders');
  const { config } = read("limits: { debt: '2000' }\ntreasury: { repayDebt: { maxPerDay: '2000' } }\n");
  expect(config.limits.debt).toBe(parseCash('2000'));
});
