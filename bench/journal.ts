import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JournalEntry } from '../src/domain/journalEvent.ts';
import { encode } from '../src/store/codec.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';
import { median, timed, type Result } from './result.ts';
import { MORNING } from './trading.ts';

const COMMITS = 100;
const ROUNDS = 9;
const FACT_BYTES = 300;

/** Measures synced commits of one event each, on the disk of this program, because a temporary folder may be in memory. */
export async function journal(): Promise<Result[]> {
  const folder = mkdtempSync(fileURLToPath(new URL('./journal-', import.meta.url)));
  const opened = openSqliteJournal(`${folder}/journal.sqlite`);
  const batch = [entryOf(FACT_BYTES)];
  try {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const ms = await timed(() => {
        for (let count = 0; count < COMMITS; count++) opened.commit(batch);
      });
      rates.push((COMMITS * 1_000) / ms);
    }
    return [{ name: 'journal', value: median(rates), unit: 'commits/s' }];
  } finally {
    opened.close();
    rmSync(folder, { recursive: true });
  }
}

function entryOf(bytes: number): JournalEntry {
  const fact = (text: string) => ({ kind: 'strategyState', strategyId: 'bench', state: { text } }) as const;
  return { at: MORNING, fact: fact('x'.repeat(bytes - encode(fact('')).length)) };
}
