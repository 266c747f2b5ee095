import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { ConfigError } from '../core/errors.ts';
import type { Tip } from './chain.ts';
import { atFile, damaged } from './trouble.ts';

/** One write of one sector: it is there whole or not at all. */
const LENGTH = 64;

/** Where the last commit of a journal is noted outside of it. */
export const headFile = (file: string): string => `${file}-head`;

/** What was noted last; null when nothing was, or not as a note. @throws {ConfigError} when the file cannot be read */
export function readHead(file: string): Tip | null {
  const name = headFile(file);
  if (!existsSync(name)) return null;
  const text = atFile(name, () => readFileSync(name, 'latin1'));
  const [, seq, sum] = /^(\d{1,15}) (\S*) *\n$/.exec(text) ?? [];
  return seq === undefined || sum === undefined ? null : { seq: Number(seq), sum };
}

/**
 * Compares the end of a journal with what was noted last, which it gives back.
 * @throws {ConfigError} when more had been written, or the note cannot be read
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
 * Notes after each commit how far the journal goes, so that a file cut short, an older copy or one without its
 * write-ahead log is known for what it is. Not synced: after a power loss the note may be older than the journal, never
 * newer.
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
        // An older note is as true, and the journal itself has what counts.
      }
    },
    close: () => closeSync(descriptor),
  };
}
