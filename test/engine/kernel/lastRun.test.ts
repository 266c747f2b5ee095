import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { LastRun } from '../../../src/engine/kernel/startCheck.ts';

/** The last run of a journal whose entries are a millisecond apart. */
function lastRunOf(...facts: JournalEvent[]): LastRun {
  const lastRun = new LastRun();
  facts.forEach((fact, index) => lastRun.note({ at: epochMs(index), fact }));
  return lastRun;
}

const epoch = (number: number): JournalEvent => ({ kind: 'epoch', epoch: number });
const ended: JournalEvent = { kind: 'ended', why: 'a test', how: 'in order' };
const written: JournalEvent = { kind: 'externalAccepted', txHash: '0x1', reason: 'mine' };

test('a run without an end in the journal was killed at its last entry', () => {
  const { end, seenUntil } = lastRunOf(epoch(1), { kind: 'started' }, written);
  expect([end, seenUntil]).toEqual([{ how: 'killed', at: 2 }, 2]);
});

test('a command without a run does not count as a killed run', () => {
  const { end, seenUntil } = lastRunOf(epoch(1), { kind: 'started' }, ended, epoch(2), written);
  expect([end, seenUntil]).toEqual([{ how: 'in order', at: 2 }, 2]);
});
