import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../../src/core/amount.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import type { HookContext, StrategyHooks } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { give, partingOf } from '../operator/commands.ts';

const sizes = (orders: readonly Order[]) =>
  orders.map(({ terms }) => {
    const [unit, size] =
      terms.side === 'buy' && terms.type === 'market'
        ? ['mUSD', terms.notional]
        : [terms.symbol, terms.quantity];
    return `${terms.side} ${formatDecimal(size)} ${unit}`;
  });

const buy = (notional: string) => atStart((order) => order.buy('AAPL', { notional }));
const reduce = (limits: Limits, hooks: StrategyHooks): StageOptions => ({
  hooks: { solo: hooks },
  limits: { ...limits, limitPolicy: 'reduce' },
});

/** Plays one minute with every order filled as it arrives, and then `ms`. */
async function filled(options: StageOptions, ms = 0): Promise<Stage> {
  const stage = await new Stage(options).play(20 * SECOND);
  if (stage.venue.rows.length > 0) stage.venue.fill(stage.venue.last);
  return stage.pass(40 * SECOND + ms);
}

describe('open buys', () => {
  const exact = parseCash('1000');
  const ladder = atStart((order) => {
    for (const price of [99, 98, 97]) order.limit('AAPL', { side: 'buy', shares: 2, price });
    order.limit('AAPL', { side: 'buy', shares: 4, price: '103' });
  });
  const cases: [string, Limits][] = [
    ['positionNotional', { positionNotional: exact }],
    ['grossExposure', { grossExposure: exact }],
    ['groups.tech', { groups: { tech: { symbols: ['AAPL'], positionNotional: exact } } }],
  ];

  test.each(cases)('fill the limit %s to the last digit: fees do not count', async (_, limits) => {
    const stage = await new Stage({ hooks: { solo: ladder }, limits }).play(MINUTE);
    expect(stage.venue.sends).toBe(4);
    expect(stage.said(/dropped/)).toBe(false);
  });
});

describe('an order above a size limit', () => {
  const cases: [string, Limits, string][] = [
    ['orderNotional', { orderNotional: parseCash('600.129') }, 'buy 600.12 mUSD'],
    ['positionNotional', { positionNotional: parseCash('700') }, 'buy 700 mUSD'],
    ['grossExposure', { grossExposure: parseCash('800') }, 'buy 800 mUSD'],
    ['symbols.AAPL', { symbols: { AAPL: { orderNotional: parseCash('500') } } }, 'buy 500 mUSD'],
    [
      'groups.tech',
      { groups: { tech: { symbols: ['AAPL', 'MSFT'], positionNotional: parseCash('400') } } },
      'buy 400 mUSD',
    ],
    ['turnoverPerDay', { turnoverPerDay: parseCash('300') }, 'buy 300 mUSD'],
  ];

  test.each(cases)(
    '%s is dropped by default, and reduced under the policy reduce',
    async (path, limits, cut) => {
      const dropped = await new Stage({ hooks: { solo: buy('1000') }, limits }).play(MINUTE);
      expect(dropped.venue.sends).toBe(0);
      expect(dropped.said(new RegExp(`dropped, .*${path}`))).toBe(true);
      const options = reduce(limits, buy('1000'));
      const stage = await new Stage(options).play(MINUTE);
      expect(sizes(stage.orders)).toEqual([cut]);
      expect(stage.venue.sends).toBe(1);
      expect(stage.said(new RegExp(`reduced from .*${path}`))).toBe(true);
      expect(stage.orders[0]?.reduced?.why).toContain(path);
      expect(partingOf(stage, options)).toBeNull();
    },
  );

  test('is reduced by the tightest limit, and its strategy is notified of the size that is sent', async () => {
    const seen: unknown[] = [];
    const limits = { orderNotional: parseCash('900'), positionNotional: parseCash('500') };
    const hooks: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onOrder: ({ update }) => void seen.push([update.status, update.notional, update.code]),
    };
    const stage = await new Stage(reduce(limits, hooks)).play(MINUTE);
    expect(sizes(stage.orders)).toEqual(['buy 500 mUSD']);
    expect(seen[0]).toEqual(['sending', 500, 'ORDER_NOTIONAL']);
  });

  test("is dropped when the room is below the venue's minimum", async () => {
    const stage = await new Stage(reduce({ positionNotional: parseCash('0.99') }, buy('1000'))).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
    expect(stage.said(/dropped, .*positionNotional/)).toBe(true);
  });

  test('in whole shares is reduced to whole shares', async () => {
    const limits = { orderNotional: parseCash('275') };
    const stage = await new Stage(
      reduce(
        limits,
        atStart((order) => order.buy('MSFT', { shares: 9 })),
      ),
    ).play(MINUTE);
    expect(sizes(stage.orders)).toEqual(['buy 5 MSFT']);
  });

  test('follows the policy of its strategy before that of the account', async () => {
    const limits: Limits = { orderNotional: parseCash('500'), limitPolicy: 'reduce' };
    const own: Limits = { limitPolicy: 'drop' };
    const stage = await new Stage({ hooks: { solo: buy('1000') }, limits, ownLimits: own }).play(MINUTE);
    expect(stage.venue.sends).toBe(0);
  });

  test('after a price move before its send is reduced again', async () => {
    const limits = { positionNotional: parseCash('2000') };
    const hooks: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onTimer: ({ order }) => void order.buy('AAPL', { notional: '1500' }),
    };
    const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:02' }] };
    const stage = await filled({ ...reduce(limits, hooks), data }, 2 * MINUTE);
    expect(sizes(stage.orders).slice(1)).toEqual(['buy 1000 mUSD']);
  });
});

const holder = (more: (order: HookContext['order']) => void): StrategyHooks => ({
  onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') more(order);
  },
});

describe('a protective sell above a size limit', () => {
  const narrow = { ownLimits: { symbols: { AAPL: { orderNotional: parseCash('0.5') } } } };

  test('is sent in parts by a stop, whatever the policy', async () => {
    const hooks = { solo: holder((order) => order.stop('AAPL', { all: true, stop: 95 })) };
    const options = { hooks, ownLimits: { symbols: { AAPL: { orderNotional: parseCash('1001') } } } };
    const stage = await filled(options);
    const next = new Stage({ ...options, ownLimits: { orderNotional: parseCash('500') }, after: stage });
    next.venue.prices.set('AAPL', parseCash('94'));
    await next.play(20 * SECOND);
    expect(sizes(next.orders).slice(1)).toEqual(['sell 5.053191 AAPL']);
    next.venue.fill(next.venue.last);
    await next.pass(20 * SECOND);
    expect(sizes(next.orders).slice(1)).toHaveLength(2);
    next.venue.fill(next.venue.last);
    await next.pass(MINUTE);
    expect(next.runner.kernel.context.accountState.ledger.held('solo', next.venue.last.order.symbol)).toBe(
      0n,
    );
  });

  test("is sent whole by a flatten when the room is below the venue's minimum", async () => {
    const stage = await filled({ hooks: { solo: holder(() => undefined) } });
    const next = await new Stage({ hooks: { solo: {} }, ...narrow, after: stage }).play(10 * SECOND);
    await give(next, { kind: 'flatten', scope: {} });
    await next.pass(10 * SECOND);
    expect(sizes(next.orders).slice(1)).toEqual(['sell 10 AAPL']);
    expect(next.venue.sends).toBe(2);
  });

  test('is dropped when it is a plain sell of the strategy', async () => {
    const stage = await filled({ hooks: { solo: holder(() => undefined) } });
    const sell = atStart((order) => order.sell('AAPL', { shares: 3 }));
    const next = await new Stage({ hooks: { solo: sell }, ...narrow, after: stage }).play(MINUTE);
    expect(next.venue.sends).toBe(1);
    expect(next.said(/dropped, order of .*symbols\.AAPL\.orderNotional/)).toBe(true);
  });
});

test('the turnover of a session counts sent and unknown orders, and outlasts a kill', async () => {
  const limits = { turnoverPerDay: parseCash('1500') };
  const first = await filled({ hooks: { solo: buy('1000') }, limits });
  const next = await new Stage({ hooks: { solo: buy('501') }, limits, after: first }).play(MINUTE);
  expect(next.notices.map(({ text }) => text).join()).toMatch(
    /turnover of 150[12](\.\d+)? is over the limit of 1500/,
  );
  const other = atStart((order) => order.limit('MSFT', { side: 'buy', shares: 11, price: 50 }));
  const lost = new Stage({ hooks: { one: buy('1000'), two: other }, limits });
  lost.venue.fates.push('lostBefore');
  await lost.play(MINUTE);
  expect(lost.venue.rows).toHaveLength(0);
  expect(lost.states[0]).toBe('unknown');
  expect(lost.said(/today's turnover of 1550/)).toBe(true);
});
