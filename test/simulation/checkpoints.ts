import { messageOf } from '../../src/core/errors.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import { JournalFold } from '../../src/engine/kernel/journalFold.ts';
import { CheckpointProof, resume } from '../../src/engine/runtime/checkpoints.ts';
import type { Disk } from './disk.ts';
import type { Simulation } from './simulation.ts';

/** Where a process dies that writes a checkpoint: after its entry and before its text, with half of the text, or right after it. */
export const SAVE_DEATHS = ['before', 'within', 'after'] as const;
export type SaveDeath = (typeof SAVE_DEATHS)[number];

/** Checkpoints of a run. `every`: entries from one to the next; `deaths`: of the process that writes the text of a number. */
export type CheckpointPlan = Readonly<{ every: number; deaths: ReadonlyMap<number, SaveDeath> }>;

const DEATHS_MAX = 4;

/** Draws checkpoints separately, so that a seed has the same faults with and without them; null for those only at closes. */
export function checkpointsOf(seed: number, faults: boolean): CheckpointPlan | null {
  const random = seededRandom(`checkpoints ${seed}`);
  if (random.next() < 0.5) return null;
  const every = Math.floor(3 + 250 * random.next() ** 2);
  const deaths = new Map<number, SaveDeath>();
  for (let left = faults ? Math.floor(random.next() * DEATHS_MAX) : 0; left > 0; left--) {
    const number = 1 + Math.floor(40 * random.next() ** 2);
    deaths.set(number, SAVE_DEATHS[Math.floor(random.next() * SAVE_DEATHS.length)] ?? 'before');
  }
  return { every, deaths };
}

type Journaled = Pick<Disk, 'entries' | 'saved'>;

/** State of a start from its checkpoint and from all entries, and where the former began. */
export function booksOf({ entries, saved }: Journaled): { short: string; whole: string; from: number } {
  const fold = new JournalFold();
  const { from } = resume({ entries, saved }, fold);
  for (const entry of entries(from)) fold.apply(entry);
  const whole = new JournalFold();
  for (const entry of entries()) whole.apply(entry);
  return { short: fold.text().toString(), whole: whole.text().toString(), from };
}

/** A start by a checkpoint has the books of one that reads everything, to the last digit. */
export function judgeBooks({ disk, judge, sometimes }: Simulation): void {
  try {
    const { short, whole, from } = booksOf(disk);
    if (from > 1) sometimes.checkpointResumed++;
    if (short !== whole) judge.accuse('P4', `the checkpoint of entry ${from} leads to other books`);
  } catch (error) {
    judge.accuse('crash', `the journal is not read: ${messageOf(error)}`);
  }
}

/** All entries of a journal lead to each of its checkpoints. */
export function judgeCheckpoints(entries: Iterable<JournalEntry>, judge: Simulation['judge']): void {
  const proof = new CheckpointProof();
  let number = 0;
  for (const entry of entries) proof.take(entry, ++number);
  if (proof.wrong.length > 0) judge.accuse('P4', `checkpoints in ${proof.wrong.join(', ')} are wrong`);
}
