import { describe, expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { OrderId, Leg } from '../../src/domain/orders/order.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { HeldOrders } from './heldOrders.ts';
import { noneYet } from './sometimes.ts';

const KO = ticker('KO');
const TERMS = {
  stop: { kind: 'stop', side: 'sell', quantity: parseShares('10'), stop: parsePrice('60'), limit: null },
  trail: { kind: 'trail', side: 'sell', quantity: parseShares('10'), stop: parsePrice('60') },
  bracket: { kind: 'bracket', entry: { quantity: parseShares('10') } },
  work: { kind: 'work', side: 'buy', total: { quantity: parseShares('10') } },
} as const;

/** Entries of a held order and of its legs. */
const placed = (kind: keyof typeof TERMS): JournalEvent =>
  ({
    kind: 'syntheticPlaced',
    order: { id: 'a-1', strategyId: 'a', symbol: KO, terms: TERMS[kind] },
  }) as unknown as JournalEvent;
const moved = (event: object): JournalEvent =>
  ({ kind: 'syntheticMoved', id: 'a-1', event }) as unknown as JournalEvent;
const TRIGGERED = moved({ kind: 'triggered', cause: 'stop' });
const ENDED = { kind: 'syntheticEnded', id: 'a-1', how: 'done', why: '' } as unknown as JournalEvent;
const leg = (id: string, of: Leg): JournalEvent =>
  ({
    kind: 'intentCreated',
    intent: { id, parent: { id: 'a-1', leg: of }, terms: {} },
  }) as unknown as JournalEvent;

/** An order of a leg at the venue, of so many shares, and closed after so many have filled. */
type Taken = Readonly<{ id: string; of: Leg; shares: string; filled?: string }>;

function findings(facts: readonly JournalEvent[], taken: readonly Taken[] = [], isUnsure = false): string[] {
  const found: string[] = [];
  const held = new HeldOrders({
    accuse: (detail) => found.push(detail),
    sometimes: noneYet(),
    isUnsure: () => isUnsure,
  });
  const read = (fact: JournalEvent) => held.read({ at: epochMs(0), fact });
  facts.forEach(read);
  for (const { id, of, shares, filled } of taken) {
    read(leg(id, of));
    read({ kind: 'planned', order: { id: `${id}.1`, intentId: id } } as unknown as JournalEvent);
    const truth = {
      symbol: KO,
      word: 'Working',
      quantity: parseShares(shares),
      filled: parseShares(filled ?? '0'),
      closing: filled === undefined ? null : {},
      minedAt: 0,
    };
    held.accepted(`${id}.1` as OrderId, truth as unknown as Order);
  }
  return found;
}

const exit = (id: string, shares: string, filled?: string): Taken => ({
  id,
  of: 'exit',
  shares,
  ...(filled === undefined ? {} : { filled }),
});

const BOUGHT: Taken = { id: 'a-2', of: 'entry', shares: '10', filled: '10' };
const profit = (id: string, of: 'take profit' | 'second take profit', shares: string): Taken => ({
  id,
  of,
  shares,
});

test('two take-profit legs of a bracket open at the same time are accepted', () => {
  const both = [profit('a-3', 'take profit', '4'), profit('a-4', 'second take profit', '6')];
  expect(findings([placed('bracket')], [BOUGHT, ...both])).toEqual([]);
});

describe('a held order that breaks a rule', () => {
  test.each<[string, readonly JournalEvent[], readonly Taken[], string]>([
    ['for being placed twice', [placed('stop'), placed('stop')], [], 'a-1 is placed a second time'],
    [
      'for being triggered twice',
      [placed('stop'), TRIGGERED, TRIGGERED],
      [],
      'a-1 is triggered a second time',
    ],
    ['for moving while it is not held', [TRIGGERED], [], 'a step of an order that is not held'],
    ['for ending twice', [placed('stop'), ENDED, ENDED], [], 'a-1 ends, and is not held'],
    [
      'for sending after its end',
      [placed('stop'), ENDED, leg('a-2', 'exit')],
      [],
      'a-1 has ended, and creates a-2',
    ],
    [
      'for a trailing stop that falls',
      [placed('trail'), moved({ kind: 'levels', stop: parsePrice('59') })],
      [],
      'the trailing stop of a-1 falls to 59',
    ],
    [
      'for selling twice at once',
      [placed('stop')],
      [exit('a-2', '4'), exit('a-3', '4')],
      'a-3.1 sells for a-1 while a-2.1 of it is open',
    ],
    [
      'for selling more than it protects',
      [placed('stop')],
      [exit('a-2', '8', '8'), exit('a-3', '3')],
      'a-1 sells 11 and protects 10: a-3.1',
    ],
    [
      'for a bracket that sells more than its entry has bought',
      [placed('bracket')],
      [{ id: 'a-2', of: 'entry', shares: '10', filled: '6' }, exit('a-3', '7')],
      'a-1 sells 7 and protects 6: a-3.1',
    ],
    [
      'for a bracket with one of its take-profits open twice',
      [placed('bracket')],
      [BOUGHT, profit('a-3', 'second take profit', '3'), profit('a-4', 'second take profit', '3')],
      'a-4.1 sells for a-1 while a-3.1 of it is open',
    ],
    [
      'for a bracket that sells while its second take-profit is open',
      [placed('bracket')],
      [BOUGHT, profit('a-3', 'second take profit', '3'), exit('a-4', '3')],
      'a-4.1 sells for a-1 while a-3.1 of it is open',
    ],
    [
      'for a bracket whose two take-profits are more than its entry has bought',
      [placed('bracket')],
      [BOUGHT, profit('a-3', 'take profit', '4'), profit('a-4', 'second take profit', '7')],
      'a-1 sells 11 and protects 10: a-4.1',
    ],
    [
      'for working two slices at once',
      [placed('work')],
      [
        { id: 'a-2', of: 'slice', shares: '4' },
        { id: 'a-3', of: 'slice', shares: '4' },
      ],
      'a-3.1 of a-1 leaves while a-2.1 of it is open',
    ],
    [
      'for working more than its total',
      [placed('work')],
      [
        { id: 'a-2', of: 'slice', shares: '8', filled: '8' },
        { id: 'a-3', of: 'slice', shares: '4' },
      ],
      'a-1 works 12, more than was asked: a-3.1',
    ],
  ])('is reported %s', (...[, facts, taken, finding]) => {
    expect(findings(facts, taken)).toEqual([finding]);
  });
});

describe('a held order that keeps the rules', () => {
  test.each<[string, readonly JournalEvent[], readonly Taken[]]>([
    [
      'for selling what it protects, in two sends',
      [placed('stop'), TRIGGERED],
      [exit('a-2', '10', '4'), exit('a-3', '6')],
    ],
    [
      'for a trailing stop that rises',
      [placed('trail'), moved({ kind: 'levels', stop: parsePrice('61') })],
      [],
    ],
    [
      'for working its total, one slice after the other',
      [placed('work')],
      [
        { id: 'a-2', of: 'slice', shares: '4', filled: '4' },
        { id: 'a-3', of: 'slice', shares: '6' },
      ],
    ],
  ])('is not reported %s', (_what, facts, taken) => {
    expect(findings(facts, taken)).toEqual([]);
  });

  test('is not reported for its size if the venue misreports its stock', () => {
    expect(findings([placed('stop')], [exit('a-2', '8'), exit('a-3', '8')], true)).toEqual([]);
  });
});
