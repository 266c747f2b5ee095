import { describe, expect, test } from 'vitest';
import type { EntryView } from '../../src/page/connection/connection.ts';
import { entryText, eventOf, kindText, subjectOf } from '../../src/page/entries/entryText.ts';

const entryOf = (kind: string, fields: object): EntryView => ({
  seq: 7,
  at: '2026-06-18T15:42:00.000Z',
  kind,
  ...fields,
});
/** Entry as stored: under the names by which it was first written. */
const WISHED = entryOf('wished', {
  wish: {
    id: 'trend-1',
    owner: 'trend',
    symbol: 'NVDA',
    want: { kind: 'limit', side: 'buy', quantity: '22.479057123456', price: '88.97', goodTill: 'day' },
    reason: 'rung 1',
  },
});
const PLANNED = entryOf('planned', {
  order: {
    id: 'trend-1.1',
    owner: 'trend',
    terms: { symbol: 'NVDA', type: 'market', side: 'buy', notional: '50' },
  },
});
const EVERY_WORD = /wish|owner|want|told|adopted|operation/;

describe('a journal entry', () => {
  test.each([
    ['wished', 'intent created'],
    ['told', 'fill delivered'],
    ['adopted', 'balance accepted'],
    ['operationPlanned', 'transfer planned'],
    ['order', 'order'],
  ])('stored as %s is called %s', (stored, name) => {
    expect(kindText(eventOf(entryOf(stored, {})).kind)).toBe(name);
  });

  test.each([
    [WISHED, 'trend decides: buy 22.479057 NVDA at 88.97: rung 1'],
    [PLANNED, 'planned, and its money reserved: buy NVDA for 50'],
    [
      entryOf('wished', {
        wish: { owner: '', symbol: 'SPY', want: { kind: 'target', to: { weight: 0.45 } }, reason: 'r' },
      }),
      'unallocated decides: bring SPY to 45 %: r',
    ],
    [
      entryOf('plotted', {
        strategyId: 'trend',
        series: [
          { name: 'fast', symbol: 'NVDA', at: [1, 2], values: [88, 88.5] },
          { name: 'score', at: [2], values: [null] },
        ],
      }),
      'trend plots fast 88.5, score –',
    ],
    [
      entryOf('strategyState', { owner: 'trend', state: { anchor: 89.15 } }),
      'trend remembers {"anchor":89.15}',
    ],
    [
      entryOf('restricted', {
        state: 'halted',
        scope: { strategyId: 'trend' },
        by: 'root',
        reason: 'a pause',
      }),
      'strategy trend is halted by root: a pause',
    ],
    [
      entryOf('quotes', {
        prices: [
          ['SPY', '561.15'],
          ['AAPL', '209.01'],
        ],
      }),
      'SPY at 561.15, AAPL at 209.01',
    ],
    [entryOf('adopted', { asset: 'SPY', owner: 'trend' }), 'asset SPY, strategy id trend'],
    [entryOf('unheardOf', { some: { field: 1 } }), 'some {"field":1}'],
  ])('has a text in plain, current words: %j', (entry, text) => {
    expect(entryText(entry)).toBe(text);
    expect(text).not.toMatch(EVERY_WORD);
  });

  test('names its order, whose life can be shown; an intent has none', () => {
    expect(subjectOf(PLANNED)).toEqual({ id: 'trend-1.1', isOrder: true });
    expect(subjectOf(WISHED)).toEqual({ id: 'trend-1', isOrder: false });
    expect(subjectOf(entryOf('operator', { id: 'a command' }))).toBeNull();
  });
});

describe("the text of an operator's command", () => {
  test.each([
    [
      { kind: 'trade', state: 'reducing', scope: { strategyId: 'trend' }, cancel: true },
      'that trading of strategy trend be reducing, orders cancelled',
    ],
    [{ kind: 'cancel', scope: {}, orders: ['trend-1.1'] }, 'to cancel trend-1.1'],
    [{ kind: 'cancel', scope: { symbol: 'NVDA' } }, 'to cancel the orders of NVDA'],
    [{ kind: 'flatten', scope: {}, unallocated: true }, 'to flatten everything and what is unallocated'],
    [
      { kind: 'accept', asset: 'AAPL', preview: true },
      "to show what accepting the venue's balance of AAPL would change",
    ],
    [
      { kind: 'order', symbol: 'NVDA', terms: { kind: 'market', side: 'buy', notional: '50' } },
      'to buy NVDA for 50',
    ],
    [{ kind: 'acknowledge' }, 'to acknowledge every alarm'],
    [{ kind: 'newer' }, 'for newer'],
  ])('describes %j', (command, text) => {
    expect(entryText(entryOf('operator', { by: 'root', reason: 'r', command }))).toBe(`root asks ${text}: r`);
  });
});
