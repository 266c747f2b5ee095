import type { JournalEntry, Journal, SavedText } from '../../src/domain/journalEvent.ts';
import { decode, encode } from '../../src/store/codec.ts';
import { currentEvent, storedEvent } from '../../src/store/storedNames.ts';

/** Entry of a line of the memory journal. */
export function entryOf(line: string): JournalEntry {
  const { at, fact } = decode(line) as JournalEntry;
  return { at, fact: currentEvent(fact) };
}

/** Checkpoint in memory, as its text. */
export const savedIn = (saved: { text: string | null }): SavedText => ({
  read: () => (saved.text === null ? null : Buffer.from(saved.text)),
  write: (text) => void (saved.text = Buffer.from(text).toString()),
});

/** Journal that lives as long as the program. It keeps what the file would keep, encoded; checkpoints where it has `saved`. */
export function memoryJournal(lines: string[] = [], saved?: { text: string | null }): Journal {
  return {
    ...(saved && { saved: savedIn(saved) }),
    commit(batch) {
      lines.push(...batch.map(({ at, fact }) => encode({ at, fact: storedEvent(fact) })));
    },
    *entries(from = 1) {
      for (const line of lines.slice(from - 1)) yield entryOf(line);
    },
    length: () => lines.length,
    close: () => undefined,
  };
}
