import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { epochMs } from '../../../../src/core/brand.ts';
import type { Truth } from '../../../../src/emulator/index.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { LOCKS, type Ran } from '../../support/commandLine.ts';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';

/** How long the chain holds transactions: longer than an order may wait. */
const HELD_MS = 240_000;
const PAST_DEADLINE_MS = 120_000;
const buy = ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '50', '--yes'];

/** // A stock whose last buy has not failed. */
const other = buy.map((word) => (word === 'AAPL' ? 'MSFT' : word));

let venue: Emulated;
let run: (...argv: string[]) => Promise<Ran>;
/** As `run`, by a user who stops the wait as soon as it begins. */
let interrupted: (...argv: string[]) => Promise<Ran>;
/** The node shows pending transactions, unless it acts as Monad's. */
const hold = (ms: number, client: 'geth' | 'monad' = 'geth') =>
  venue.control('/faults', { rules: [], mempoolMs: ms, node: { client } });
function hashIn({ out, err }: Ran): string {
  if (out === '') throw new Error(err);
  return (JSON.parse(out) as { txHash: string }).txHash;
}
const ordersWith = async (txHash: string) =>
  ((await venue.control('/truth')) as Truth).orders.filter((order) => order.txHash === txHash);

beforeAll(async () => {
  venue = await startEmulated(93);
  const account = accountOf(venue, 'calldata');
  run = (...argv) => account.run(argv);
  interrupted = (...argv) => {
    // Once the result is shown, the run still waits for pending reads.
    const passing = setInterval(venue.pass, 20);
    return account.run(argv, AbortSignal.abort('SIGINT')).finally(() => clearInterval(passing));
  };
});
afterAll(() => venue.close());
// Time stands still: requests of the previous test would use up the budget of this one.
beforeEach(() => venue.later(60_000));

test('a stuck transaction blocks the next send until wallet cancel has replaced it', async () => {
  await hold(HELD_MS);
  const stuck = hashIn(await interrupted(...buy));
  await venue.later(PAST_DEADLINE_MS);
  const next = await run(...buy);
  expect(next.code, next.err).toBe(4);
  const kept = readdirSync(LOCKS).map((name) => name.split('-')[0]);
  expect(kept, 'locks and nonces of a machine folder of its own').toEqual(
    expect.arrayContaining(['key', 'nonces', 'wallet']),
  );
  expect(next.err).toContain(`the wallet is stuck: nonce 0 (transaction ${stuck})`);
  expect(next.err).toContain('drover wallet cancel 0');

  const state = mkdtempSync(join(tmpdir(), 'drover-state-'));
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ at: epochMs(1_000), fact: { kind: 'epoch', epoch: 1 } }]);
  journal.close();
  const { code, out } = await run('wallet', 'cancel', '0', '--yes', '--state', state);
  const row = JSON.parse(out) as { txHash: string };
  expect(row).toMatchObject({ operation: 'cancel', nonce: 0, replaces: stuck, status: 'success' });
  expect(code).toBe(0);
  expect(await ordersWith(stuck)).toEqual([]);
  const shown = await run('journal', 'show', '--kind', 'nonceCancelled', '--state', state);
  expect(shown.out).toContain(`"replaces":"${stuck}"`);
  expect(shown.out).toContain(row.txHash);

  const again = await run('wallet', 'cancel', '0', '--yes');
  expect(again.code).toBe(2);
  expect(again.err).toContain('nonce 0 is used');
  await hold(0);
  expect((await run(...buy)).code).toBe(0);
});

test('a second cancel of one nonce sends the same bytes again', async () => {
  await hold(HELD_MS);
  const deposit = hashIn(await interrupted('cash', 'deposit', '100', '--yes'));
  const first = hashIn(await run('wallet', 'cancel', '2', '--yes', '--no-wait'));
  const second = await run('wallet', 'cancel', '2', '--yes', '--no-wait');
  expect(hashIn(second)).toBe(first);
  expect(second.err).toContain('which was signed earlier and is sent again');
  expect(second.err).not.toContain('signed: 0x');
  expect(first).not.toBe(deposit);
  expect(second.err).toContain(`offered again: transaction ${first} of an earlier send (nonce 2)`);
  const unknown = await run('wallet', 'cancel', '7', '--yes');
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('no transaction with nonce 7 was signed by this user on this machine');
});

test('the next order reuses the nonce of an expired one if the node hides pending transactions', async () => {
  await hold(0);
  await venue.later(HELD_MS * 2);
  await hold(HELD_MS, 'monad');
  const stuck = hashIn(await interrupted(...other));
  await venue.later(PAST_DEADLINE_MS);
  const next = hashIn(await interrupted(...other));
  expect(await ordersWith(stuck)).toEqual([]);
  expect(await ordersWith(next)).toHaveLength(1);
});
