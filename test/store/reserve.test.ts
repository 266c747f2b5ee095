import { mkdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { JournalError } from '../../src/core/errors.ts';
import type { JournalEntry, Journal } from '../../src/domain/journalEvent.ts';
import { memoryJournal } from './memoryJournal.ts';
import { fileReserve, withReserve, type Reserve } from '../../src/store/reserve.ts';
import { opened, SENT } from '../domain/orders.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();
const BATCH: JournalEntry[] = [{ at: SENT, fact: opened }];

/** A disk with room for so many more commits, and for a reserve that is worth two. */
function smallDisk(room: number) {
  const disk = { room };
  const inner = memoryJournal();
  const journal: Journal = {
    ...inner,
    commit(batch) {
      if (disk.room === 0) throw new JournalError('disk is full');
      disk.room--;
      inner.commit(batch);
    },
  };
  let held = false;
  const reserve: Reserve = {
    get held() {
      return held;
    },
    release() {
      if (!held) return false;
      held = false;
      disk.room += 2;
      return true;
    },
    regain() {
      if (!held && disk.room >= 4) {
        disk.room -= 2;
        held = true;
      }
      return held;
    },
  };
  return { disk, journal: withReserve(journal, reserve) };
}

describe('a journal with a disk reserve', () => {
  test('releases it for the last entries, reports the strain, and regains it when there is room', () => {
    const { disk, journal } = smallDisk(5);
    const commit = () => journal.commit(BATCH);
    for (let count = 0; count < 3; count++) commit();
    expect(journal.strain?.()).toBeNull();
    commit();
    expect(journal.strain?.()).toMatch(/full/);
    commit();
    expect(commit).toThrow(JournalError);
    expect([...journal.entries()]).toHaveLength(5);
    disk.room = 10;
    expect(journal.strain?.()).toBeNull();
    expect(disk.room).toBe(8);
  });

  test('keeps it when a commit fails for another reason than a full disk', () => {
    const inner = memoryJournal();
    let released = false;
    const reserve: Reserve = { held: true, regain: () => true, release: () => (released = true) };
    const broken = () => {
      throw new Error('a bug');
    };
    expect(() => withReserve({ ...inner, commit: broken }, reserve).commit(BATCH)).toThrow('a bug');
    expect(released).toBe(false);
  });
});

describe('a disk reserve in a file', () => {
  test('occupies its bytes on disk until they are released', () => {
    const file = freshFile();
    const reserve = fileReserve(file, 100_000);
    expect(reserve.held).toBe(false);
    expect(reserve.regain()).toBe(true);
    expect(statSync(file).size).toBe(100_000);
    expect(statSync(file).blocks * 512).toBeGreaterThanOrEqual(100_000);
    expect(fileReserve(file, 100_000).held).toBe(true);
    expect(reserve.release()).toBe(true);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    expect(reserve.release()).toBe(false);
  });

  test('stays if the disk allows no deletion, for example when it has become read-only', () => {
    const file = freshFile();
    mkdirSync(file);
    const reserve = fileReserve(file, statSync(file).size);
    expect(reserve.release()).toBe(false);
    expect(fileReserve(file, 100_000).regain()).toBe(false);
  });

  test('leaves nothing behind when it cannot be created', () => {
    expect(fileReserve(`${freshFile()}/no/such/folder`, 100).regain()).toBe(false);
  });
});
