import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFile } from '../../../../src/cli/environment/ownership.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { SENT } from '../../../domain/orders.ts';
import { drover } from '../../support/commandLine.ts';

const state = mkdtempSync(join(tmpdir(), 'drover-'));
const journal = openSqliteJournal(journalFile(state));
journal.commit([
  { at: SENT, fact: { kind: 'epoch', epoch: 1 } },
  { at: SENT, fact: { kind: 'halted', why: 'a test' } },
]);
journal.close();

const show = (...argv: string[]) => drover(['journal', 'show', '--state', state, '--json', ...argv]);
const messageIn = (err: string) => (JSON.parse(err) as { error: { message: string } }).error.message;

test('--kind shows the entries of that kind, which may be none', async () => {
  const { code, out } = await show('--kind', 'halted');
  expect([code, JSON.parse(out)]).toMatchObject([0, { seq: 2, kind: 'halted', why: 'a test' }]);
  expect(await show('--kind', 'walletOpened')).toMatchObject({ code: 0, out: '' });
});

test('a kind that no entry can be of is wrong usage, which names those there are', async () => {
  for (const kind of ['bogus', 'toString']) {
    const { code, out, err } = await show('--kind', kind);
    expect(messageIn(err)).toMatch(
      new RegExp(
        `^--kind: there is no kind "${kind}"\\. There are epoch, ended, .*, planned, order, .*, timer$`,
      ),
    );
    expect([code, out]).toEqual([2, '']);
  }
  expect(messageIn((await show('--kind', 'Plannd')).err)).toContain(
    '"Plannd". Did you mean planned? There are',
  );
});
