import { expect, test } from 'vitest';
import { epochMs } from '../../../../src/core/brand.ts';
import { narrator } from '../../../../src/cli/commands/run/messages.ts';
import type { Notice } from '../../../../src/engine/state/notice.ts';

const at = (iso: string) => epochMs(Date.parse(iso));

function linesOf(notices: readonly Partial<Notice>[]): string[] {
  const lines: string[] = [];
  const narrate = narrator({ out: () => undefined, err: () => undefined, colour: false }, (line) =>
    lines.push(line),
  );
  for (const notice of notices)
    narrate({ at: at('2026-06-15T13:30:00Z'), kind: 'decision', strategyId: 'plan', text: 'x', ...notice });
  return lines;
}

test('the screen shows the New York date at the first line of each day', () => {
  const lines = linesOf([
    { at: at('2026-06-15T13:30:00Z') },
    { at: at('2026-06-16T03:59:00Z') },
    { at: at('2026-06-16T04:00:00Z'), kind: 'info' },
    { at: at('2026-06-16T13:30:00Z') },
    { at: at('2026-06-16T13:31:00Z') },
  ]);
  expect(lines.map((line) => line.slice(0, 10).trim())).toEqual([
    '2026-06-15',
    '09:30 · pl',
    '23:59 · pl',
    '2026-06-16',
    '09:30 · pl',
    '09:31 · pl',
  ]);
});

test('the screen shows the end of an outage, and not each sent order', () => {
  const lines = linesOf([{ kind: 'clear', text: 'sends go on' }, { kind: 'info' }, { kind: 'sent' }]);
  expect(lines).toEqual(['2026-06-15', '09:30 + plan           sends go on']);
});

test('the screen rounds amounts in alarms', () => {
  const text = 'difference in mUSD: the ledger says 83906.47140027733, the venue 83905.1';
  expect(linesOf([{ kind: 'alarm', text }])[1]).toContain('the ledger says 83906.47, the venue 83905.1');
});
