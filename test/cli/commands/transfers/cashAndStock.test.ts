import { afterEach, beforeEach, expect, test } from 'vitest';
import { drover, typing } from '../../support/commandLine.ts';
import { declined } from '../../support/venueStub.ts';
import {
  allow,
  balance,
  cashToken,
  operation,
  startMovingUser,
  txHash,
  usdc,
} from '../../support/movingUser.ts';
import { cwd, env, user } from '../../support/oneUser.ts';
import { booksIn } from '../../support/stateFolder.ts';

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => {
  one = await startMovingUser();
});
afterEach(() => one.venue.close());
const sends = () => one.sends();

test('a deposit is shown, sent once, and kept in a state folder of the wallet', async () => {
  const { code, out, err } = await one.run('cash', 'deposit', '100', '--yes', '--no-wait', '--json');
  expect([code, sends()], err).toEqual([0, ['POST /api/v1/cash/deposits/send']]);
  expect(JSON.parse(out)).toMatchObject({ operation: 'deposit', txHash, status: 'sent', amount: '100' });
  expect(err).toMatch(/Deposit 100 USDC[^]*credit +100.00 mUSD\n +fee +0.00 mUSD\n +credited +at once/);
  const [, folder = ''] = /sends of this wallet are recorded in (\S+) \(--state\)/.exec(err) ?? [];
  expect(folder).toContain(user.toLowerCase());
  expect([...booksIn(folder).transfers.all.values()]).toMatchObject([
    { state: { kind: 'acknowledged', txHash } },
  ]);
});

test('a deposit that fails ends with exit 1', async () => {
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 1, rows: [operation('failed')] });
  expect((await one.run('cash', 'deposit', '100', '--yes')).code).toBe(1);
});

test('a send without an answer is never repeated, not even by the next command', async () => {
  one.answers['POST /api/v1/cash/deposits/send'] = () => declined(500, 'transaction may be on its way');
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 0, rows: [] });
  const { code, err } = await one.run('cash', 'deposit', '100', '--yes', '--no-wait');
  expect([code, sends()]).toEqual([3, ['POST /api/v1/cash/deposits/send']]);
  expect(err).toContain('`drover resolve op-1 --reason TEXT --config my.yaml` closes it on your word');
  const again = await one.run('cash', 'deposit', '100', '--yes', '--no-wait');
  expect([again.code, sends()]).toEqual([4, ['POST /api/v1/cash/deposits/send']]);
  expect(again.err).toContain('another transfer of it is under way');
});

test('a deposit refused for a used nonce is not repeated: it may have been delivered twice', async () => {
  one.answers['POST /api/v1/cash/deposits/send'] = () => declined(401, 'unauthorized');
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 0, rows: [] });
  const { code, err } = await one.run('cash', 'deposit', '100', '--yes', '--no-wait');
  expect([code, sends()]).toEqual([3, ['POST /api/v1/cash/deposits/send']]);
  expect(err).toContain('it may or may not have it');
  const again = await one.run('cash', 'deposit', '100', '--yes', '--no-wait');
  expect([again.code, sends()]).toEqual([4, ['POST /api/v1/cash/deposits/send']]);
});

test('waiting can be interrupted, and says how to continue', async () => {
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 1, rows: [operation('processing')] });
  const stop = new AbortController();
  stop.abort('SIGINT');
  const argv = ['cash', 'deposit', '100', '--yes', '--config', 'my.yaml'];
  const { code, err } = await drover(argv, { env, cwd, signal: stop.signal });
  expect(code).toBe(130);
  expect(err).toContain('the next command or run on this state folder goes on with it');
});

test('a transfer needs a confirmation, and without a terminal --yes', async () => {
  const argv = ['cash', 'deposit', '100', '--no-wait', '--config', 'my.yaml'];
  const nobody = await drover(argv, { env, cwd });
  expect([nobody.code, sends()]).toEqual([2, []]);
  expect(nobody.err).toContain('Pass --yes to send without asking');
  const no = typing('n');
  expect((await drover(argv, { env, cwd, keyboard: no })).code).toBe(130);
  expect([no.asked, sends()]).toEqual([['Do it? [y/N] '], []]);
  expect((await drover(argv, { env, cwd, keyboard: typing('y') })).code).toBe(0);
});

test.each<[argv: string, group: string]>([
  ['cash deposit 100', 'deposits'],
  ['cash withdraw 100', 'withdrawals'],
  ['stock deposit AAPL 1', 'stockMoves'],
  ['stock withdraw AAPL 1', 'stockMoves'],
  ['debt repay AAPL 1', 'repay'],
  ['orders place AAPL buy --market --notional 5 --with-deposit 90', 'deposits'],
  [`orders record ${txHash}`, 'record'],
  ['oneclick enable', 'delegation'],
])('%s needs its signing group, and names the line to add', async (argv, group) => {
  allow('unlisted');
  const { code, err } = await one.run(...argv.split(' '));
  expect([code, sends()]).toEqual([4, []]);
  expect(err).toContain(`signing: { allow: [unlisted, ${group}] }`);
});

test.each<[argv: string, told: string, code: number]>([
  ['cash deposit 1e2', 'AMOUNT: "1e2" is not a plain decimal number', 2],
  ['cash deposit 100.1234567', 'USDC has 6 decimals, and the amount has more', 4],
  ['cash deposit 0', 'AMOUNT must be more than 0', 2],
  ['cash deposit 50', 'a deposit must be at least 90 USDC', 4],
  ['cash deposit 400', 'the wallet has 300, and 400 is needed', 4],
  ['cash deposit 100 --token EUR', 'EUR is not a cash token here. Name one with --token: USDC', 2],
  ['cash withdraw 6000', '6000 mUSD to withdraw, 5000.25 unallocated', 4],
  ['stock deposit AAPL 2', 'the wallet has 1, and 2 is needed', 4],
  ['stock deposit AAPL 1', 'drover wallet approve AAPL 1', 4],
  ['stock deposit APPL 1', 'APPL is not listed at this venue. Did you mean AAPL?', 2],
  ['stock withdraw AAPL 3', '3 AAPL to withdraw, 2.5 unallocated', 4],
  ['debt repay AAPL 1', '0 AAPL is owed: repay no more than that', 4],
  ['orders place AAPL hold --market --notional 5', 'hold is not a side', 2],
  ['orders place AAPL buy --notional 5', 'pass --market or --limit PRICE', 2],
  ['orders place AAPL buy --market --limit 5 --quantity 1', 'and not both', 2],
  ['orders place AAPL buy --market --quantity 1', 'a market buy needs --notional', 2],
  ['orders place AAPL sell --limit 5 --notional 1', 'a limit order needs --quantity', 2],
  ['orders place AAPL buy --limit 5 --quantity 1 --deferred', 'only a sell can be --deferred', 2],
  ['orders place AAPL sell --limit 5 --quantity 1 --deferred', 'a --deferred sell is at the market', 2],
  ['orders place AAPL buy --limit 5.001 --quantity 1', 'the limit of AAPL must be a multiple of 0.01', 2],
  ['orders place AAPL buy --limit 5 --quantity 1000', 'needs 5005.5 mUSD, has 5000.25 free', 4],
  ['orders place AAPL sell --limit 5 --quantity 3', '3 AAPL to sell, 2.5 free', 4],
  ['orders place AAPL buy --limit 5 --quantity 1 --strategy one', 'no strategy one has money here', 2],
  ['orders cancel 12', 'an order is named by its id or the hash', 2],
])('%s is refused before anything is sent', async (argv, told, exit) => {
  const { code, err } = await one.run(...argv.split(' '), '--yes');
  expect([code, sends()]).toEqual([exit, []]);
  expect(err).toContain(told);
});

test('transfers that the venue has paused, not approved or switched off are refused with the reason', async () => {
  const told = async (...argv: string[]) => (await one.run(...argv, '--yes')).err;
  one.answers['GET /api/v1/config'] = () => ({
    cashierTokenConfig: [{ ...cashToken, depositPaused: true, withdrawPaused: true }],
  });
  expect(await told('cash', 'deposit', '100')).toContain('deposits of USDC are paused');
  expect(await told('cash', 'withdraw', '100')).toContain('withdrawals of USDC are paused');
  one.answers['GET /api/v1/config'] = () => ({ cashierTokenConfig: [cashToken] });
  one.answers[`GET /api/v1/users/${user}/balance`] = () => balance('300', '2.5', '99');
  expect(await told('cash', 'deposit', '100')).toContain('the wallet has approved 99 USDC');
  one.delegation.enabled = false;
  expect(await told('cash', 'withdraw', '100')).toContain(
    '`drover oneclick enable --config my.yaml` turns it on',
  );
  expect(sends()).toEqual([]);
});

test.each(['cash withdraw 100', 'orders place AAPL sell --limit 250 --quantity 1', 'wallet approve USDC 5'])(
  '%s is refused with the key of another wallet, before its plan',
  async (argv) => {
    const other = `0x${'9'.repeat(40)}`;
    Object.assign(one.answers, {
      [`GET /api/v1/users/${other}`]: () => ({ userId: other, userAddress: other }),
      [`GET /api/v1/users/${other}/balance`]: () => balance('300', '2.5'),
      'POST /api/v1/cash/withdrawals/send': () => ({ uuid: 'u', txHash }),
      'POST /api/v1/orders/send': () => ({ uuid: 'u', txHash }),
    });
    one.writeConfig(`spender: '${usdc}'`, { userAddress: other });
    allow('withdrawals');
    const { code, err } = await one.run(...argv.split(' '), '--yes', '--no-wait');
    expect([code, sends()]).toEqual([4, []]);
    expect(err).toContain(`the venue has ${user} for this key. Nothing was sent. Set venue.userAddress`);
    expect(err).not.toContain(`wallet ${other}`);
  },
);

test('a plan rounds the maximum payment up to the cent, and shows the price to the tick', async () => {
  const { err } = await one.run(...'orders place AAPL buy --limit 200.5 --quantity 0.004'.split(' '));
  expect(err).toMatch(/pays +0\.81 mUSD at most\n +fees +0\.01 mUSD of it\n +price now +200\.50 mUSD/);
  expect(sends()).toEqual([]);
});
