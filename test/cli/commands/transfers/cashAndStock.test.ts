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

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => {
  one = await startMovingUser();
});
afterEach(() => one.venue.close());
const sends = () => one.sends();

test('a deposit is shown, sent once and followed to its end', async () => {
  const { code, out, err } = await one.run('cash', 'deposit', '100', '--yes', '--json');
  expect([code, sends()]).toEqual([0, ['POST /api/v1/cash/deposits/send']]);
  expect(JSON.parse(out)).toMatchObject({
    operation: 'deposit',
    txHash,
    status: 'success',
    credit: '100',
    instant: true,
  });
  expect(err).toContain('Deposit 100 USDC');
  expect(err).toMatch(/credited +at once/);
});

test('a deposit that fails ends with exit 1, and one with --no-wait is not followed', async () => {
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 1, rows: [operation('failed')] });
  expect((await one.run('cash', 'deposit', '100', '--yes')).code).toBe(1);
  const sent = await one.run('cash', 'deposit', '100', '--yes', '--no-wait', '--json');
  expect([sent.code, JSON.parse(sent.out)]).toMatchObject([0, { status: 'sent', txHash }]);
});

test('a deposit without a response is never repeated, and says how to check', async () => {
  one.answers['POST /api/v1/cash/deposits/send'] = () => declined(500, 'transaction may be on its way');
  const { code, err } = await one.run('cash', 'deposit', '100', '--yes');
  expect([code, sends()]).toEqual([3, ['POST /api/v1/cash/deposits/send']]);
  expect(err).toContain(
    'check with `drover cash list --config my.yaml` and `drover balance --config my.yaml`',
  );
});

test('a deposit refused for a used nonce is not repeated: it may have been delivered twice', async () => {
  one.answers['POST /api/v1/cash/deposits/send'] = () => declined(401, 'unauthorized');
  const { code, err } = await one.run('cash', 'deposit', '100', '--yes');
  expect([code, sends()]).toEqual([3, ['POST /api/v1/cash/deposits/send']]);
  expect(err).toContain('do not send it again before you know');
});

test('an interrupted wait says how to continue it', async () => {
  one.answers['GET /api/v1/cash/deposits'] = () => ({ total: 1, rows: [operation('processing')] });
  const stop = new AbortController();
  stop.abort('SIGINT');
  const argv = ['cash', 'deposit', '100', '--yes', '--config', 'my.yaml'];
  const { code, err } = await drover(argv, { env, cwd, signal: stop.signal });
  expect(code).toBe(130);
  expect(err).toContain(`\`drover cash show ${txHash} --wait --config my.yaml\` continues to wait`);
});

test('a deposit needs a yes at the terminal, or --yes without one', async () => {
  const argv = ['cash', 'deposit', '100', '--config', 'my.yaml'];
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
  ['orders place AAPL buy --market --notional 5 --with-deposit 90', 'withDeposit'],
  [`orders record ${txHash}`, 'record'],
  ['oneclick enable', 'delegation'],
])('%s needs its signing group, and names the line to add', async (argv, group) => {
  allow('unlisted');
  const { code, err } = await one.run(...argv.split(' '));
  expect([code, sends()]).toEqual([4, []]);
  expect(err).toContain(`signing: { allow: [unlisted, ${group}] }`);
});

test.each<[argv: string, told: string]>([
  ['cash deposit 1e2', 'AMOUNT: "1e2" is not a plain decimal number'],
  ['cash deposit 100.1234567', 'has 7 decimal places, at most 6'],
  ['cash deposit 0', 'AMOUNT must be more than 0'],
  ['cash deposit 50', 'a deposit must be at least 90 USDC'],
  ['cash deposit 400', 'USDC in the wallet: 300.00, and 400.00 is needed'],
  ['cash deposit 100 --token EUR', 'EUR is no cash token here. Name one by --token: USDC'],
  ['cash withdraw 6000', 'mUSD: 5000.25, and 6000.00 is needed'],
  ['stock deposit AAPL 2', 'AAPL in the wallet: 1, and 2 is needed'],
  ['stock deposit AAPL 1', 'drover wallet approve AAPL 1'],
  ['stock deposit APPL 1', 'APPL is not listed at this venue. Did you mean AAPL?'],
  ['stock withdraw AAPL 3', 'AAPL on the exchange: 2.5, and 3 is needed'],
  ['debt repay AAPL 1', 'AAPL owed: 0, and 1 is needed'],
  ['orders place AAPL hold --market --notional 5', 'hold is no side'],
  ['orders place AAPL buy --notional 5', 'pass --market or --limit PRICE'],
  ['orders place AAPL buy --market --limit 5 --quantity 1', 'and not both'],
  ['orders place AAPL buy --market --quantity 1', 'a market buy needs --notional'],
  ['orders place AAPL sell --limit 5 --notional 1', 'a limit order needs --quantity'],
  ['orders place AAPL buy --limit 5 --quantity 1 --deferred', 'only a sell can be --deferred'],
  ['orders place AAPL buy --limit 5.001 --quantity 1', '--limit must be a multiple of 0.01'],
  ['orders place AAPL buy --limit 5 --quantity 1000', 'mUSD: 5000.25, and 5005.50 is needed'],
  ['orders place AAPL sell --limit 5 --quantity 3', 'AAPL on the exchange: 2.5, and 3 is needed'],
  ['orders cancel 12', 'an order is named by its id or the hash'],
])('%s is refused before anything is sent', async (argv, told) => {
  const { code, err } = await one.run(...argv.split(' '), '--yes');
  expect([code, sends()]).toEqual([2, []]);
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
  expect(await told('cash', 'deposit', '100')).toContain('the wallet has approved 99.00 USDC');
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

test('a plan rounds the most that is paid up to the cent, and shows the price to the tick', async () => {
  const { err } = await one.run(...'orders place AAPL buy --limit 200.5 --quantity 0.004'.split(' '));
  expect(err).toMatch(/pays +0\.81 mUSD at most\n +fees +0\.01 mUSD of it\n +price now +200\.50 mUSD/);
  expect(sends()).toEqual([]);
});
