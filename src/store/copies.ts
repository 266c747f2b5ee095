import { onDescriptor, syncPath } from './trust.ts';
import type { Database } from './sqlite/sqlite.ts';
import { createHash } from 'node:crypto';
import { chmodSync, openSync, readSync } from 'node:fs';
import { epochMs } from '../core/brand.ts';
import { codeOf, ConfigError, messageOf, closing } from '../core/errors.ts';
import type { JournalEventOf } from '../domain/journalEvent.ts';
import { headWriter, rowAfter, type Row } from './integrity.ts';
import { checkVersion, checkWhole, inserterOf, requireRestrictions } from './schema.ts';
import { atFile, openDatabase } from './sqlite/sqliteErrors.ts';

/** Bytes per read of a file. */
const CHUNK = 1 << 20;

/**
 * Copies a database as of one instant, while another process may be writing to it without waiting or being affected. The
 * copy is verified, synced, and readable only by its owner. `to` must not exist.
 * @throws {ConfigError} when the original or the copy is damaged, or cannot be read or written
 */
export function copyDatabase(from: string, to: string): void {
  const at = (file: string) => openDatabase(file, { readonly: true });
  closing(at(from), (original) => atFile(from, () => writeCopy(original, to)));
  atFile(to, () => chmodSync(to, 0o600));
  closing(at(to), (copy) => checkWhole(copy, to));
  syncPath(to);
}

/** SQLite codes for a target that cannot be written: reading the original produces none of them. */
const UNWRITTEN = /^SQLITE_(FULL|READONLY|IOERR_(WRITE|FSYNC|TRUNCATE))/;

function writeCopy(original: Database, to: string): void {
  try {
    original.prepare('VACUUM INTO ?').run(to);
  } catch (cause) {
    if (!UNWRITTEN.test(codeOf(cause) ?? '')) throw cause;
    throw new ConfigError(
      `${to} cannot be written: ${messageOf(cause)}. The original is as it was. ` +
        'Make room on the disk of the copy and let this user write there, or name another folder',
      { file: to },
      { cause },
    );
  }
}

/**
 * Appends the restriction to the copy of a journal, at the time of its last entry: a run started on it, wherever it was put,
 * is restricted. Everything else stays unchanged, including the version, so that an older program can still read it.
 * @throws {ConfigError} when the journal has no entry, is of another version, or cannot be written
 */
export function restrictCopy(file: string, fact: JournalEventOf<'restricted'>): void {
  closing(openDatabase(file), (database) => {
    checkVersion(database, file);
    atFile(file, () => {
      const last = database
        .prepare<[], Pick<Row, 'seq' | 'at' | 'sum'>>(
          'SELECT seq, at, sum FROM entries ORDER BY seq DESC LIMIT 1',
        )
        .get();
      if (!last) throw new ConfigError(`${file} has no entry: there is nothing to back up`, { file });
      const row = rowAfter(last, { at: epochMs(last.at), fact });
      inserterOf(database)(row);
      requireRestrictions(database);
      const head = headWriter(file);
      head.note(row);
      head.close();
    });
  });
  syncPath(file);
}

/** SHA-256 of a file, in hex, and its size in bytes. @throws the system's error */
export function digestOf(file: string): Readonly<{ bytes: number; sha256: string }> {
  const sum = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK);
  return onDescriptor(openSync(file, 'r'), (descriptor) => {
    let bytes = 0;
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      sum.update(chunk.subarray(0, read));
      bytes += read;
    }
    return { bytes, sha256: sum.digest('hex') };
  });
}
