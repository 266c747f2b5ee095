import { expect, test } from 'vitest';
import { spreadsText } from '../../../src/app/backtest/likeSpread.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { cash, parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { IntentTerms, OrderIntent } from '../../../src/domain/orders/orderIntent.ts';
import { AAPL } from '../../domain/orders.ts';
import { LiveDays, readerOf } from '../../report/live/liveJournal.ts';

const BUY: IntentTerms = { kind: 'buy', notional: cash(parseCash('1000')) };
const LIMIT: IntentTerms = {
  kind: 'limit',
  side: 'buy',
  quantity: parseShares('10'),
  price: parsePrice('90'),
  goodTill: 'day',
};

type Trades = readonly (readonly [side: 'buy' | 'sell', price: string])[];

/** A run whose account buys and sells at some prices, each on a quote of 100. */
class Fills {
  readonly #days = new LiveDays('2026-06-15').open('1000000').allocate('1000000') as LiveDays;
  #count = 0;

  /** `waits`: time in ms from the decision to the fill. */
  take(time: string, fills: Trades, { waits = 4_000, terms = BUY } = {}): this {
    for (const [side, price] of fills) {
      const days = this.#days.on('2026-06-15', time).quote({ AAPL: '100' });
      const intent = { id: `w${++this.#count}`, strategyId: 'alpha', symbol: AAPL, terms, at: days.at };
      days.add({ kind: 'intentCreated', intent: intent as OrderIntent });
      days.at = epochMs(days.at + waits);
      days.trade({ side, quantity: '10', price });
    }
    return this;
  }

  get text(): string | null {
    return spreadsText(readerOf(this.#days.entries), tradingCalendar);
  }
}

const both = (buy: string, sell: string) =>
  Array.from({ length: 6 }, () => [['buy', buy] as const, ['sell', sell] as const]).flat();

test('a run with enough fills shows its costs against the preceding quotes by phase, and the flags for them', () => {
  const fills = new Fills().take('11:00', both('100.02', '99.98')).take('17:00', both('100.1', '99.9'));
  fills.take('21:00', [
    ['buy', '100.5'],
    ['buy', '100.5'],
  ]);
  expect(fills.text).toBe(
    'fills of the run against the quotes before them: 50 bps worse in overnight (2 fills), 2 bps worse in regular (12 fills), ' +
      '10 bps worse in post (12 fills); --slippage bps:2 --slippage-outside bps:15.7 applies these costs',
  );
});

test('limit orders, and orders that have waited, are not used as a measure', () => {
  const fills = new Fills().take('11:00', both('100.02', '99.98'));
  expect(fills.take('11:30', both('90', '110'), { terms: LIMIT }).text).toContain(
    '2 bps worse in regular (12 fills)',
  );
  expect(fills.take('12:00', both('120', '80'), { waits: 61_000 }).text).toContain(
    '2 bps worse in regular (12 fills)',
  );
});

test('a run with few fills shows no costs, and a negative cost is never proposed', () => {
  expect(new Fills().take('11:00', both('100.02', '99.98').slice(4)).text).toBeNull();
  expect(new Fills().take('11:00', both('99.98', '100.02')).text).toContain('--slippage bps:0 ');
});
