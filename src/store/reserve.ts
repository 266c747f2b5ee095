import { onDescriptor, writeAll } from './trust.ts';
import { fsyncSync, ftruncateSync, lstatSync, openSync, rmSync } from 'node:fs';
import { JournalError, orElse } from '../core/errors.ts';
import { secureBytes } from '../core/random.ts';
import type { Journal } from '../domain/journalEvent.ts';

/** Space for the last commits on a full disk: several hundred, each of at least two pages. */
const RESERVE_BYTES = 4 * 2 ** 20;

/** Reserved disk space that is released when the disk is full. */
export interface Reserve {
  readonly held: boolean;
  /** Releases the space. False if none was reserved. */
  release(): boolean;
  /** Reserves the space again, if twice as much is free on the disk. */
  regain(): boolean;
}

/** Reserve in a file of random bytes: a file system may store zeros without using space. */
export function fileReserve(file: string, bytes = RESERVE_BYTES): Reserve {
  let held = sizeOf(file) === bytes;
  return {
    get held() {
      return held;
    },
    release() {
      if (!held || !remove(file)) return false;
      held = false;
      return true;
    },
    regain() {
      held ||= fill(file, bytes);
      return held;
    },
  };
}

/** Size of a file in bytes. A link has the length of its target's path, which reserves nothing. */
const sizeOf = (file: string): number => lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;

function fill(file: string, bytes: number): boolean {
  try {
    // An existing file is removed and never written to, because it could be a link.
    rmSync(file, { force: true });
    onDescriptor(openSync(file, 'wx', 0o600), (descriptor) => {
      // Takes twice the space and returns half: with just enough, the next commit would have to release it again.
      const half = secureBytes(bytes);
      writeAll(descriptor, half);
      writeAll(descriptor, half);
      fsyncSync(descriptor);
      ftruncateSync(descriptor, bytes);
    });
    return true;
  } catch {
    remove(file);
    return false;
  }
}

/** Removes a file. False if the disk does not allow that, for example because it has become read-only. */
const remove = (file: string): boolean =>
  orElse(() => {
    rmSync(file, { force: true });
    return true;
  }, false);

/** Journal that releases the reserve when its disk is full, for events that must still be written, and reports it. */
export function withReserve(journal: Journal, reserve: Reserve): Journal {
  reserve.regain();
  return {
    ...journal,
    commit(batch) {
      try {
        journal.commit(batch);
      } catch (error) {
        if (!(error instanceof JournalError) || !reserve.release()) throw error;
        journal.commit(batch);
      }
    },
    strain: () => (reserve.held || reserve.regain() ? null : 'the disk of the journal is full, or nearly so'),
  };
}
