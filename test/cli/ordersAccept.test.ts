import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFile } from '../../src/cli/run/journal.ts';
import { parseCash, parseShares } from '../../src/core/amount.ts';
import { Books } from '../../src/domain/books.ts';
import type { Entry, Fact } from '../../src/domain/fact.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { readJournal } from '../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { SENT } from '../domain/orders.ts';
import { link, startOneUser, user as wallet } from './support/oneUser.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}`;

const openBuy = (digit: string) => ({
  ...{ ...link(SENT / 1000), txHash: hash(digit), status: 'Open' },
  openOrder: {
    ...{ orderId: hash(digit), userAddress: wallet, side: 'Buy', type: 'Limit', tif: 'DAY' },
    ...{ symbol: 'AAPL', placeQuantity: '5', placePrice: '200', pay: '100', status: 'placing' },
  },
});

/** A journal that a run of yesterday has begun. */
function stateOf(): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  const amount = parseCash('5000.25');
  const facts: Fact[] = [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash: amount, equity: amount, holdings: [[ticker('AAPL'), parseShares('2.5')]] },
  ];
  journal.commit(facts.map((fact) => ({ at: SENT, fact })));
  journal.close();
  return state;
}

function externalsIn(state: string) {
  const books = new Books();
  const reader = readJournal(journalFile(state));
  for (const entry of reader.lines() as Iterable<Entry>) books.apply(entry);
  reader.close();
  return books.externals;
}

test('orders of others are accepted by name, with a reason that the journal keeps', async () => {
  const drover = await startOneUser();
  drover.writeConfig('', { mode: 'live' });
  drover.answers['GET /api/v1/orders'] = () => ({ total: 2, rows: [openBuy('a'), openBuy('b')] });
  const state = stateOf();
  const accept = (...argv: string[]) => drover.run('orders', 'accept', ...argv, '--state', state);

  expect(await accept(hash('a'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason') as string,
  });
  const unknown = await accept(hash('c'), '--reason', 'mine');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining(`${hash('a')}, ${hash('b')} do`)]);
  expect(externalsIn(state).all.size).toBe(0);

  const one = await accept(hash('a'), '--reason', 'placed by hand');
  expect([one.code, one.out]).toEqual([
    0,
    expect.stringContaining(`accepted: ${hash('a')} (buy AAPL, open)`),
  ]);
  expect([...externalsIn(state).unaccepted.keys()]).toEqual([hash('b')]);
  const shown = await drover.run('journal', 'show', '--kind', 'externalAccepted', '--state', state);
  expect(shown.out).toContain('placed by hand');
  expect((await accept(hash('a'), hash('b'), '--reason', 'again')).code).toBe(2);
  expect((await accept(hash('b').toUpperCase().replace('0X', '0x'), '--reason', 'too', '--json')).code).toBe(
    0,
  );
  expect(externalsIn(state).unaccepted.size).toBe(0);
  await drover.venue.close();
});
