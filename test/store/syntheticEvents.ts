import { cash, price, shares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { SyntheticJournalEvent } from '../../src/domain/orders/syntheticBook.ts';
import type { SyntheticOrder } from '../../src/domain/orders/syntheticOrder.ts';

const at = epochMs(Date.UTC(2026, 5, 15, 14, 30));
const wad = 1_000_000_000_000_000_000n;

const synthetic: SyntheticOrder = {
  id: 'alpha-2',
  strategyId: 'alpha',
  symbol: ticker('AAPL'),
  terms: { kind: 'stop', side: 'sell', quantity: 'all', stop: price(wad), limit: null },
  reason: 'told',
  at,
  notBefore: at,
};

type ByKind = {
  readonly [K in SyntheticJournalEvent['kind']]: readonly Extract<SyntheticJournalEvent, { kind: K }>[];
};

/** At least one event of each kind of the orders that the runner holds. */
export const SYNTHETIC_EVENTS: ByKind = {
  syntheticPlaced: [
    { kind: 'syntheticPlaced', order: synthetic },
    {
      kind: 'syntheticPlaced',
      order: {
        ...synthetic,
        terms: {
          kind: 'bracket',
          entry: { kind: 'buy', notional: cash(wad) },
          takeProfit: { percent: 5 },
          stopLoss: { trail: { amount: price(wad) } },
          exitAfter: { bars: 3, interval: '1d' },
        },
        tag: 'dip',
        expires: at,
        phases: ['pre', 'regular'],
      },
    },
    {
      kind: 'syntheticPlaced',
      order: {
        ...synthetic,
        terms: {
          kind: 'work',
          side: 'buy',
          total: { notional: cash(wad) },
          style: { kind: 'pov', share: 0.1, interval: '1m' },
          limit: price(wad),
          from: at,
          until: at,
        },
      },
    },
  ],
  syntheticMoved: [
    {
      kind: 'syntheticMoved',
      id: 'alpha-2',
      event: { kind: 'levels', takeProfit: null, stop: price(wad), mark: price(wad), exitAt: null },
    },
    {
      kind: 'syntheticMoved',
      id: 'alpha-2',
      event: { kind: 'triggered', cause: 'stop', price: price(wad) },
    },
    {
      kind: 'syntheticMoved',
      id: 'alpha-2',
      event: { kind: 'ending', how: 'cancelled', why: 'told' },
    },
    {
      kind: 'syntheticMoved',
      id: 'alpha-2',
      event: { kind: 'volume', allowed: shares(wad), until: at },
    },
  ],
  syntheticEnded: [{ kind: 'syntheticEnded', id: 'alpha-2', how: 'done', why: 'sold 1' }],
};

/** Events with fields that came later: their rows stand at the end. */
export const LATER_SYNTHETIC_EVENTS: readonly SyntheticJournalEvent[] = [
  {
    kind: 'syntheticPlaced',
    order: {
      ...synthetic,
      terms: {
        kind: 'bracket',
        entry: { kind: 'buy', notional: cash(wad) },
        takeProfit: null,
        stopLoss: { trail: { percent: 5 }, percent: 3 },
        exitAfter: null,
      },
    },
  },
];

/** Events of brackets that enter by a stop, and that have two take-profits. */
export const STOP_ENTRY_EVENTS: readonly SyntheticJournalEvent[] = [
  {
    kind: 'syntheticPlaced',
    order: {
      ...synthetic,
      terms: {
        kind: 'bracket',
        entry: { kind: 'stopBuy', side: 'buy', quantity: shares(wad), stop: price(wad), limit: null },
        takeProfit: { percent: 5 },
        second: { takeProfit: { price: price(wad) }, firstShare: 0.5 },
        stopLoss: null,
        exitAfter: null,
      },
    },
  },
  { kind: 'syntheticMoved', id: 'alpha-2', event: { kind: 'entered', price: price(wad) } },
  {
    kind: 'syntheticMoved',
    id: 'alpha-2',
    event: {
      kind: 'levels',
      takeProfit: price(wad),
      stop: null,
      mark: price(wad),
      exitAt: null,
      secondTakeProfit: price(wad),
    },
  },
];
