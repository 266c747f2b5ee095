import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFile } from '../../src/cli/run/journal.ts';
import { parseCash, parseShares } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { anOrder, SENT } from '../domain/orders.ts';
import { startOneUser } from './support/oneUser.ts';

/** A journal that has `cash` mUSD and 2.5 AAPL, as the venue has with 5000.25. */
function journalWith(cash: string, planned = false): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  const amount = parseCash(cash);
  const opened = { kind: 'opened', cash: amount, equity: amount } as const;
  journal.commit([
    { at: SENT, fact: { ...opened, holdings: [[ticker('AAPL'), parseShares('2.5')]] } },
    { at: SENT, fact: { kind: 'allocated', owner: 'alpha', amount: parseCash('2000') } },
    ...(planned ? [{ at: SENT, fact: { kind: 'planned', order: anOrder() } } as const] : []),
  ]);
  journal.close();
  return state;
}

test('both sides are shown, and the exit code tells whether they agree', async () => {
  const user = await startOneUser();
  user.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  user.writeConfig('', { mode: 'live' });
  const same = await user.run('reconcile', '--state', journalWith('5000.25', true), '--json');
  expect(same.code).toBe(0);
  expect(JSON.parse(same.out)).toMatchObject({
    clean: true,
    balances: [{ asset: 'mUSD', ledger: '5000.25', venue: '5000.25' }, { asset: 'AAPL', ledger: '2.5' }, {}],
    orders: [{ order: 'w1.1', ledger: 'planned', venue: null }],
  });
  const other = await user.run('reconcile', '--state', journalWith('5001'));
  expect(other.code).toBe(1);
  expect(other.out).toContain('mUSD: the ledger expects 5001, the venue has 5000.25');
  expect(user.sent().every((line) => line.startsWith('GET '))).toBe(true);
});
