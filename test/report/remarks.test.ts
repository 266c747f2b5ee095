import { expect, test } from 'vitest';
import { endedText } from '../../src/report/remarks.ts';

const ended = { symbol: 'X', lastBar: '2026-06-17T20:00:00Z', price: 90, quantity: '10', pending: 0 };
test.each([
  [{ ...ended, writtenOff: null }, '10 shares valued at that price'],
  [{ ...ended, writtenOff: null, pending: 1 }, '10 shares valued at that price; 1 order pending'],
  [{ ...ended, writtenOff: null, pending: 2, quantity: '0' }, 'nothing held; 2 orders pending'],
  [{ ...ended, writtenOff: '900', quantity: '0' }, 'written off, 900 mUSD lost'],
  [{ ...ended, writtenOff: '0', quantity: '0' }, 'nothing held'],
  [
    { ...ended, writtenOff: null, quantity: '49.790878311093407687' },
    '49.790878 shares valued at that price',
  ],
  [{ ...ended, writtenOff: '900.123456789', quantity: '0' }, 'written off, 900.12 mUSD lost'],
])('the remark on bars that end early: %j', (one, text) => {
  expect(endedText(one)).toBe(`X ends on 2026-06-17 at 90, before the run: ${text}`);
});
