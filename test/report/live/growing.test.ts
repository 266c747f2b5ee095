import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { LiveHistory } from '../../../src/report/live/liveHistory.ts';
import { liveRecord } from '../../../src/report/live/liveRecord.ts';
import { someDay } from '../../domain/account/someDay.ts';
import { IDENTITY, LiveDays, readerOf, recordOf, someYear } from './liveJournal.ts';
import { runs } from '../../runs.ts';

/** Compares a history read step by step at these lengths of a journal with one read at once. */
function expectSame(entries: readonly JournalEntry[], lengths: readonly number[]): void {
  const known: JournalEntry[] = [];
  const history = new LiveHistory(readerOf(known));
  for (const length of lengths) {
    known.push(...entries.slice(known.length, length));
    history.advance();
    expect(liveRecord(history, IDENTITY, null)).toEqual(recordOf(known));
  }
}

test('a history read in two steps is the same as one read at once, at each entry of a year', () => {
  const { entries } = someYear();
  expectSame(
    entries,
    entries.map((_, index) => index + 1),
  );
});

test('a history read in any steps is the same as one read at once, on any day', () => {
  fc.assert(
    fc.property(someDay, fc.array(fc.nat(60), { maxLength: 6 }), (entries, lengths) =>
      expectSame(
        entries,
        [...lengths, entries.length].sort((a, b) => a - b),
      ),
    ),
    { numRuns: runs(40) },
  );
});

test('a price right after the end of a reading counts in the next one', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000').opens('2026-01-05');
  days.on('2026-01-05').trade({ side: 'buy', quantity: '5', price: '100' });
  days.quote({ AAPL: '101' }).quote({ AAPL: '102' }).closes('2026-01-05');
  const { entries } = days;
  const quoted = entries.findLastIndex(({ fact }) => fact.kind === 'quotes');
  expectSame(entries, [quoted - 1, quoted, quoted + 1, entries.length]);
});

test('orders and intents have the number of the entry that changed them last', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('1000');
  const history = () => new LiveHistory(readerOf(days.entries));
  const resting = days.rest({ side: 'buy', quantity: '1', price: '90' });
  const placed = days.entries.length;
  days.trade({ side: 'buy', quantity: '1', price: '100' });
  expect(history().changedAt.get(resting.id)).toBe(placed);
  resting.end('cancelled');
  const { changedAt, seq } = history();
  expect([changedAt.get(resting.id), changedAt.get('w1'), changedAt.get('w2')]).toEqual([seq, seq, seq - 1]);
  days.add({ kind: 'intentEnded', id: 'w2', how: 'done', why: 'filled' });
  expect(history().changedAt.get('w2')).toBe(seq + 1);
});

test('limit orders are in the record from the send to the end', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('10000').allocate('10000').opens('2026-01-05');
  days.on('2026-01-05', '10:00').trade({ side: 'buy', quantity: '3', price: '100' });
  const sentAt = days.at;
  const [first, second, third] = [
    days.rest({ side: 'buy', quantity: '1', price: '95' }),
    days.rest({ side: 'buy', quantity: '2', price: '94' }),
    days.rest({ side: 'sell', quantity: '1.5', price: '110' }),
  ];
  days.on('2026-01-05', '11:00');
  first.end('cancelled');
  const endedAt = days.at;
  days.on('2026-01-05', '12:00');
  third.fill();
  const filledAt = days.at;
  days.on('2026-01-05', '13:00').quote({ AAPL: '101' });
  const common = { from: sentAt, strategy: 'alpha', symbol: 'AAPL' };
  expect(recordOf(days.entries, 'alpha').limitOrders).toEqual([
    {
      ...common,
      until: endedAt,
      side: 'buy',
      order: first.id,
      shares: 1,
      limit: 95,
      filled: 0,
      how: 'cancelled',
    },
    {
      ...common,
      until: days.at,
      side: 'buy',
      order: second.id,
      shares: 2,
      limit: 94,
      filled: 0,
      how: 'open',
    },
    {
      ...common,
      until: filledAt,
      side: 'sell',
      order: third.id,
      shares: 1.5,
      limit: 110,
      filled: 1.5,
      how: 'filled',
    },
  ]);
  expect(recordOf(days.entries, 'beta').limitOrders).toEqual([]);
});

test('series that strategies have plotted are in their records', () => {
  const days = new LiveDays().quote({ AAPL: '100' }).open('1000').allocate('500').allocate('500', 'beta');
  const { at } = days;
  days.add({
    kind: 'plotted',
    strategyId: 'alpha',
    series: [{ name: 'a', symbol: 'AAPL', at: [at], values: [1] }],
  });
  days.add({
    kind: 'plotted',
    strategyId: 'beta',
    series: [{ name: 'b', panel: 'p', at: [at], values: [null] }],
  });
  const one = { strategy: 'alpha', name: 'a', symbol: 'AAPL', panel: null, at: [at], values: [1] };
  const other = { strategy: 'beta', name: 'b', symbol: null, panel: 'p', at: [at], values: [null] };
  expect(recordOf(days.entries).plots).toEqual([one, other]);
  expect(recordOf(days.entries, 'beta').plots).toEqual([other]);
});
