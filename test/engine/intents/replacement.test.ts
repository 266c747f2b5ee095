import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { HookContext, OrderView, StrategyHooks } from '../../../src/strategy/index.ts';
import { moments } from '../../runs.ts';
import { expectSound, factsOf, settleAll } from '../invariants.ts';
import { give } from '../operator/commands.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { buys, heldShares, part, partingOf, price } from '../synthetic/play.ts';
import { tradedAtVenue, tradedInJournal } from '../synthetic/working.ts';

type Change = Parameters<HookContext['order']['replace']>[1];
type Terms = Partial<Parameters<HookContext['order']['limit']>[1]>;

const lineOf = ({ id, status, code, shares, price: at }: OrderView): string =>
  [id, status, code, shares, at].filter((each) => each !== null).join(' ');

/** Places a limit order for 10 at 95, and changes it once the price is 101. `heard`: updates of all its orders. */
function changing(change: Change, terms: Terms = {}, heard: string[] = []): StrategyHooks {
  return {
    onStart({ order, view }) {
      if (view.orders().length > 0 || view.position('AAPL') > 0) return;
      order.limit('AAPL', { side: 'buy', shares: 10, price: 95, ...terms });
    },
    onQuote({ order, view, price: now }) {
      if (now === 101) for (const { id } of view.orders()) order.replace(id, change);
    },
    onOrder: ({ update }) => void heard.push(lineOf(update)),
  };
}

const optionsOf = (hooks: StrategyHooks, more: StageOptions = {}): StageOptions => ({
  hooks: { solo: hooks },
  ...more,
});

/** A stage whose strategy has just requested a change. */
async function changed(options: StageOptions, fate: 'accept' | 'late' = 'accept'): Promise<Stage> {
  const stage = await new Stage(options).play(MINUTE);
  stage.venue.cancelFates.push(fate);
  return price(stage, '101');
}

const termsAtVenue = ({ venue }: Stage): string[] =>
  venue.rows.map(({ order, status }) =>
    order.type === 'limit'
      ? `${order.quantity / 10n ** 18n} at ${order.price / 10n ** 18n} ${status}`
      : status,
  );

describe('a limit order that is replaced', () => {
  test('is placed at its new price once the old order has ended', async () => {
    const heard: string[] = [];
    const stage = await changed(optionsOf(changing({ limit: 97 }, {}, heard)));
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled', '10 at 97 open']);
    expect(heard.filter((line) => line.startsWith('solo-1')).at(-1)).toBe('solo-1 cancelled REPLACED 10 95');
    expect(heard.at(-1)).toBe('solo-2 working 10 97');
    expect(partingOf(stage, optionsOf(changing({ limit: 97 })))).toBeNull();
  });

  test.each<[Change, string]>([
    [{ limit: 97 }, '6 at 97 open'],
    [{ shares: 20 }, '16 at 95 open'],
    [{ shares: '5', limit: '96' }, '1 at 96 open'],
  ])('waits for the end of the old order, and subtracts what that has filled: %j', async (change, left) => {
    const stage = await changed(optionsOf(changing(change)), 'late');
    await stage.pass(MINUTE);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 open']);
    stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
    await stage.pass(MINUTE);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled', left]);
    expect(heldShares(stage)).toBe('4');
    expect(partingOf(stage, optionsOf(changing(change)))).toBeNull();
  });

  test.each<[string, Change, Readonly<{ filled: string; last: string }>]>([
    ['all the shares it asks for', { shares: 4 }, { filled: '4', last: 'solo-2 dropped FILLED 4 95' }],
    ['more than it asks for', { shares: 3 }, { filled: '4', last: 'solo-2 dropped FILLED 3 95' }],
    [
      "all but less than the venue's minimum",
      { shares: '4.001' },
      { filled: '4', last: 'solo-2 dropped TOO_SMALL 4.001 95' },
    ],
  ])('ends unsent when the old order has filled %s', async (_, change, { filled, last }) => {
    const heard: string[] = [];
    const stage = await changed(optionsOf(changing(change, {}, heard)), 'late');
    stage.venue.fill(stage.venue.last, 'cancelled', part(filled));
    await stage.pass(MINUTE);
    expect([buys(stage), heard.at(-1)]).toEqual([['limit 10 cancelled'], last]);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
  });

  test('ends unsent when the old order fills before its cancel', async () => {
    const heard: string[] = [];
    const stage = await changed(optionsOf(changing({ limit: 97 }, {}, heard)), 'late');
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect([buys(stage), heldShares(stage)]).toEqual([['limit 10 filled'], '10']);
    expect(heard.slice(-2)).toEqual(['solo-1 filled 10 95', 'solo-2 dropped FILLED 10 97']);
  });

  test('subtracts the fills of all orders in a chain of replacements', async () => {
    const hooks = changing({ limit: 97 });
    const stage = await changed(optionsOf(hooks), 'late');
    // The replacement waits, and is replaced itself.
    await price(stage, '100');
    await price(stage, '101');
    stage.venue.fill(stage.venue.last, 'cancelled', part('4'));
    await stage.pass(MINUTE);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled', '6 at 97 open']);
    stage.venue.cancelFates.push('late');
    await price(stage, '100');
    await price(stage, '101');
    stage.venue.fill(stage.venue.last, 'cancelled', part('1'));
    await stage.pass(MINUTE);
    expect(termsAtVenue(stage).slice(1)).toEqual(['6 at 97 cancelled', '5 at 97 open']);
    expect(partingOf(stage, optionsOf(changing({ limit: 97 })))).toBeNull();
  });

  test('ends together with its replacement when that is cancelled', async () => {
    const hooks: StrategyHooks = {
      ...changing({ limit: 97 }),
      onSession: ({ order, change }) => void (change === 'closed' && order.cancel({})),
      onQuote({ order, view, price: now }) {
        if (now === 101) for (const { id } of view.orders()) order.cancel(order.replace(id, { limit: 97 }));
      },
    };
    const stage = await changed(optionsOf(hooks));
    await stage.pass(MINUTE);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled']);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
  });

  test('is replaced in the next session only if it is good till cancelled', async () => {
    for (const [goodTill, rows] of [
      ['day', ['10 at 95 expired']],
      ['cancelled', ['10 at 95 expired', '10 at 97 open']],
    ] as const) {
      const heard: string[] = [];
      const stage = await changed(optionsOf(changing({ limit: 97 }, { goodTill }, heard)), 'late');
      stage.venue.cancelFates.push(...Array.from({ length: 1_000 }, () => 'late' as const));
      await stage.pass(6 * 60 * MINUTE);
      stage.venue.end(stage.venue.last, 'expired');
      await stage.pass(18 * 60 * MINUTE);
      expect(termsAtVenue(stage)).toEqual(rows);
      if (goodTill === 'day') expect(heard).toContain('solo-2 dropped SESSION_CLOSED 10 97');
    }
  });
});

describe('a replacement that waits for the old order', () => {
  const options = optionsOf(changing({ limit: 97 }));
  const cancelledLate = async (): Promise<Stage> => {
    const stage = await changed(options, 'late');
    expect(termsAtVenue(stage)).toEqual(['10 at 95 open']);
    return stage;
  };

  test('is not sent by a run that starts after its session', async () => {
    const first = await cancelledLate();
    first.crash();
    first.venue.end(first.venue.last, 'expired');
    await first.clock.advanceBy(24 * 60 * MINUTE);
    const next = await new Stage({ ...options, after: first }).play(10 * MINUTE);
    // The restarted strategy begins again.
    expect(termsAtVenue(next)).toEqual(['10 at 95 expired', '10 at 95 open']);
  });

  test('is not sent when the old order is only assumed never placed', async () => {
    const heard: string[] = [];
    const rules = { assumeGoneAfterMs: MINUTE };
    const stage = new Stage(optionsOf(changing({ limit: 97 }, {}, heard), { rules }));
    stage.venue.fates.push('lostBefore');
    await stage.play(30 * SECOND);
    expect(stage.states).toEqual(['unknown']);
    await price(stage, '101');
    await stage.pass(20 * MINUTE);
    expect(stage.states).toEqual(['neverExisted']);
    expect(heard).toContain('solo-2 dropped UNRESOLVED 10 97');
    expect(stage.venue.rows).toEqual([]);
  });

  test('ends when the old order is cancelled by its id', async () => {
    const stage = await cancelledLate();
    await give(stage, { kind: 'cancel', scope: {}, orders: ['solo-1'] });
    stage.venue.end(stage.venue.last, 'cancelled');
    await stage.pass(10 * MINUTE);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled']);
    expect(stage.runner.kernel.context.accountState.intents.size).toBe(0);
  });
});

describe('a replacement that cannot be made', () => {
  const refusals = (stage: Stage) =>
    factsOf(stage).flatMap((fact) =>
      fact.kind === 'intentRefused' ? [`${fact.code} ${fact.symbol}: ${fact.why}`] : [],
    );
  const asking = (ask: (order: HookContext['order']) => void): StrategyHooks => ({
    ...changing({}),
    onQuote: ({ order, price: now }) => void (now === 101 && ask(order)),
  });

  test.each<[string, (order: HookContext['order']) => void, string]>([
    [
      'of an id that no order has',
      (order) => order.replace('no-1', { limit: 97 }),
      'NOT_OPEN : no open limit order has the id "no-1"',
    ],
    [
      'of an order that is being replaced',
      (order) => void [0, 1].map(() => order.replace('solo-1', { limit: 97 })),
      'NOT_OPEN AAPL: solo-1 is being cancelled or replaced already',
    ],
    [
      'of a market order',
      (order) => order.replace(order.buy('AAPL', { notional: 50 }), { limit: 97 }),
      'NOT_OPEN AAPL: no open limit order has the id "solo-2"',
    ],
    [
      'to NaN shares',
      (order) => order.replace('solo-1', { shares: NaN }),
      'OUT_OF_RANGE AAPL: shares of AAPL',
    ],
  ])('%s is refused, and the strategy continues', async (_, ask, why) => {
    const stage = await changed(optionsOf(asking(ask)));
    expect(refusals(stage)).toEqual([expect.stringContaining(why)]);
    expect(stage.runner.kernel.context.accountState.stopped.size).toBe(0);
    expect(partingOf(stage, optionsOf(asking(ask)))).toBeNull();
  });

  test('of a filled order is refused', async () => {
    const stage = await new Stage(optionsOf(asking((order) => order.replace('solo-1', { limit: 97 })))).play(
      MINUTE,
    );
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    await price(stage, '101');
    expect(refusals(stage)).toEqual([expect.stringContaining('NOT_OPEN AAPL')]);
  });

  test.each([
    ['halted', 'HALTED'],
    ['reducing', 'REDUCING'],
  ] as const)('is refused while trading is %s, and the order is unchanged', async (state, code) => {
    const stage = await new Stage(optionsOf(changing({ limit: 97 }))).play(MINUTE);
    await give(stage, { kind: 'trade', state, scope: {} });
    await price(stage, '101');
    expect(refusals(stage)).toEqual([expect.stringContaining(`${code} AAPL`)]);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 open']);
  });

  test.each<[string, unknown, unknown]>([
    ['without a change', 'solo-1', {}],
    ['with an unknown field', 'solo-1', { price: 97 }],
    ['without an id', undefined, { limit: 97 }],
  ])('%s stops the strategy', async (_, id, change) => {
    const stage = await changed(optionsOf(asking((order) => order.replace(id as never, change as never))));
    expect(stage.runner.kernel.context.accountState.stopped.get('solo')).toMatch(/order\.replace: /);
  });
});

/** Changes once, and fills: the first order by 4 shares while it is cancelled, its replacement completely. */
async function lived(options: StageOptions, dies?: StageOptions['dies']): Promise<Stage> {
  const live = async (stage: Stage) => {
    for (let passed = 0; passed < 6 * MINUTE && stage.alive; passed += 5 * SECOND) {
      await stage.pass(5 * SECOND);
      if (passed === MINUTE) stage.venue.prices.set('AAPL', parseCash('101'));
      stage.venue.rows.forEach((row, index) => {
        if (row.status !== 'open') return;
        if (index > 0) stage.venue.fill(row);
        else if (stage.venue.cancels > 0) stage.venue.fill(row, 'cancelled', part('4'));
      });
    }
  };
  const first = new Stage({ ...options, ...(dies ? { dies } : {}) });
  first.venue.cancelFates.push('late');
  await first.play(0);
  await live(first);
  if (first.alive) return first;
  const next = await new Stage({ ...options, after: first }).play(0);
  next.venue.prices.set('AAPL', parseCash('100'));
  await live(next);
  return next;
}

describe('a replacement over a kill', () => {
  const options = optionsOf(changing({ shares: 9, limit: 97 }));

  test('buys nine shares without a kill', async () => {
    const stage = await lived(options);
    expect(termsAtVenue(stage)).toEqual(['10 at 95 cancelled', '5 at 97 filled']);
  });

  test.each(['before', 'after', 'answer'] as const)(
    '%s any commit is neither lost nor bought twice',
    async (how) => {
      const { commits } = await lived(options);
      for (const at of moments(commits)) {
        const where = `${how} commit ${at} of ${commits}`;
        const stage = await lived(options, { at, how });
        // No later send proves that the latest order was never placed: it stays unknown, and nothing replaces it.
        if (stage.states.at(-1) === 'unknown') {
          expect(stage.venue.rows, where).toHaveLength(stage.orders.length - 1);
          continue;
        }
        await settleAll(stage, 10 * MINUTE);
        expectSound(stage);
        expect(tradedInJournal(stage), where).toBe(tradedAtVenue(stage));
        expect(tradedAtVenue(stage), where).toBe(9);
        expect(partingOf(stage, options), where).toBeNull();
      }
    },
  );
});
