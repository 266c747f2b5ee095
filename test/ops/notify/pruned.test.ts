import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { newYorkTime } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { readJournal } from '../../../src/store/readJournal.ts';
import { beside, journalWith, pruned, stateFolders } from '../../store/pruned.ts';
import { frozen, NotifierStage, SECOND } from './notifierStage.ts';

const freshState = stateFolders();

/** Entries of two evenings and a morning in three years: `OLD`, `MID` and `NEW` are frozen in them. */
const entries: readonly JournalEntry[] = [
  ['2024-12-31', 'OLD'],
  ['2025-12-31', 'MID'],
  ['2026-01-02', 'NEW'],
].map(([date = '', symbol = '']) => ({ at: epochMs(newYorkTime(date, '10:00')), fact: frozen(symbol) }));

/** Starts the notifications of a journal file, and lets them report. */
async function reported(file: string, { length, after }: { length: number; after?: NotifierStage }) {
  const reader = readJournal(file);
  const more = { reader, journalLength: () => length };
  const stage = new NotifierStage({ more, ...(after ? { after } : {}) }).begin();
  await stage.pass(SECOND);
  reader.close();
  return stage;
}

test.each([
  ['in an archive', 1, ['MID', 'NEW']],
  ['the last of an archive', 2, ['NEW']],
  ['in what stays', 3, []],
])('reports continue after pruning if the last reported entry is %s', async (...[, seen, rest]) => {
  const file = journalWith(freshState(), entries);
  const first = new NotifierStage();
  const { sum = '' } = readJournal(file).tipAt(seen) ?? {};
  first.store.append([{ kind: 'value', name: 'cursor', value: `${seen} ${sum}` }]);
  pruned(file);
  const next = await reported(file, { length: entries.length, after: first });
  expect(next.notices.map(({ text }) => text)).toEqual([]);
  expect(next.channel('phone').texts.map((text) => text.split(':')[0])).toEqual(rest);
  const { sum: last } = readJournal(file).tipAt(entries.length) ?? {};
  expect(next.store.stored.values.get('cursor')).toBe(`${entries.length} ${last ?? '?'}`);
});

test('another journal with equally many entries is not mistaken for the pruned one', async () => {
  const [file, other] = [journalWith(freshState(), entries), journalWith(freshState(), entries.toReversed())];
  const first = await reported(file, { length: entries.length });
  pruned(other);
  const next = await reported(other, { length: entries.length, after: first });
  expect(next.notices.map(({ text }) => text).join()).toContain('this is a different journal');
  expect(next.channel('phone').got).toEqual([]);
});

test('a missing archive stops the start with its name, before anything is reported', () => {
  const file = journalWith(freshState(), entries);
  pruned(file);
  rmSync(beside(file, 'journal-2024.sqlite'));
  expect(() => readJournal(file)).toThrow(/journal-2024\.sqlite is missing/);
});
