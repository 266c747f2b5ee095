import { describe, expect, test } from 'vitest';
import { ticker } from '../../../src/domain/instrument.ts';
import type { KLine, Market } from '../../../src/emulator/market/index.ts';
import { instant, markets, numberAt, sessionOn, symbols } from './sessions.ts';

const to = instant('2025-07-01T00:00:00Z');
const start = instant('2000-06-10T03:00:00Z');
const YEARS = 3;

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const centred = (values: readonly number[]) => {
  const middle = mean(values);
  return values.map((value) => value - middle);
};
const deviation = (values: readonly number[]) => Math.sqrt(mean(centred(values).map((value) => value ** 2)));
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const correlation = (a: readonly number[], b: readonly number[]) => {
  const others = centred(b);
  const products = centred(a).map((value, index) => value * (others[index] ?? 0));
  return mean(products) / deviation(a) / deviation(b);
};
const returns = (bars: readonly KLine[]) =>
  bars.slice(1).map(({ close }, index) => Math.log(close / (bars[index]?.close ?? NaN)));
const averages = (values: readonly number[], length: number) =>
  values.map((_value, index) => mean(values.slice(Math.max(index + 1 - length, 0), index + 1)));

const daily = (market: Market, symbol: string) =>
  market.bars({ symbol: ticker(symbol), interval: '1d', to, limit: YEARS * 252, asOf: to });
const minutes = (market: Market, symbol: string, days: number) =>
  market.bars({ symbol: ticker(symbol), interval: '1m', to, limit: days * 390, asOf: to });

test.each(symbols)('the returns of %s under one seed do not correlate with those under another', (symbol) => {
  const [one = [], other = []] = markets.map((market) => returns(daily(market, symbol)));
  expect(Math.abs(correlation(one, other))).toBeLessThan(0.15);
});

describe.each(markets.map((market, index) => ({ market, index })))(
  'the statistics of market $index',
  ({ market }) => {
    test.each(symbols)('of %s are believable for days', (symbol) => {
      const bars = daily(market, symbol);
      const volatility = deviation(returns(bars)) * Math.sqrt(252);
      expect(volatility).toBeGreaterThan(0.12);
      expect(volatility).toBeLessThan(0.65);
      const range = median(bars.map(({ high, low, open }) => ((high - low) / open) * 100));
      expect(range).toBeGreaterThan(0.8);
      expect(range).toBeLessThan(5);
      expect(Math.abs(correlation(returns(bars).slice(1), returns(bars).slice(0, -1)))).toBeLessThan(0.15);
    });

    test.each([0.2, 0.4, 0.6])('let a limit %s %% below the open be reached on some days', (percent) => {
      for (const symbol of symbols) {
        const bars = daily(market, symbol);
        const reached =
          bars.filter(({ low, open }) => low <= open * (1 - percent / 100)).length / bars.length;
        expect(reached).toBeGreaterThan(0.3);
        expect(reached).toBeLessThan(0.98);
      }
    });

    test('correlate indices and stocks', () => {
      const spy = returns(daily(market, 'SPY'));
      expect(correlation(spy, returns(daily(market, 'QQQ')))).toBeGreaterThan(0.75);
      expect(correlation(spy, returns(daily(market, 'AAPL')))).toBeGreaterThan(0.4);
      expect(correlation(spy, returns(daily(market, 'KO')))).toBeGreaterThan(0.2);
      const within = returns(minutes(market, 'SPY', 5));
      expect(correlation(within, returns(minutes(market, 'QQQ', 5)))).toBeGreaterThan(0.7);
    });

    test.each(['AAPL', 'KO', 'PLUG'])(
      'let averages of 10 and 30 minutes of %s cross several times a day',
      (symbol) => {
        const closes = minutes(market, symbol, 10).map(({ close }) => close);
        const [fast, slow] = [averages(closes, 10), averages(closes, 30)];
        const above = fast.map((value, index) => value > (slow[index] ?? 0));
        const crosses = above.filter((value, index) => index > 0 && value !== above[index - 1]).length / 10;
        expect(crosses).toBeGreaterThan(6);
        expect(crosses).toBeLessThan(30);
      },
    );

    test('make open and close more volatile and busier than noon', () => {
      const { open } = sessionOn('2025-06-30');
      const at = (bar: KLine) => ((((bar.timestamp - open / 1000) / 60) % 1440) + 1440) % 1440;
      const bars = minutes(market, 'AAPL', 20);
      const part = (from: number, until: number) => bars.filter((bar) => at(bar) >= from && at(bar) < until);
      const unrest = (some: readonly KLine[]) => mean(some.map(({ high, low }) => high - low));
      const trade = (some: readonly KLine[]) => mean(some.map(({ volume }) => volume));
      const [early, noon, late] = [part(0, 15), part(180, 210), part(375, 390)];
      expect(unrest(early)).toBeGreaterThan(1.5 * unrest(noon));
      expect(unrest(late)).toBeGreaterThan(1.1 * unrest(noon));
      expect(trade(early)).toBeGreaterThan(2 * trade(noon));
      expect(trade(late)).toBeGreaterThan(2 * trade(noon));
    });

    test.each(symbols)('keep %s within a factor of four of its median for fifty years', (symbol) => {
      const fortnights = Array.from({ length: 1300 }, (_, index) => start + index * 14 * 86_400_000);
      const prices = fortnights.map((at) => numberAt({ market, symbol }, at));
      const usual = median(prices);
      expect(Math.max(...prices)).toBeLessThan(usual * 4);
      expect(Math.min(...prices)).toBeGreaterThan(usual / 4);
    });
  },
);
