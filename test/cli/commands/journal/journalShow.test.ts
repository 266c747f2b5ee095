import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFile } from '../../../../src/cli/environment/ownership.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { SENT } from '../../../domain/orders.ts';
import { SYNTHETIC_EVENTS } from '../../../store/syntheticEvents.ts';
import { drover } from '../../support/commandLine.ts';

const state = mkdtempSync(join(tmpdir(), 'drover-'));
const journal = openSqliteJournal(journalFile(state));
journal.commit([
  { at: SENT, fact: { kind: 'epoch', epoch: 1 } },
  { at: SENT, fact: { kind: 'halted', why: 'a test' } },
]);
const { syntheticPlaced, syntheticMoved, syntheticEnded } = SYNTHETIC_EVENTS;
journal.commit(
  [...syntheticPlaced, ...syntheticMoved, ...syntheticEnded].map((fact) => ({ at: SENT, fact })),
);
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
        `^--kind: there is no kind "${kind}"\\. There are epoch, ended, .*, planned, order, .*, timer, .*$`,
      ),
    );
    expect([code, out]).toEqual([2, '']);
  }
  expect(messageIn((await show('--kind', 'Plannd')).err)).toContain(
    '"Plannd". Did you mean planned? There are',
  );
});

test('what the bot holds is told in plain words, and in JSON with every field', async () => {
  const { out } = await drover(['journal', 'show', '--state', state]);
  const lines = out.split('\n').flatMap((line) => /synthetic\w+ +(.*)/.exec(line)?.[1] ?? []);
  expect(lines).toEqual([
    'alpha-2 of alpha: stop at 1 of all AAPL (told), held by the bot, not by the venue',
    'alpha-2 of alpha: bracket: buy AAPL for 1 (told), held by the bot, not by the venue; expires 2026-06-15T14:30:00Z; ' +
      'triggered by quotes of pre, regular; tag dip',
    'alpha-2 of alpha: buy AAPL for 1 as 10 % of the volume, at most at 1 (told), held by the bot, not by the venue',
    'alpha-2: stop 1.00, highest price 1.00',
    'alpha-2: triggered, its stop was touched, price 1.00',
    'alpha-2: is to end as cancelled: told',
    'alpha-2: may trade 1 shares in all, by the volume until 2026-06-15T14:30:00Z',
    'alpha-2 has ended: done, sold 1',
  ]);
  const { out: json } = await show('--kind', 'syntheticEnded');
  expect(JSON.parse(json)).toMatchObject({ kind: 'syntheticEnded', id: 'alpha-2', how: 'done' });
});
