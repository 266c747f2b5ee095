import { onDescriptor, writeAll } from './trust.ts';
import { hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { epochMs } from '../core/brand.ts';
import { codeOf, messageOf, type ConfigError, SafetyError } from '../core/errors.ts';
import { orderOf, type JournalEntry, type SavedText } from '../domain/journalEvent.ts';
import { decodeEvent, encodeEvent, storedKind } from './storedNames.ts';
import { atFile, damaged, failureAt } from './sqlite/sqliteErrors.ts';
import type { Line } from './codec.ts';

/** Row of the table of entries. */
export type Row = Readonly<{
  seq: number;
  at: number;
  kind: string;
  order: string | null;
  body: string;
  /** Checksum over this row and all before it. */
  sum: string;
}>;

/** End of a journal: the number of its last row, and the checksum over all rows. */
export type Tip = Readonly<Pick<Row, 'seq' | 'sum'>>;

export const ORIGIN: Tip = { seq: 0, sum: '' };

/** Length of a checksum, 128 bits: enough against accidents. Against a writer of the file none helps without a key. */
const SUM_LENGTH = 22;

/** Length of a quotes checksum, 48 bits: the checksum of the next other row covers them too. */
const QUOTES_SUM_LENGTH = 8;

export function sumOf(before: Tip, { at, kind, order, body }: Omit<Row, 'seq' | 'sum'>): string {
  const text = `${before.sum}\n${before.seq + 1}\n${at}\n${kind}\n${order ?? ''}\n${body}`;
  return hash('sha256', text, 'base64').slice(0, SUM_LENGTH);
}

/** Stored checksum of a row of some kind. Schema 7 and before store quotes with full ones too. */
const storedSum = (sum: string, kind: string): string =>
  kind === 'quotes' ? sum.slice(0, QUOTES_SUM_LENGTH) : sum;

const isAsWritten = (row: Row, before: Tip): boolean => {
  const sum = sumOf(before, row);
  return row.sum === sum || row.sum === storedSum(sum, row.kind);
};

/** Row of an entry after `before`. */
export function rowAfter(before: Tip, { at, fact }: JournalEntry): Row {
  const row = { at, order: orderOf(fact), kind: storedKind(fact.kind), body: encodeEvent(fact) };
  return { seq: before.seq + 1, ...row, sum: storedSum(sumOf(before, row), row.kind) };
}

/**
 * Entry of a row written after `before`.
 * @throws {ConfigError} when a row is missing before it, or it was modified
 */
export function lineOf(row: Row, before: Tip, file: string): Line {
  const { seq } = row;
  if (seq !== before.seq + 1) throw damaged(file, `entry ${before.seq + 1} is missing`);
  if (!isAsWritten(row, before)) throw damaged(file, `entry ${seq} does not match its checksum`);
  return unchecked(row, file);
}

/** Entry of a row, without checking its predecessor. @throws {ConfigError} when it is unreadable */
export function unchecked({ seq, at, body }: Pick<Row, 'seq' | 'at' | 'body'>, file: string): Line {
  try {
    return { seq, at: epochMs(at), fact: decodeEvent(body) };
  } catch (cause) {
    throw damaged(file, `entry ${seq}: ${messageOf(cause)}`, cause);
  }
}

/** Length of the note in bytes: a single write within one sector is atomic. */
const LENGTH = 64;

/** File beside a journal that records its last commit. */
export const headFile = (file: string): string => `${file}-head`;

/**
 * Last recorded end of a journal; null if there is none or it is invalid. @throws {ConfigError} when the file cannot be
 * read
 */
export function readHead(file: string): Tip | null {
  const name = headFile(file);
  if (!existsSync(name)) return null;
  const text = atFile(name, () => readFileSync(name, 'latin1'));
  const [, seq, sum] = /^(\d{1,15}) (\S*) *\n$/.exec(text) ?? [];
  return seq === undefined || sum === undefined ? null : { seq: Number(seq), sum };
}

/**
 * Compares the end of a journal with the last note, and returns the note.
 * @throws {ConfigError} when the journal once had more entries, or the note cannot be read
 */
export function checkReached(tip: Tip, file: string): Tip | null {
  const noted = readHead(file);
  if (noted !== null && noted.seq > tip.seq) throw cutShort(file, tip, noted);
  return noted;
}

export const cutShort = (file: string, tip: Tip, noted: Tip): ConfigError =>
  damaged(
    file,
    `it ends at entry ${tip.seq}, but ${noted.seq} had been written: an older copy, or cut short`,
  );

/**
 * Notes the end of the journal after each commit, to detect a truncated file, an older copy or one without its write-ahead log.
 * Not synced: after a power loss the note may be older than the journal, never newer.
 * @throws {ConfigError} when the note cannot be written
 */
export function headWriter(file: string): { note(tip: Tip): void; close(): void } {
  const name = headFile(file);
  const descriptor = atFile(name, () => openSync(name, existsSync(name) ? 'r+' : 'w+', 0o600));
  return {
    note({ seq, sum }) {
      try {
        writeSync(descriptor, `${`${seq} ${sum}`.padEnd(LENGTH - 1)}\n`, 0, 'latin1');
      } catch {
        // An older note is valid too, and the journal itself is what counts.
      }
    },
    close: () => closeSync(descriptor),
  };
}

/** File beside a journal with its latest checkpoint. */
export const checkpointFile = (journal: string): string => `${journal}-checkpoint`;

/**
 * Text in a file that is replaced atomically, however the process ends. A failed write leaves the old text: only the duration of the
 * next start depends on it.
 */
export const savedTextIn = (file: string): SavedText => ({
  read() {
    try {
      return readFileSync(file);
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return null;
      throw failureAt(file, cause);
    }
  },
  write(text) {
    const fresh = `${file}.new`;
    try {
      writeSynced(fresh, text);
      renameSync(fresh, file);
    } catch {
      rmSync(fresh, { force: true });
    }
  },
});

function writeSynced(file: string, bytes: Uint8Array): void {
  onDescriptor(openSync(file, 'w', 0o600), (descriptor) => {
    writeAll(descriptor, bytes);
    fsyncSync(descriptor);
  });
}

/** Size of a file in bytes; 0 when there is none. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Files beside a journal that only a run that has written to it leaves behind: `marker`, written after the first commit, the
 * note of the journal's end, and a write-ahead log without its journal.
 */
function tracesOf(file: string, marker: string): string[] {
  const log = `${file}-wal`;
  return [
    ...(existsSync(marker) ? [marker] : []),
    ...(readHead(file) === null ? [] : [headFile(file)]),
    ...(sizeOf(log) > 0 ? [log] : []),
  ];
}

/** True for a journal that is missing or empty although a run has written it. `marker`: see `tracesOf`. */
export const isLost = (file: string, marker: string): boolean =>
  sizeOf(file) === 0 && tracesOf(file, marker).length > 0;

/**
 * Refuses to start a new journal if there was one: its orders and positions are lost, and a new start would buy again.
 * @throws {SafetyError} when the file is gone or empty, but files beside it show an earlier run
 */
export function requireKept(file: string, marker: string): void {
  if (isLost(file, marker)) throw lostJournal(file, tracesOf(file, marker));
}

/** Refusal to start again in a folder where `traces` show an earlier run. */
export function lostJournal(file: string, traces: readonly string[]): SafetyError {
  const folder = dirname(file);
  const what = !existsSync(file) ? 'missing' : sizeOf(file) === 0 ? 'empty' : 'without an entry';
  return new SafetyError(
    `${folder} has lost its journal: ${basename(file)} is ${what}, and a run has been here (${traces.map((path) => basename(path)).join(', ')}). ` +
      'Its orders and positions are not known any more, and a new start would trade them again. Nothing was sent. ' +
      'Put back the latest backup of the whole folder; or let `drover journal recover` begin a new journal from what the venue ' +
      'shows; or name another folder (--state DIR) for a run that starts from nothing',
    { file },
  );
}
