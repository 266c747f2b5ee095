import type { JournalEntry, Journal } from '../domain/journalEvent.ts';
import { decode, encode } from './codec.ts';

/** A journal that lives as long as the program: for simulation and tests. It keeps what the file would keep, encoded. */
export function memoryJournal(lines: string[] = []): Journal {
  return {
    commit(batch) {
      lines.push(...batch.map(encode));
    },
    *entries() {
      for (const line of lines) yield decode(line) as JournalEntry;
    },
    close: () => undefined,
  };
}
