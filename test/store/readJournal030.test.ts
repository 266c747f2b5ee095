import { chmodSync, cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { AccountState } from '../../src/domain/account/accountState.ts';
import { readJournal } from '../../src/store/readJournal.ts';
import { drover } from '../cli/support/commandLine.ts';
import { booksSnapshot, type BooksSnapshot } from '../fixtures/booksSnapshot.ts';

const FIXTURES = ['journal-0.3.0', 'journal-0.3.0-resumed'].map(
  (name) => [name, fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))] as const,
);

/** A copy of a fixture, because SQLite writes next to a journal even to read it. */
function copyOf(fixture: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'drover-journal-'));
  cpSync(fixture, dir, { recursive: true });
  chmodSync(join(dir, 'state'), 0o700);
  return dir;
}

/** Runs a journal command on the copy, with the config that wrote the journal. */
const journal = (dir: string, command: string) =>
  drover(['journal', command, '--config', join(dir, 'config.yaml'), '--json'], { cwd: dir });

describe.each(FIXTURES)('the stored fixture %s', (_name, fixture) => {
  test('gives the same account state as with 0.3.0', () => {
    const reader = readJournal(join(copyOf(fixture), 'state', 'journal.sqlite'));
    const books = new AccountState();
    for (const entry of reader.lines()) books.apply(entry);
    reader.close();
    const then = JSON.parse(readFileSync(join(fixture, 'books.json'), 'utf8')) as BooksSnapshot;
    const now = booksSnapshot(books);
    expect(now).toMatchObject(then);
    expect(Object.keys(now.orders)).toEqual(Object.keys(then.orders));
    expect(Object.keys(now.ledger)).toEqual(Object.keys(then.ledger));
  });

  test('passes `journal verify`', async () => {
    const { code, err } = await journal(copyOf(fixture), 'verify');
    expect([code, err]).toEqual([0, '']);
  });

  test('replays to the same decisions', async () => {
    const { code, out, err } = await journal(copyOf(fixture), 'replay');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ parting: null });
  });
});
