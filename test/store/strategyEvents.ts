import { cash, shares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { OrderId } from '../../src/domain/orders/order.ts';

const at = epochMs(Date.UTC(2026, 5, 15, 14, 30));
const AAPL = ticker('AAPL');
const STOCK = '0x00000000000000000000000000000000000000a1' as Address;

/** Events with what strategies have received and sent since 0.8.0: codes of reasons, and tags. */
export const STRATEGY_EVENTS: readonly JournalEvent[] = [
  { kind: 'intentDeferred', id: 'alpha-3', notBefore: at, why: 'told', code: 'SESSION_CLOSED' },
  { kind: 'intentEnded', id: 'alpha-3', how: 'dropped', why: 'told', code: 'NO_MONEY' },
  {
    kind: 'order',
    id: 'alpha-3.1' as OrderId,
    event: { kind: 'abandoned', reason: 'told', code: 'TOO_OLD' },
  },
  {
    kind: 'intentCreated',
    intent: {
      id: 'alpha-4',
      strategyId: 'alpha',
      symbol: AAPL,
      terms: { kind: 'buy', notional: cash(1n) },
      reason: 'told',
      at,
      notBefore: at,
      outside: 'wait',
      after: [],
      tag: 'dip',
      expires: at,
    },
  },
  {
    kind: 'planned',
    order: {
      id: 'alpha-4.1' as OrderId,
      intentId: 'alpha-4',
      strategyId: 'alpha',
      terms: { symbol: AAPL, stock: STOCK, type: 'market', side: 'sell', quantity: shares(1n) },
      reserve: 1n,
      reason: 'told',
      tag: 'dip',
      plannedAt: at,
      state: { kind: 'planned' },
      cancel: { kind: 'none' },
    },
  },
];

/** Events of bars shown together, of logged lines and of the peaks of equity. */
export const LOG_EVENTS: readonly JournalEvent[] = [
  { kind: 'barsShown' },
  { kind: 'logged', strategyId: 'alpha', text: 'told' },
  {
    kind: 'logged',
    strategyId: 'alpha',
    text: 'told',
    fields: { price: 1.5, isUp: true, of: 'AAPL', last: null },
  },
  {
    kind: 'warmUpAwaited',
    strategyId: 'alpha',
    series: [{ symbol: AAPL, interval: '1d', needed: 30, had: 12 }],
  },
  { kind: 'warmedUp', strategyId: 'alpha' },
  { kind: 'series', strategyId: 'alpha', name: 'earnings', rows: 2, hash: 'ab'.repeat(32) },
  {
    kind: 'intentCreated',
    intent: {
      id: 'alpha-5',
      strategyId: 'alpha',
      symbol: AAPL,
      terms: { kind: 'sell', quantity: shares(1n) },
      reason: 'told',
      at,
      notBefore: at,
      outside: 'wait',
      after: [],
      depositFirst: true,
    },
  },
  { kind: 'equityPeaks', peaks: [['alpha', cash(1n)]] },
  {
    kind: 'intentCreated',
    intent: {
      id: 'alpha-6',
      strategyId: 'alpha',
      symbol: AAPL,
      terms: { kind: 'sellDeferred', quantity: shares(1n) },
      reason: 'told',
      at,
      notBefore: at,
      outside: 'wait',
      after: [],
    },
  },
  {
    kind: 'planned',
    order: {
      id: 'alpha-6.1' as OrderId,
      intentId: 'alpha-6',
      strategyId: 'alpha',
      terms: {
        symbol: AAPL,
        stock: STOCK,
        type: 'market',
        side: 'sell',
        quantity: shares(1n),
        funding: { kind: 'deferred' },
      },
      reserve: 0n,
      reason: 'told',
      plannedAt: at,
      state: { kind: 'planned' },
      cancel: { kind: 'none' },
    },
  },
  {
    kind: 'plotted',
    strategyId: 'alpha',
    series: [
      { name: 'fast', symbol: 'AAPL', at: [at, at], values: [101.5, null] },
      { name: 'signal', panel: 'macd', at: [at], values: [-0.25] },
    ],
  },
];

/** Kinds that came later: their events stand above, because their rows come last. */
export const LATER_KINDS = {
  intentRefused: [],
  barsShown: [],
  logged: [],
  warmUpAwaited: [],
  warmedUp: [],
  equityPeaks: [],
  series: [],
  plotted: [],
  strategyRestarted: [],
  checkpoint: [],
  paidInTokens: [],
  tokenPrices: [],
  fetched: [],
  rewarmed: [],
};
