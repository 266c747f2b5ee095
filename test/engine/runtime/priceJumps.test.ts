import { describe, expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { PerToken } from '../../../src/domain/premium.ts';
import type { BarQuery, Venue } from '../../../src/domain/venue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const AAPL = ticker('AAPL');
const buyWithStop = atStart((order) =>
  order.bracket('AAPL', { entry: { notional: 5_000 }, stopLoss: { percent: 5 } }),
);

/** Prices that the venue shows outside its list. */
type Elsewhere = Readonly<{ share?: string; token?: string; bar?: string }>;

/** A venue that shows prices of AAPL in other places; without any it has no other source. */
const showing = (elsewhere: Elsewhere): NonNullable<StageOptions['as']> =>
  function wrap(venue) {
    const { share, token, bar } = elsewhere;
    const value = token === undefined ? null : (parsePrice(token) as bigint as PerToken);
    const quote = {
      symbol: AAPL,
      share: parsePrice(share ?? '1'),
      price: value,
      ratio: null,
      at: epochMs(0),
    };
    return Object.assign(venue, {
      tokenQuote: () => Promise.resolve(quote),
      bars: ({ symbol, interval, to }: BarQuery) => {
        const close = Number(bar);
        const shown = { symbol, interval, start: epochMs(to - MINUTE), close, volume: 1 };
        return Promise.resolve(bar === undefined ? [] : [{ ...shown, open: close, high: close, low: close }]);
      },
    }) satisfies Venue;
  };

/** A stage that holds AAPL with a stop at 95. */
async function holding(options: Partial<StageOptions> = {}): Promise<Stage> {
  const stage = await new Stage({
    hooks: { solo: buyWithStop },
    data: { quotes: ['AAPL'] },
    ...options,
    limits: { jumpPercent: undefined, ...options.limits },
  }).play(10 * SECOND);
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(stage.runner.kernel.context.accountState.ledger.held('solo', AAPL)).toBeGreaterThan(0n);
  expect(stage.venue.sends).toBe(1);
  return stage;
}

const quote = (stage: Stage, text: string) => stage.venue.prices.set('AAPL', parsePrice(text));

describe('a jump of a price', () => {
  test('to a twentieth for 20 s triggers no stop, and raises an alarm', async () => {
    const stage = await holding();
    quote(stage, '5');
    await stage.pass(20 * SECOND);
    quote(stage, '100');
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.alarms.join()).toMatch(/AAPL jumped from 100 to 5: nothing acts on that price/);
    expect(stage.said(/the price of AAPL is confirmed/)).toBe(true);
  });

  test('ends its alarm even if nothing of the stock is left by then', async () => {
    const stage = await new Stage({
      hooks: {
        solo: {
          onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
          onTimer: ({ order }) => void order.cancel({ symbol: 'AAPL' }),
        },
      },
      data: { quotes: ['AAPL'], timers: [{ name: 'away', at: '10:01' }] },
      limits: { jumpPercent: undefined },
    }).play(50 * SECOND);
    quote(stage, '120');
    await stage.pass(5 * SECOND);
    expect(stage.runner.alarms.all.map(({ code }) => code)).toEqual(['PRICE_JUMP']);
    await stage.pass(2 * MINUTE);
    expect(stage.orders).toMatchObject([{ state: { how: 'cancelled' } }]);
    expect(stage.runner.alarms.all).toEqual([]);
  });

  test('is believed after 30 s at about the new level', async () => {
    const stage = await holding();
    for (const text of ['80', '81', '79', '80', '78', '79']) {
      quote(stage, text);
      await stage.pass(5 * SECOND);
      expect(stage.venue.sends).toBe(1);
    }
    await stage.pass(10 * SECOND);
    expect(stage.venue.sends).toBe(2);
  });

  test('to a price at which the venue takes nothing ends no stop: it sells once there is another', async () => {
    const stage = await holding();
    quote(stage, '0.01');
    await stage.pass(2 * MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.alarms.join()).toContain('its stop was touched, and what is held is not free to be sold');
    quote(stage, '94');
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(2);
  });

  test('starts its 30 s again with each further jump', async () => {
    const stage = await holding();
    for (let turn = 0; turn < 6; turn++) {
      quote(stage, turn % 2 === 0 ? '5' : '6');
      await stage.pass(15 * SECOND);
    }
    expect(stage.venue.sends).toBe(1);
  });

  test('that creeps on is not about the same price', async () => {
    const stage = await holding();
    for (const text of ['80', '76.5', '73', '70', '67', '64', '61.5', '59', '56.5', '100']) {
      quote(stage, text);
      await stage.pass(5 * SECOND);
    }
    expect(stage.venue.sends).toBe(1);
  });

  test.each<[string, Elsewhere, sends: number]>([
    ['share and token price agree with', { share: '80', token: '81' }, 2],
    ['the token price contradicts', { share: '80', token: '100' }, 1],
    ['the 1m bar agrees with', { bar: '80' }, 2],
    ['the 1m bar contradicts', { bar: '100' }, 1],
  ])('that %s is believed within 15 s only if confirmed', async (...[, elsewhere, sends]) => {
    const stage = await holding({ as: showing(elsewhere) });
    quote(stage, '80');
    await stage.pass(15 * SECOND);
    expect(stage.venue.sends).toBe(sends);
  });

  test.each([
    ['within limits.jumpPercent', 25, 2],
    ['beyond limits.jumpPercent', 15, 1],
  ])('of 20 % is believed at once only within limits.jumpPercent (%s)', async (...[, jumpPercent, sends]) => {
    const stage = await holding({ limits: { jumpPercent } });
    quote(stage, '80');
    await stage.pass(15 * SECOND);
    expect(stage.venue.sends).toBe(sends);
  });

  test('while no run was active needs confirmation, too', async () => {
    const stage = await holding();
    stage.crash();
    quote(stage, '5');
    const after = await new Stage({
      hooks: { solo: {} },
      data: { quotes: ['AAPL'] },
      limits: { jumpPercent: undefined },
      after: stage,
    }).play(20 * SECOND);
    quote(after, '100');
    await after.pass(2 * MINUTE);
    expect(after.venue.sends).toBe(1);
    expect(after.alarms.join()).toMatch(/AAPL jumped from 100 to 5/);
  });

  test('does not count for the drawdown limit', async () => {
    const drawdown = { percent: 10, action: 'flatten' } as const;
    const stage = await holding({ limits: { drawdown } });
    quote(stage, '5');
    await stage.pass(20 * SECOND);
    quote(stage, '100');
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.said(/drawdown/)).toBe(false);
  });

  test('does not raise a trailing stop', async () => {
    const hooks = {
      solo: atStart((order) =>
        order.bracket('AAPL', { entry: { notional: 5_000 }, stopLoss: { trail: { percent: 5 } } }),
      ),
    };
    const stage = await holding({ hooks });
    quote(stage, '2000');
    await stage.pass(20 * SECOND);
    quote(stage, '100');
    await stage.pass(MINUTE);
    expect(stage.venue.sends).toBe(1);
    expect(stage.runner.kernel.context.accountState.ledger.held('solo', AAPL)).toBeGreaterThan(
      parseShares('49'),
    );
  });
});
