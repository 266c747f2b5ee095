import type { Host } from '../core/clock.ts';
import type { Journal } from '../domain/journalEvent.ts';

/** The journal, with the real time in ms that each commit takes, failed ones included. */
export const timedJournal = <J extends Journal>(
  journal: J,
  { monotonic }: Pick<Host, 'monotonic'>,
  onCommit: (ms: number) => void,
): J => ({
  ...journal,
  commit(batch) {
    const from = monotonic();
    try {
      journal.commit(batch);
    } finally {
      onCommit(monotonic() - from);
    }
  },
});
