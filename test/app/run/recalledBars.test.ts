import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recalledBars } from '../../../src/app/run/recalledBars.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { shares } from '../../../src/core/amount.ts';
import { DAY_MS, epochMs, toIso, type EpochMs } from '../../../src/core/brand.ts';
import type { Bar, Interval } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';

const at = (time: string): EpochMs => epochMs(Date.parse(`2026-06-${time}Z`));
const NOW = at('16T12:00');
const one = shares(10n ** 18n);

const barOf = (start: string, symbol = 'AAPL', interval: Interval = '15m'): Bar => ({
  symbol: ticker(symbol),
  interval,
  start: at(start),
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume: 0,
});
const shown = (bar: Bar): JournalEvent => ({ kind: 'bar', bar, warm: false });
const splitOf = (symbol: string): JournalEvent => ({
  kind: 'split',
  intents: [],
  action: {
    kind: 'split',
    id: 'split',
    symbol: ticker(symbol),
    name: 'split',
    exDate: '2026-06-16',
    oldRate: one,
    newRate: shares(2n * one),
  } as Extract<JournalEvent, { kind: 'split' }>['action'],
});

/** Starts of the bars that a run recalls from a journal with these entries, each written in its minute. */
function recalled(facts: readonly JournalEvent[], { now = NOW, warmUp = 50 } = {}): string[] {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-recalled-')), 'journal.sqlite');
  const journal = openSqliteJournal(file);
  journal.commit(facts.map((fact, index) => ({ at: epochMs(at('16T02:00') + index * 60_000), fact })));
  journal.close();
  const sets = [{ symbol: ticker('AAPL'), interval: '15m', phases: ['overnight'], warmUp }] as const;
  return recalledBars(file, sets, { now, calendar: tradingCalendar }).map(({ start }) =>
    toIso(start).slice(8, 16),
  );
}

test('a run begins with the bars that earlier runs saw in its phases, each once and in order', () => {
  const facts = [
    barOf('16T01:30'),
    barOf('16T01:15'),
    barOf('16T01:30'),
    barOf('15T20:00'),
    barOf('15T19:00'),
    barOf('16T01:45', 'MSFT'),
    barOf('16T01:45', 'AAPL', '5m'),
  ].map(shown);
  expect(recalled(facts)).toEqual(['16T01:15', '16T01:30']);
});

test('a run gets no bars from before a split of their stock or from ten days ago', () => {
  const [before, after] = [shown(barOf('16T01:15')), shown(barOf('16T01:45'))];
  expect(recalled([before, splitOf('AAPL'), after])).toEqual(['16T01:45']);
  expect(recalled([before, splitOf('MSFT'), after])).toEqual(['16T01:15', '16T01:45']);
  expect(recalled([before, after], { now: epochMs(NOW + 10 * DAY_MS) })).toEqual([]);
});

test('a run gets no more bars of a phase than its warm-up needs, and none ten days old', () => {
  const night = ['01T01:00', '16T01:00', '16T01:15', '16T01:30'].map((start) => shown(barOf(start)));
  expect(recalled(night)).toEqual(['16T01:00', '16T01:15', '16T01:30']);
  expect(recalled(night, { warmUp: 2 })).toEqual(['16T01:15', '16T01:30']);
  expect(recalled(night, { warmUp: 0 })).toEqual(['16T01:30']);
});
