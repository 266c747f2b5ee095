import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { drover } from '../../support/commandLine.ts';

/** A run that forgets the groups its submission needs: the bug from which the signing rules protect the key. */
vi.mock(import('../../../../src/app/environment/submission.ts'), async (original) => ({
  ...(await original()),
  groupsFor: () => [],
}));

const config = `submission: calldata
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a call that the signing rules deny within a run is journaled, alarmed and not signed', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  const until = ['--until', '2026-06-15T09:40', '--speed', 'max'];

  const { code, err, out } = await drover(['run', 'run.yaml', '--state', 'state', '--json', ...until], {
    cwd,
  });

  const journal = openSqliteJournal(journalFile(join(cwd, 'state')));
  const facts = [...journal.entries()].map(({ fact }) => fact);
  journal.close();
  expect(facts.filter(({ kind }) => kind === 'denied')).toContainEqual({
    kind: 'denied',
    method: 'POST',
    path: '/api/v1/orders/calldata',
    group: 'calldata',
  });
  expect(err).toMatch(/POST \/api\/v1\/orders\/calldata was not signed: 'calldata' is switched off/);
  expect([code, JSON.parse(out)]).toMatchObject([0, { orders: { sent: 0, unknown: 0 } }]);
});
