import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { decode, encode } from '../../src/store/codec.ts';
import { currentEvent, storedEvent } from '../../src/store/storedNames.ts';

/** Entry of a line of the memory journal. */
export function entryOf(line: string): JournalEntry {
  const { at, fact } = decode(line) as JournalEntry;
  return { at, fact: currentEvent(fact) };
}

/** Journal that lives as long as the program. It keeps what the file would keep, encoded. */
export function memoryJournal(lines: string[] = []): Journal {
  return {
    commit(batch) {
      lines.push(...batch.map(({ at, fact }) => encode({ at, fact: storedEvent(fact) })));
    },
    *entries() {
      for (const line of lines) yield entryOf(line);
    },
    length: () => lines.length,
    close: () => undefined,
  };
}
