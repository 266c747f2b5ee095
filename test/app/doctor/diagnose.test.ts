/** @module-tag heavy */
import { appendFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { parseCash, parsePrice, parseShares } from '../../../src/core/amount.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { AccountJournal } from '../../domain/accountJournal.ts';
import { AAPL, SENT } from '../../domain/orders.ts';
import { drover } from '../../cli/support/commandLine.ts';
import { cwd, link, startOneUser } from '../../cli/support/oneUser.ts';
import { declined } from '../../cli/support/venueStub.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
});
afterEach(() => one.venue.close());

const verdicts = (out: string) =>
  Object.fromEntries(
    (JSON.parse(out) as { check: string; verdict: string }[]).map(({ check, verdict }) => [check, verdict]),
  );

test('doctor passes every check on a sound live config', async () => {
  one.writeConfig('', { mode: 'live' });
  const { code, out } = await one.run('doctor', '--probe', '--json');
  expect(code).toBe(0);
  expect(verdicts(out)).toMatchObject({
    config: 'ok',
    venue: 'ok',
    clock: 'ok',
    'signed read': 'ok',
    permission: 'ok',
    binding: 'ok',
    'one click': 'ok',
    balance: 'ok',
    'order list': 'ok',
    strategies: 'ok',
    symbols: 'ok',
    limits: 'ok',
    'probe /api/v1/orders': 'ok',
    'probe /api/v1/symbols': 'ok',
  });
});

test('doctor fails for a state folder that cannot be made', async () => {
  one.writeConfig('', { mode: 'dry-run' });
  const file = join(cwd, 'my.yaml');
  // Nothing can lie in a file.
  appendFileSync(file, 'state: my.yaml/state\n');
  const { code, out } = await one.run('doctor', '--json');
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'state');
  expect(found).toMatchObject({ verdict: 'fail', mistake: true });
  expect(code).toBe(2);
});

test('doctor needs only a read key when nothing will be sent', async () => {
  one.writeConfig('', { mode: 'dry-run' });
  const { code } = await one.run('doctor');
  expect(code).toBe(0);
  expect(one.sent().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('doctor fails for a read-only key, for delegation that is off and for an unlisted symbol', async () => {
  one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
  one.delegation.enabled = false;
  one.answers['POST /api/v1/1ct/prepare'] = () => declined(401, 'unauthorized');
  one.answers['GET /api/v1/1ct/status'] = () => declined(401, 'unauthorized');
  const { code, out } = await one.run('doctor', '--json');
  expect(code).toBe(3);
  expect(out).toContain('It may be the key, the secret, the scope, the address or the clock"');
  expect(verdicts(out)).toMatchObject({
    permission: 'fail',
    'one click': 'fail',
    symbols: 'fail',
    binding: 'ok',
  });
});

test('doctor fails for an API key of another wallet', async () => {
  const other = `0x${'9'.repeat(40)}`;
  one.answers['GET /api/v1/users/' + other] = () => ({ userId: other, userAddress: other });
  one.writeConfig('', { mode: 'live', userAddress: other });
  const { code, out } = await one.run('doctor', '--json');
  const found = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'binding');
  expect([code, found]).toMatchObject([
    3,
    { verdict: 'fail', detail: expect.stringMatching(/^the venue has 0x\w+ for this key$/) as string },
  ]);
});

test('doctor lists the possible causes when the venue only says unauthorized', async () => {
  one.answers['GET /api/v1/symbols'] = () => declined(401, 'unauthorized');
  const { code, out } = await one.run('doctor');
  expect(code).toBe(3);
  expect(out).toMatch(
    /fail +signed read .*does not accept the key, and does not say why\. It is not the clock/,
  );
  expect(out).toContain('key (env DROVER_API_KEY) and secret (env DROVER_API_SECRET)');
  expect(out).toContain('whitelist');
  expect(out).toContain('chain 143 and ProductA, in exactly this spelling');
  expect(one.venue.requests).toHaveLength(1);
});

test('doctor fails for an order list that is not newest first', async () => {
  one.answers['GET /api/v1/orders'] = () => ({ total: 2, rows: [link(1_781_530_000), link(1_781_530_060)] });
  expect(verdicts((await one.run('doctor', '--json')).out)['order list']).toBe('fail');
});

test('doctor --probe fails in mode emulator, where there is no venue to probe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  const { code, out } = await drover(['doctor', '--probe'], { cwd: folder });
  expect(code).toBe(2);
  expect(out).toContain('nothing was probed: in mode emulator the venue exists only within the run');
});

test('doctor --probe names unknown fields and words', async () => {
  one.answers['GET /api/v1/orders'] = () => ({
    total: 1,
    rows: [{ ...link(1_781_530_000), status: 'Parked', colour: 'red' }],
  });
  const { out } = await one.run('doctor', '--probe', '--json');
  const found = (JSON.parse(out) as { check: string; detail: string }[]).find(
    ({ check }) => check === 'probe /api/v1/orders',
  );
  expect(found?.detail).toBe('unknown field rows[].colour; unknown word "Parked" in status');
});

test('doctor --probe says how to map a renamed field, in the config and as JSON', async () => {
  one.answers['GET /api/v1/deferred-sell/debts'] = () => [
    { stockAddress: `0x${'55'.repeat(20)}`, stockSymbol: 'AAPL', quantityOwed: '1' },
  ];
  const { out } = await one.run('doctor', '--probe', '--json');
  const found = (JSON.parse(out) as { check: string }[]).find(
    ({ check }) => check === 'assumption fields.debt',
  );
  const edit = 'venue:\n  assumptions:\n    fields:\n      debt: { debtQuantity: quantityOwed }';
  expect(found).toMatchObject({
    verdict: 'warn',
    detail: 'differs: a row of /deferred-sell/debts has no debtQuantity; it has quantityOwed',
    assumption: { entry: 'fields.debt', state: 'differs', edit },
  });
  const text = (await one.run('doctor', '--probe')).out;
  expect(text).toMatch(/venue:\n +assumptions:\n +fields:\n +debt: \{ debtQuantity: quantityOwed \}/);
  one.writeConfig('assumptions: { fields: { debt: { debtQuantity: quantityOwed } } }');
  expect((await one.run('doctor', '--probe')).out).toMatch(
    /assumption fields\.debt +as assumed: stockAddress/,
  );
});

test('doctor --probe names every renamed, missing or new field with its endpoint', async () => {
  const operation = { operationId: 'op', amount: 1, status: 'success' };
  const moved = { ...link(1_781_530_000), operationType: 'deposit', status: 'success' };
  Object.assign(one.answers, {
    'GET /api/v1/config': () => ({
      cashierBuffer: {},
      exchangeFeeConfig: { mintBps: 10 },
      cashierTokenConfig: [],
    }),
    'GET /api/v1/cash/deposits': () => ({ total: 1, rows: [{ ...moved, depositOperation: operation }] }),
    'GET /api/v1/cash/withdrawals': () => ({ total: 1, rows: [{ ...moved, operationType: 'cash_out' }] }),
    'GET /api/v1/stock/deposits': () => ({ count: 0, list: [] }),
    'GET /api/v1/stock/withdrawals': () => ({
      total: 1,
      rows: [{ ...moved, stock: operation, status: 'done' }],
    }),
    'GET /api/v1/deferred-sell/debts': () => [{ stock: 'AAPL', debt: '1' }],
    'GET /api/v1/corporate-action': () => [{ symbol: 'AAPL', type: 'merger', exDate: '2026-06-15' }],
    'GET /api/v1/1ct/status': () => ({ status: 'on', proxy: '0x' }),
  });
  const { out } = await one.run('doctor', '--probe', '--json');
  const found = Object.fromEntries(
    (JSON.parse(out) as { check: string; verdict: string; detail: string }[]).map(
      ({ check, verdict, detail }) => [check.replace('probe /api/v1', ''), `${verdict}: ${detail}`],
    ),
  );
  expect(found['/config']).toMatch(
    /^warn: unknown field exchangeFeeConfig\.mintBps; missing field cashierBuffer\.credit/,
  );
  expect(found['/cash/deposits']).toMatch(/missing field rows\[\]\.depositOperation\.createTxHash/);
  expect(found['/cash/withdrawals']).toBe('warn: unknown word "cash_out" in operationType');
  expect(found['/stock/deposits']).toMatch(/^warn: total: .*; rows: /);
  expect(found['/stock/withdrawals']).toBe('warn: unknown field rows[].stock; unknown word "done" in status');
  expect(found['/deferred-sell/debts']).toMatch(/^warn: \[\]: stockAddress: /);
  expect(found['/corporate-action']).toMatch(/missing field \[\]\.recordDate.*unknown word "merger" in type/);
  expect(found['/1ct/status']).toBe(
    'warn: unknown field proxy; missing field delegatee; unknown word "on" in status',
  );
  expect(found['/users/{userId}']).toBe('ok: as expected');
});

test('doctor fails for a venue that cannot be reached', async () => {
  await one.venue.close();
  const { code, out } = await one.run('doctor', '--json');
  expect([code, verdicts(out)]).toMatchObject([3, { venue: 'fail', config: 'ok', limits: 'ok' }]);
});

test('doctor says how dividends came according to the journal, or plainly that none has been seen', async () => {
  one.writeConfig('', { mode: 'live' });
  const dividends = async () => {
    const { out } = await one.run('doctor', '--json');
    const all = JSON.parse(out) as Readonly<{ check: string; verdict: string; assumption?: unknown }>[];
    return all.filter(({ check }) => check.endsWith('dividends'));
  };
  expect(await dividends()).toMatchObject([
    { verdict: 'ok', assumption: { entry: 'dividends', state: 'unchecked', edit: null } },
  ]);
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  appendFileSync(join(cwd, 'my.yaml'), `state: ${state}\n`);
  const account = new AccountJournal().open('3000', [[AAPL, '10', '100']]).on('2026-02-17', '09:30');
  account.entitle('0.5', '2026-03-02');
  account.add({ kind: 'quotes', prices: [[AAPL, parsePrice('100')]] }).on('2026-03-02');
  const grown = { expected: parseShares('10'), actual: parseShares('10.05') };
  account.add({ kind: 'difference', asset: AAPL, ...grown });
  const journal = openSqliteJournal(journalFile(state));
  journal.commit(account.entries);
  journal.close();
  const edit = 'stocks:\n  AAPL: { dividends: tokens }';
  expect(await dividends()).toMatchObject([
    { verdict: 'warn', assumption: { entry: 'stocks.AAPL.dividends', state: 'differs', edit } },
  ]);
  expect((await one.run('doctor')).out).toMatch(
    /assumption stocks\.AAPL\.dividends +differs: tokens, and cash is assumed: .*the balance grew by 0\.05 AAPL on 2026-03-02/,
  );
});

/** A journal in which `alpha` was given 2000 of an account of `cash`, and a config whose only strategy has 1000. */
function runBefore(cash: string): void {
  one.writeConfig('', { mode: 'live' });
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  appendFileSync(join(cwd, 'my.yaml'), `state: ${state}\n`);
  const journal = openSqliteJournal(journalFile(state));
  const facts: JournalEvent[] = [
    { kind: 'opened', cash: parseCash(cash), equity: parseCash(cash), holdings: [] },
    { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
  ];
  journal.commit(facts.map((fact) => ({ at: SENT, fact })));
  journal.close();
}

test.each([
  ['2500', 2, { verdict: 'fail', mistake: true }],
  ['3000', 0, { verdict: 'ok' }],
] as const)(
  'doctor judges capital as a start would, with %s mUSD in the ledger',
  async (cash, code, finding) => {
    runBefore(cash);
    const done = await one.run('doctor', '--json');
    const found = (JSON.parse(done.out) as { check: string; detail: string }[]).find(
      ({ check }) => check === 'balance',
    );
    expect([done.code, found]).toMatchObject([code, finding]);
    if (code === 2)
      expect(found?.detail).toMatch(
        /one is given 1000 mUSD, but can have at most 500\. Lower its capital; strategy alpha, .* gives back 2000 mUSD/,
      );
  },
);
