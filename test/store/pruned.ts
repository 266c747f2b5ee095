import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { afterAll } from 'vitest';
import { newYorkTime } from '../../src/calendar/index.ts';
import { price } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { planPruning, pruneJournal, type PruneStep, type YearChoice } from '../../src/store/pruneJournal.ts';
import { readJournal, type JournalReader } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { anOrder, id } from '../domain/orders.ts';
import type { Line } from '../../src/store/codec.ts';

/** Makes state folders for the journals of one test file. */
export function stateFolders(): () => string {
  const base = mkdtempSync(join(tmpdir(), 'drover-prune-'));
  afterAll(() => rmSync(base, { recursive: true }));
  return () => mkdtempSync(join(base, 'state-'));
}

/** Entries of New York's evenings of 31 December and mornings of 1 January: 8 of 2024, 12 of 2025, 6 of 2026. */
export const THREE_YEARS: readonly JournalEntry[] = [
  ...entriesAt('2024-12-31', '19:30', 8),
  ...entriesAt('2025-01-01', '00:00', 6),
  ...entriesAt('2025-12-31', '23:00', 6),
  ...entriesAt('2026-01-01', '00:00', 6),
];

function entriesAt(date: string, time: string, count: number): JournalEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    at: epochMs(newYorkTime(date, time) + index),
    fact: factAt(index),
  }));
}

function factAt(index: number): JournalEntry['fact'] {
  if (index === 1) return { kind: 'planned', order: anOrder() };
  if (index === 4)
    return {
      kind: 'quotes',
      prices: [[ticker('AAPL'), price(208_310_000_000_000_000_000n)]],
      phase: 'regular',
    };
  if (index === 2) return { kind: 'order', id: id('w1.1'), event: { kind: 'lost', reason: 'reset' } };
  return index === 0 ? { kind: 'epoch', epoch: 1 } : { kind: 'strategyStarted', strategyId: `s${index}` };
}

/** Path of a new journal with these entries. */
export function journalWith(folder: string, entries: readonly JournalEntry[] = THREE_YEARS): string {
  const file = join(folder, 'journal.sqlite');
  const journal = openSqliteJournal(file);
  journal.commit(entries);
  journal.close();
  return file;
}

type Pruning = YearChoice & Readonly<{ folder?: string; report?: (step: PruneStep, file: string) => void }>;

/** Prunes a journal. Returns why it could not be made smaller, or null. */
export const pruned = (file: string, { folder, report = () => undefined, ...choice }: Pruning = {}) =>
  pruneJournal(file, planPruning(file, choice, folder), report);

/** What `ask` reads of a journal. */
export function reading<T>(file: string, ask: (reader: JournalReader) => T): T {
  const reader = readJournal(file);
  try {
    return ask(reader);
  } finally {
    reader.close();
  }
}

/** Entries that a runner reads when it starts. */
export function startEntries(file: string): JournalEntry[] {
  const journal = openSqliteJournal(file);
  try {
    return [...journal.entries()];
  } finally {
    journal.close();
  }
}

/** Copy of the folder of a journal as it is now, as a kill would leave it: its path of the journal. */
export function copyNow(file: string, folder: string): string {
  cpSync(dirname(file), folder, { recursive: true });
  return join(folder, 'journal.sqlite');
}

/** File in the folder of a journal. */
export const beside = (file: string, name: string) => join(dirname(file), name);
/** What a reader of `THREE_YEARS` sees. */
export const LINES: readonly Line[] = THREE_YEARS.map((entry, index) => ({ ...entry, seq: index + 1 }));
/** Numbers of the entries in one file. */
export const rowsIn = (file: string): number[] => {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare<[], number>('SELECT seq FROM entries ORDER BY seq').pluck().all();
  database.close();
  return rows;
};

export const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Sum at an entry of a journal, in whichever file it is. */
export function sumAt(file: string, seq: number): string {
  for (const name of readdirSync(dirname(file))) {
    if (!/^journal(-\d{4})?\.sqlite$/.test(name)) continue;
    const database = new Database(beside(file, name), { readonly: true });
    const sum = database.prepare<[number], string>('SELECT sum FROM entries WHERE seq = ?').pluck().get(seq);
    database.close();
    if (sum !== undefined) return sum;
  }
  return '';
}
