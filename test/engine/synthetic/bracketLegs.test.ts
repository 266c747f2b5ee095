import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { HookContext, OrderView, StrategyHooks } from '../../../src/strategy/index.ts';
import { factsOf } from '../invariants.ts';
import { MINUTE, Stage } from '../stage.ts';
import { armed, bracketed, bracketing, buys, heldShares, part, partingOf, price, sells } from './play.ts';

type Terms = Parameters<HookContext['order']['bracket']>[1];

const BY_STOP: Terms = { entry: { shares: 10, stop: 104 }, takeProfit: 110, stopLoss: 102 };
const TWO: Terms = {
  entry: { shares: 10 },
  takeProfit: [
    { percent: 5, share: 0.3 },
    { percent: 10, share: 0.7 },
  ],
  stopLoss: { percent: 5 },
};

const refusals = (stage: Stage) =>
  factsOf(stage).flatMap((fact) => (fact.kind === 'intentRefused' ? [`${fact.code}: ${fact.why}`] : []));

const fillLast = async (stage: Stage, filled?: string): Promise<Stage> => {
  if (filled === undefined) stage.venue.fill(stage.venue.last);
  else stage.venue.fill(stage.venue.last, 'cancelled', part(filled));
  return stage.pass(MINUTE);
};

/** Resting limit sells at the venue: `3 at 105`. */
const resting = ({ venue }: Stage): string[] =>
  venue.rows.flatMap(({ order, status }) =>
    order.type === 'limit' && order.side === 'sell' && status === 'open'
      ? [`${Number(order.quantity) / 1e18} at ${Number(order.price) / 1e18}`]
      : [],
  );

describe('a bracket that enters by a stop', () => {
  test('sends nothing below its entry price, even below its stop-loss, then buys at most at the collar', async () => {
    const stage = await bracketed(BY_STOP);
    await price(stage, '103.9', MINUTE);
    expect([buys(stage), armed(stage)]).toEqual([[], 1]);
    await price(stage, '104.2', MINUTE);
    expect(buys(stage)).toEqual(['limit 10 working']);
    expect(stage.venue.last.order).toMatchObject({ price: parseCash('104.52') });
    await fillLast(stage);
    expect(resting(stage)).toEqual(['10 at 110']);
    await price(stage, '102', MINUTE);
    await fillLast(stage);
    expect([sells(stage), heldShares(stage)]).toEqual([['limit 10 cancelled', 'market 10 filled'], '0']);
    expect(partingOf(stage, { hooks: { solo: bracketing(BY_STOP) } })).toBeNull();
  });

  test('buys at its entry limit or better when it has one', async () => {
    const stage = await bracketed({ ...BY_STOP, entry: { shares: 10, stop: 104, limit: 104.1 } });
    await price(stage, '104.2', MINUTE);
    expect(stage.venue.last.order).toMatchObject({ price: parseCash('104.1') });
  });

  test('ends when its stop-loss is touched before it has filled', async () => {
    const stage = await bracketed(BY_STOP);
    await price(stage, '104', MINUTE);
    await price(stage, '101', MINUTE);
    expect([buys(stage), armed(stage)]).toEqual([['limit 10 cancelled'], 0]);
  });

  test('is armed until its entry, and shows the price at which it buys', async () => {
    const seen: unknown[] = [];
    const look = ({ id, side, status, stop, price: limit, shares }: OrderView) =>
      seen.push([id, side, status, stop, limit, shares]);
    const hooks: StrategyHooks = {
      ...bracketing(BY_STOP),
      onQuote: ({ view }) =>
        view
          .orders()
          .filter(({ leg }) => leg === null)
          .forEach(look),
    };
    const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
    await price(stage, '103', MINUTE);
    await price(stage, '104', MINUTE);
    await price(stage, '104.1', MINUTE);
    expect(seen.at(0)).toEqual(['solo-1', 'buy', 'armed', 104, null, 10]);
    expect(seen.at(-1)).toEqual(['solo-1', 'buy', 'working', 102, null, 10]);
  });

  test('expires, or is cancelled, without sending an order', async () => {
    for (const [terms, way] of [
      [{ ...BY_STOP, expires: { minutes: 3 } }, 'expired'],
      [BY_STOP, 'cancelled'],
    ] as const) {
      const hooks: StrategyHooks = {
        ...bracketing(terms),
        onQuote: ({ order, price: now }) => void (now === 101 && order.cancel({ side: 'buy' })),
      };
      const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
      await price(stage, way === 'cancelled' ? '101' : '100.9', 5 * MINUTE);
      await price(stage, '105', MINUTE);
      expect([buys(stage), armed(stage)]).toEqual([[], 0]);
      expect(factsOf(stage)).toContainEqual(expect.objectContaining({ kind: 'syntheticEnded', how: way }));
    }
  });

  test('is still armed after a kill and a restart', async () => {
    const first = await bracketed(BY_STOP);
    const next = await new Stage({ hooks: { solo: bracketing(BY_STOP) }, after: first }).play(MINUTE);
    expect([buys(next), armed(next)]).toEqual([[], 1]);
    await price(next, '104', MINUTE);
    expect(buys(next)).toEqual(['limit 10 working']);
  });

  test('may have its stop moved before its entry, which counts after it', async () => {
    const hooks: StrategyHooks = {
      ...bracketing(BY_STOP),
      onQuote: ({ order, price: now }) => void (now === 101 && order.adjust('solo-1', { stop: 103 })),
    };
    const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
    await price(stage, '101', MINUTE);
    expect([refusals(stage), armed(stage), buys(stage)]).toEqual([[], 1, []]);
    await price(stage, '104', MINUTE);
    await fillLast(stage);
    await price(stage, '103', MINUTE);
    expect(sells(stage).at(-1)).toBe('market 10 working');
  });

  test.each<[Terms, string]>([
    [
      { ...BY_STOP, entry: { shares: 10, stop: 99 } },
      'WRONG_SIDE: entry of order.bracket of AAPL: the stop at 99 is not above the price',
    ],
    [{ ...BY_STOP, stopLoss: 104 }, 'the stop at 104 is not below the stop of its entry of 104'],
    [{ ...BY_STOP, takeProfit: 103 }, 'the take-profit at 103 is not above the stop of its entry of 104'],
  ])('is refused when its prices cross: %j', async (terms, why) => {
    expect(refusals(await bracketed(terms))).toEqual([expect.stringContaining(why)]);
  });

  test('stops the strategy when its entry is by notional', async () => {
    const stage = await bracketed({ entry: { notional: 100, stop: 104 } as never, takeProfit: 110 });
    expect(stage.runner.kernel.context.accountState.stopped.get('solo')).toContain('Write { shares, stop }');
  });
});

describe('two take-profits of a bracket', () => {
  const bought = async (terms: Terms = TWO): Promise<Stage> => fillLast(await bracketed(terms));

  test('are open at the same time, each for its share of what was bought', async () => {
    const stage = await bought();
    expect(resting(stage)).toEqual(['3 at 105.53', '7 at 110.55']);
    const [first] = stage.venue.rows.filter(({ order }) => order.side === 'sell');
    if (first) stage.venue.fill(first);
    await stage.pass(MINUTE);
    expect([resting(stage), heldShares(stage)]).toEqual([['7 at 110.55'], '7']);
    await fillLast(stage);
    expect([heldShares(stage), armed(stage)]).toEqual(['0', 0]);
    expect(partingOf(stage, { hooks: { solo: bracketing(TWO) } })).toBeNull();
  });

  test('share what a partly filled entry has bought', async () => {
    const stage = await bracketed({ ...TWO, entry: { shares: 10, limit: 100 } });
    await fillLast(stage, '5');
    expect(resting(stage)).toEqual(['1.5 at 105', '3.5 at 110']);
  });

  test('are both cancelled by the stop, and what they have left is sold once', async () => {
    const stage = await bought();
    stage.venue.cancelFates.push('late', 'late');
    await price(stage, '90', MINUTE);
    const [first, second] = stage.venue.rows.filter(({ order }) => order.side === 'sell');
    if (first) stage.venue.fill(first, 'cancelled', part('1'));
    await stage.pass(MINUTE);
    expect(sells(stage).some((text) => text.startsWith('market'))).toBe(false);
    if (second) stage.venue.fill(second, 'cancelled', part('2'));
    await stage.pass(MINUTE);
    expect(sells(stage)).toEqual(['limit 3 cancelled', 'limit 7 cancelled', 'market 7 working']);
  });

  test("become one when a part is below the venue's minimum", async () => {
    const small = { ...TWO, entry: { shares: 0.05 } };
    for (const [share, expected] of [
      [0.01, '0.05 at 110.55'],
      [0.99, '0.05 at 105.53'],
    ] as const) {
      const [near, far] = [
        { percent: 5, share },
        { percent: 10, share: 1 - share },
      ];
      const stage = await bought({ ...small, takeProfit: [near, far] });
      expect(resting(stage)).toEqual([expected]);
    }
  });

  test('are moved one by one', async () => {
    const hooks: StrategyHooks = {
      ...bracketing(TWO),
      onQuote({ order, price: now }) {
        if (now === 101) order.adjust('solo-1', { takeProfit: 107, secondTakeProfit: 120 });
        if (now === 102) order.adjust('solo-1', { takeProfit: 121 });
      },
    };
    const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
    await fillLast(stage);
    await price(stage, '101', MINUTE);
    expect(resting(stage)).toEqual(['3 at 107', '7 at 120']);
    await price(stage, '102', MINUTE);
    expect(refusals(stage)).toEqual([
      expect.stringContaining('its second take-profit is not above the first'),
    ]);
    expect(resting(stage)).toEqual(['3 at 107', '7 at 120']);
    expect(partingOf(stage, { hooks: { solo: hooks } })).toBeNull();
  });

  test('let the stop rise above the first once that has filled', async () => {
    const hooks: StrategyHooks = {
      ...bracketing(TWO),
      onQuote: ({ order, price: now }) => void (now === 108 && order.adjust('solo-1', { stop: 107 })),
    };
    const stage = await new Stage({ hooks: { solo: hooks } }).play(MINUTE);
    await fillLast(stage);
    await price(stage, '104', MINUTE);
    const [first] = stage.venue.rows.filter(({ order }) => order.side === 'sell');
    if (first) stage.venue.fill(first);
    await stage.pass(MINUTE);
    await price(stage, '108', MINUTE);
    expect(refusals(stage)).toEqual([]);
    expect(stage.runner.kernel.context.accountState.synthetics.of('solo-1').stop).toBe(part('107'));
  });

  const parts = (first: object, second: object): Terms =>
    ({ entry: { shares: 10 }, takeProfit: [first, second] }) as never;

  test.each<[Terms, string]>([
    [parts({ percent: 5, share: 0.5 }, { percent: 4, share: 0.5 }), 'WRONG_SIDE: '],
    [parts({ price: 120, share: 0.5 }, { price: 120, share: 0.5 }), 'WRONG_SIDE: '],
    [parts({ price: 120, share: 0.5 }, { price: 90, share: 0.5 }), 'WRONG_SIDE: '],
    [parts({ percent: 5, share: 0.5 }, { percent: 6, share: 0.6 }), 'OUT_OF_RANGE: '],
    [parts({ percent: 5, share: 0 }, { percent: 6, share: 1 }), 'OUT_OF_RANGE: '],
    [parts({ percent: 5, share: NaN }, { percent: 6, share: 1 }), 'OUT_OF_RANGE: '],
  ])('are refused with impossible terms: %j', async (terms, why) => {
    expect(refusals(await bracketed(terms))).toEqual([expect.stringContaining(why)]);
  });

  test.each<[object, string]>([
    [[{ percent: 5, share: 1 }], 'a list of 1'],
    [[1, 2, 3].map((percent) => ({ percent, share: 0.3 })), 'a list of 3'],
    [[{ percent: 5 }, { percent: 6 }], 'share of a take-profit'],
    [[{ share: 0.5 }, { percent: 6, share: 0.5 }], 'give one of price, percent'],
  ])('stop the strategy with malformed terms: %j', async (takeProfit, why) => {
    const stage = await bracketed({ entry: { shares: 10 }, takeProfit } as never);
    expect(stage.runner.kernel.context.accountState.stopped.get('solo')).toContain(why);
  });
});
