import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { narrator } from '../../src/cli/run/narrator.ts';
import { shortened } from '../../src/cli/run/shortened.ts';
import type { Notice } from '../../src/engine/notice.ts';

const at = (iso: string) => epochMs(Date.parse(iso));

function linesOf(notices: readonly Partial<Notice>[]): string[] {
  const lines: string[] = [];
  const narrate = narrator({ out: () => undefined, err: () => undefined, colour: false }, (line) =>
    lines.push(line),
  );
  for (const notice of notices)
    narrate({ at: at('2026-06-15T13:30:00Z'), kind: 'decision', owner: 'plan', text: 'x', ...notice });
  return lines;
}

test('each day of a run begins with its date, in New York', () => {
  const lines = linesOf([
    { at: at('2026-06-15T13:30:00Z') },
    { at: at('2026-06-16T03:59:00Z') },
    { at: at('2026-06-16T04:00:00Z'), kind: 'info' },
    { at: at('2026-06-16T13:30:00Z') },
    { at: at('2026-06-16T13:31:00Z') },
  ]);
  expect(lines.map((line) => line.slice(0, 10).trim())).toEqual([
    ...['2026-06-15', '09:30 · pl', '23:59 · pl'],
    ...['2026-06-16', '09:30 · pl', '09:31 · pl'],
  ]);
});

test('that an outage is over reaches the screen; what happens at every order does not', () => {
  const lines = linesOf([{ kind: 'clear', text: 'sends go on' }, { kind: 'info' }, { kind: 'sent' }]);
  expect(lines).toEqual(['2026-06-15', '09:30 + plan           sends go on']);
});

describe('amounts are shortened for the eye', () => {
  test.each([
    [
      'bought 0.123456789012345678 AAPL at 187.2, paid 23.119876543',
      'bought 0.123456 AAPL at 187.2, paid 23.12',
    ],
    ['sold 0.000012345678 KO at 62.1234, received 0.995', 'sold 0.0000123456 KO at 62.1234, received 1.00'],
    ['sell 0.0000123456789 KO', 'sell 0.0000123456 KO'],
    ['buy SPY for 499.999999', 'buy SPY for 500.00'],
    ['needs 10011.0000001 mUSD, has 9000.5 free', 'needs 10011.00 mUSD, has 9000.5 free'],
    ['paid 0.0000012', 'paid 0.0000012'],
    ['buy 3 AAPL at 0.1234: at 10.0.0.12345678', 'buy 3 AAPL at 0.1234: at 10.0.0.12345678'],
    ['0x12.12345678 and 1.2.3', '0x12.12345678 and 1.2.3'],
  ])('%s', (text, shown) => {
    expect(shortened(text)).toBe(shown);
  });

  test('but not in alarms, where the last digit may be what they are about', () => {
    const text = 'mUSD: 100000.000000000000000001 in the ledger, 100000 at the venue';
    expect(linesOf([{ kind: 'alarm', text }])[1]).toContain(text);
  });
});
