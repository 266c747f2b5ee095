import { cash, price, shares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { PerToken } from '../../src/domain/premium.ts';
import { LOG_EVENTS } from './strategyEvents.ts';
import { LATER_SYNTHETIC_EVENTS, STOP_ENTRY_EVENTS } from './syntheticEvents.ts';

const at = epochMs(Date.UTC(2026, 5, 15, 14, 30));
const wad = 10n ** 18n;
const AAPL = ticker('AAPL');

/** Events whose rows stand at the end, in the order in which they came. */
export const LATER_EVENTS: readonly JournalEvent[] = [
  { kind: 'released', symbol: AAPL, reason: 'seen', shown: 'open', alsoShown: ['closed'] },
  ...LOG_EVENTS,
  ...LATER_SYNTHETIC_EVENTS,
  {
    kind: 'opened',
    cash: cash(wad),
    holdings: [[AAPL, shares(wad)]],
    equity: cash(191n * wad),
    prices: [[AAPL, price(190n * wad)]],
  },
  {
    kind: 'intentRefused',
    id: 'alpha-7',
    strategyId: 'alpha',
    symbol: AAPL,
    call: 'stop',
    side: 'sell',
    reason: 'told',
    tag: 'dip',
    code: 'NO_SHARES',
    why: 'told',
  },
  {
    kind: 'intentCreated',
    intent: {
      id: 'alpha-8',
      strategyId: 'alpha',
      symbol: AAPL,
      terms: { kind: 'limit', side: 'buy', quantity: shares(wad), price: price(wad), goodTill: 'day' },
      reason: 'told',
      at,
      notBefore: at,
      outside: 'refuse',
      after: ['alpha-1'],
      replaces: 'alpha-1',
    },
  },
  {
    kind: 'syntheticMoved',
    id: 'alpha-2',
    event: {
      kind: 'adjusted',
      terms: { kind: 'stop', side: 'sell', quantity: 'all', stop: price(wad), limit: null },
      takeProfit: null,
      stop: price(wad),
      mark: null,
    },
  },
  ...STOP_ENTRY_EVENTS,
  { kind: 'strategyRestarted', strategyId: 'alpha', why: 'told', alone: 'beta' },
  { kind: 'started', strategies: ['alpha'], alone: ['beta'] },
  { kind: 'fetched', strategyId: 'alpha', name: 'mood', text: '{"owner":"a wish","n":"\u00e9\n"}' },
  { kind: 'fetched', strategyId: 'alpha', name: 'mood' },
  { kind: 'checkpoint', form: '0.9.0 1', hash: '0xab' },
  {
    kind: 'paidInTokens',
    id: 'AAPL 2026-06-15 cash_dividend 0.26',
    price: price(200n * wad),
    parts: [['alpha', shares(wad)]],
    wallet: shares(2n * wad),
    debt: shares(3n * wad),
  },
  {
    kind: 'tokenPrices',
    tokens: [{ symbol: AAPL, share: price(wad), price: (2n * wad) as PerToken, ratio: null }],
  },
  {
    kind: 'syntheticMoved',
    id: 'alpha-9',
    event: { kind: 'dividend', id: 'AAPL 2026-06-15 cash_dividend 0.26', amount: price(wad) },
  },
  { kind: 'rewarmed', symbol: AAPL },
];
