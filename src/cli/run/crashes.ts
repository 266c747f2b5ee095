import { existsSync } from 'node:fs';
import { toIso, epochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { SafetyError } from '../../core/errors.ts';
import type { JournalEntry } from '../../domain/journalEvent.ts';
import { latestOf } from '../../store/readJournal.ts';
import { journalFile } from '../environment/journal.ts';

/** So many runs that began within so long and ended by an error of their own, or without a word, are a loop. */
const CRASHES_MAX = 5;
const WITHIN_MS = 10 * 60_000;
/** No run of a loop writes more of them: its number, and its end if it came to that. */
const FACTS_A_RUN = 2;

/**
 * Keeps a supervisor from starting again and again what ends at once: each start asks the venue for everything, and may send
 * before it ends. Looked at before the venue is asked for anything. A start that is refused here leaves no trace.
 * @throws {SafetyError} while too many of the latest runs crashed
 * @throws {ConfigError} when the journal is damaged
 */
export function requireCalm(stateDir: string, clock: Pick<Clock, 'now'>): void {
  const file = journalFile(stateDir);
  if (!existsSync(file)) return;
  const facts = latestOf(file, ['epoch', 'ended'], CRASHES_MAX * FACTS_A_RUN);
  const now = clock.now();
  const recent = crashesIn(facts).filter((begun) => now - begun < WITHIN_MS);
  const first = recent[CRASHES_MAX - 1];
  if (first === undefined) return;
  throw new SafetyError(
    `not started before ${toIso(epochMs(first + WITHIN_MS))}: the last ${recent.length} runs on ${stateDir} crashed, all since ${toIso(first)}. ` +
      'What is at the venue stays as it is. drover.log there says what went wrong; --after-crashes starts all the same',
    { stateDir },
  );
}

/** When those of the latest runs began that crashed one after the other, newest first. */
function crashesIn(newestFirst: readonly JournalEntry[]): JournalEntry['at'][] {
  const begun: JournalEntry['at'][] = [];
  for (const { at, fact } of newestFirst) {
    if (fact.kind === 'ended' && fact.how !== 'crashed') break;
    if (fact.kind === 'epoch') begun.push(at);
  }
  return begun;
}
