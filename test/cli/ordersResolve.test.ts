import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emulatorFolder } from '../../src/cli/run/claim.ts';
import { journalFile } from '../../src/cli/run/journal.ts';
import type { Entry, Fact } from '../../src/domain/fact.ts';
import { decode } from '../../src/store/codec.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { anOperation } from '../domain/operations.ts';
import { SENT } from '../domain/orders.ts';
import { atStart, MINUTE, Stage } from '../engine/stage.ts';
import { drover } from './support/commandLine.ts';

/** The state folder of a run that ended with an order whose answer was lost for ever. */
async function stuckRun(): Promise<string> {
  const stage = new Stage({ hooks: { solo: atStart((order) => order.buy('AAPL', { notional: '1000' })) } });
  stage.venue.fates.push('lostBefore');
  await stage.play(5 * MINUTE);
  await stage.stop();
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  journal.commit(stage.lines.map((line) => decode(line) as Entry));
  journal.close();
  return state;
}

test('an order that nobody can prove gone is shown, and closed only with --yes', async () => {
  const state = await stuckRun();
  const shown = await drover(['orders', 'resolve', 'solo-1.1', '--state', state]);
  expect(shown.out).toMatch(/order solo-1\.1 of solo.*buy AAPL for 1000/);
  expect(shown.out).toMatch(/--yes/);
  const closed = await drover(['orders', 'resolve', 'solo-1.1', '--state', state, '--yes']);
  expect(closed).toMatchObject({ code: 0 });
  const again = await drover(['orders', 'resolve', 'solo-1.1', '--state', state, '--yes']);
  expect(again).toMatchObject({ code: 4 });
  expect(again.err).toMatch(/is neverExisted/);
});

test('so is an operation of the treasury', async () => {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  const operation = anOperation();
  const facts: Fact[] = [
    { kind: 'operationPlanned', operation },
    { kind: 'operation', id: operation.id, event: { kind: 'sent', at: SENT } },
  ];
  journal.commit(facts.map((fact) => ({ at: SENT, fact })));
  journal.close();
  const shown = await drover(['orders', 'resolve', 'op-1', '--state', state]);
  expect(shown.out).toMatch(/op-1 of the treasury.*deposit .* cash/);
  expect(await drover(['orders', 'resolve', 'op-1', '--state', state, '--yes'])).toMatchObject({ code: 0 });
  const again = await drover(['orders', 'resolve', 'op-1', '--state', state, '--yes']);
  expect(again).toMatchObject({ code: 4 });
});

test('an order that is not there, and a folder without a journal, are told', async () => {
  const state = await stuckRun();
  const missing = await drover(['orders', 'resolve', 'solo-9.1', '--state', state]);
  expect(missing).toMatchObject({ code: 2 });
  expect(missing.err).toMatch(/no order solo-9\.1/);
  const empty = await drover([
    'orders',
    'resolve',
    'solo-1.1',
    '--state',
    mkdtempSync(join(tmpdir(), 'drover-')),
  ]);
  expect(empty.err).toMatch(/there is no journal in/);
});

test('a damaged journal stops a run before anything is opened', async () => {
  const state = await stuckRun();
  writeFileSync(journalFile(state), Buffer.alloc(8_192, 'x'));
  mkdirSync(emulatorFolder(state));
  const run = await drover(['run', '--state', state, '--speed', 'max', '--until', 'close']);
  expect(run.code).toBe(2);
  expect(run.err).toMatch(/damaged/);
});
