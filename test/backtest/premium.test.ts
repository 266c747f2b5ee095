import { expect, test } from 'vitest';
import { leavesPremiums, type BacktestOptions, type TokenReading } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { newYorkTime } from '../../src/calendar/index.ts';
import { parseDecimal, parsePrice } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { PerToken, TokenRatio } from '../../src/domain/premium.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const DAY = '2026-06-15';
const reading = (time: string, token: string | null): TokenReading => ({
  at: newYorkTime(DAY, time),
  tokens: [
    {
      symbol: ticker('X'),
      share: parsePrice('100'),
      price: token === null ? null : (parseDecimal(token) as PerToken),
      ratio: parseDecimal('1') as TokenRatio,
    },
  ],
});
/** At a premium of 200 bps from 09:32 on, and of 10 from 09:34 on. */
const tokenPrices = [reading('09:00', '100'), reading('09:32', '102'), reading('09:34', '100.1')];

const minutes = barsFrom(
  DAY,
  Array.from({ length: 8 }, () => 100),
);

/** Buys at each bar, and records the premium that it is shown then and at 16:30. */
async function play(options: Partial<BacktestOptions>) {
  const [premiums, later]: (number | null | undefined)[][] = [[], []];
  const strategy = strategyOf(
    {
      onBar({ view, order }) {
        premiums?.push(view.quote('X')?.premiumBps);
        order.buy('X', { notional: 100 });
      },
      onTimer: ({ view }) => void later?.push(view.quote('X')?.premiumBps),
    },
    { bars: [{ symbol: 'X', interval: '1m' }], timers: [{ name: 'evening', at: '16:30' }] },
  );
  const result = await runBacktest(plainly({ strategy, bars: [minutes], ...options }));
  return { premiums, later, result };
}

test('token prices are shown from their time on, and limit buys until the next one', async () => {
  const given = [...tokenPrices, reading('09:37', null)];
  const { premiums, result } = await play({ limits: { premiumBps: 100 }, tokenPrices: given });
  expect(premiums).toEqual([0, 200, 200, 10, 10, 10, null, null]);
  expect(Object.entries(result.dropped).map(([why, count]) => [why.slice(0, 40), count])).toEqual([
    ['the token of X is at a premium of … bps ', 2],
    ['the venue shows no present price of the ', 2],
  ]);
  // The order of the last bar finds no later price.
  expect(result.fills).toHaveLength(4);
  expect(result.model).not.toHaveProperty('premiumLimits');
});

test('prices of tokens are shown to strategies without a limit, with other stocks and after the close', async () => {
  const bars = [minutes, { ...minutes, symbol: 'Y' }];
  const { premiums, later, result } = await play({
    tokenPrices: [...tokenPrices, reading('16:15', '103')],
    bars,
  });
  expect([premiums, later]).toEqual([[0, 200, 200, 10, 10, 10, 10, 10], [300]]);
  expect(result.dropped).toEqual({});
});

test('a limit on premiums is not played without prices of tokens, and the model says so', async () => {
  const limits = { outside: { premiumBps: 100 } };
  const [{ premiums, result }, plain] = [
    await play({ limits: { premiumBps: 1, ...limits } }),
    await play({}),
  ];
  expect(new Set(premiums)).toEqual(new Set([undefined]));
  expect(result.model).toMatchObject({ premiumLimits: 'not played' });
  expect(result.fills).toEqual(plain.result.fills);
  expect(leavesPremiums({ bars: [], strategies: [{ definition: strategyOf({}), limits }] })).toBe(true);
  expect(plain.result.model).not.toHaveProperty('premiumLimits');
});

test('prices of tokens are part of the identity of a run', async () => {
  const [{ result }, other, same] = [
    await play({ tokenPrices }),
    await play({ tokenPrices: [] }),
    await play({ tokenPrices }),
  ];
  expect(result.runId).toBe(same.result.runId);
  expect(result.runId).not.toBe(other.result.runId);
});
