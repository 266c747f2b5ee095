import type { Clock } from '../core/clock.ts';
import { afterOn, sleepOn } from '../core/clock.ts';
import { InvariantError } from '../core/errors.ts';
import type { Journal, JournalEntry } from '../domain/journalEvent.ts';
import type { BookStore } from '../sim/simulatedBook.ts';
import { decode, encode } from '../store/codec.ts';
import { currentEvent, storedEvent } from '../store/storedNames.ts';

/** Content of a state folder: the lines of the journal and the simulated account, both as text. */
export type Disk = Readonly<{ lines: string[]; documents: Map<string, string> }>;

export const emptyDisk = (): Disk => ({ lines: [], documents: new Map() });

/** Life of one run, from its start until it is killed. */
export type Life = { isOver: boolean };

/** Journal of a life. A killed run writes nothing more. */
export function journalOn({ lines }: Disk, life: Life): Journal {
  return {
    commit(batch) {
      if (life.isOver) throw new InvariantError('a run that was killed writes nothing');
      lines.push(...batch.map(({ at, fact }) => encode({ at, fact: storedEvent(fact) })));
    },
    *entries() {
      for (const line of lines) {
        const { at, fact } = decode(line) as JournalEntry;
        yield { at, fact: currentEvent(fact) };
      }
    },
    length: () => lines.length,
    close: () => undefined,
  };
}

/** Store of the simulated account. */
export function documentsOn({ documents }: Disk): BookStore {
  return {
    *all() {
      for (const [name, text] of documents) yield [name, decode(text)];
    },
    save: (changed) => {
      for (const [name, value] of changed) documents.set(name, encode(value));
    },
  };
}

/** Clock of a life: none of its timers fires after the end. */
export function clockOf(clock: Clock, life: Life): Clock {
  const at: Clock['at'] = (when, run) => clock.at(when, () => !life.isOver && run());
  const after: Clock['after'] = (ms, run) => afterOn({ at, now: () => clock.now() }, ms, run);
  return {
    at,
    after,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (ms, signal) => sleepOn({ after }, ms, signal),
    hold: () => clock.hold(),
  };
}
