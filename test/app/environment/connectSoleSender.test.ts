import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { withVenue } from '../../../src/app/environment/connect.ts';
import type { CommandContext, Process } from '../../../src/process/context.ts';
import { holdKey, holdWallet, holdNamed } from '../../../src/app/environment/locks.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { drover } from '../../cli/support/commandLine.ts';
import { env as userEnv, user } from '../../cli/support/oneUser.ts';
import { startVenueStub, type StubAnswers } from '../../cli/support/venueStub.ts';

const HASH = `0x${'2'.repeat(64)}`;

/** Every command that sends something to the venue or the chain, with arguments that make it send. */
const SENDING: Readonly<Record<string, readonly string[]>> = {
  'orders place': ['AAPL', 'buy', '--market', '--notional', '10', '--yes'],
  'orders cancel': [HASH, '--yes'],
  'orders record': [HASH],
  'cash deposit': ['10', '--token', 'USDC', '--yes'],
  'cash withdraw': ['10', '--token', 'USDC', '--yes'],
  'stock deposit': ['AAPL', '1', '--yes'],
  'stock withdraw': ['AAPL', '1', '--yes'],
  'debt repay': ['AAPL', '1', '--yes'],
  'wallet approve': ['USDC', '10', '--yes'],
  'wallet cancel': ['0', '--yes'],
  'oneclick enable': ['--yes'],
  'oneclick disable': [],
  api: ['POST', '/api/v1/orders/send', '--data', '{}', '--yes'],
};

/** Commands that go to a daemon, and without one only write to the journal. */
const STEERING: readonly string[] = [
  'accept',
  'ack',
  'cancel',
  'config reload',
  'flatten',
  'freeze',
  'pause',
  'reduce',
  'resolve',
  'dashboard',
  'status',
  'stop',
  'unfreeze',
];

/** Every command that sends nothing. A new command must be listed here, or among those that send. */
const OTHERS: readonly string[] = [
  'init',
  'completion',
  'emulator',
  'backup',
  'restore',
  'notify test',
  'fills',
  'lots',
  'income',
  'backtest',
  'compare',
  'report',
  'reconcile',
  ...STEERING,
  'halt',
  'resume',
  'doctor',
  'positions',
  'balance',
  'calendar',
  'openapi',
  'corporate-actions',
  'lookahead-check',
  'optimise',
  'worker',
  'orders list',
  'orders show',
  'orders resolve',
  'orders accept',
  'oneclick status',
  'cash list',
  'cash show',
  'stock list',
  'stock show',
  'debt list',
  'wallet address',
  'wallet allowance',
  'wallet show',
  'config explain',
  'config fees',
  'data accept',
  'data list',
  'data pull',
  'data import',
  'data export',
  'data verify',
  'data generate',
  'keys create',
  'keys import',
  'keys list',
  'keys remove',
  'keys show',
  'keys export',
  'keys change-password',
  'journal show',
  'journal export',
  'journal verify',
  'journal prune',
  'journal replay',
  'journal recover',
];

/** The run itself holds both for as long as it lasts: see `liveStart.test.ts`. */
const RUN = 'run';

function namesOf(command: Command, before = ''): string[] {
  return command.commands.flatMap((one) => {
    const name = `${before}${one.name()}`;
    return one.commands.length === 0 ? [name] : namesOf(one, `${name} `);
  });
}

const cwd = mkdtempSync(join(tmpdir(), 'drover-sole-'));
const env = { ...userEnv, HOME: cwd };
const holder = 'drover run (process 7) on the state folder /var/one';
const usdc = {
  address: `0x${'77'.repeat(20)}`,
  symbol: 'USDC',
  isStock: false,
  decimals: 6,
  walletBalance: '300',
  walletAllowance: '1000',
  exchangeBalance: '0',
};
const answers: StubAnswers = {
  [`GET /api/v1/users/${user}`]: () => ({ userId: user, userAddress: user }),
  [`GET /api/v1/users/${user}/balance`]: () => ({ mUsdBalance: '1000', tokenBalances: [usdc] }),
};
let stub: Awaited<ReturnType<typeof startVenueStub>>;

beforeAll(async () => {
  vi.stubEnv('HOME', cwd);
  stub = await startVenueStub(answers);
  mkdirSync(join(cwd, 'state'), { mode: 0o700 });
  writeFileSync(
    join(cwd, 'live.yaml'),
    `mode: live
state: ./state
submission: calldata
venue:
  baseUrl: '${stub.baseUrl}'
  chainId: 1
  product: ProductA
  userAddress: '${user}'
  router: '0x${'3'.repeat(40)}'
  rpcUrl: '${stub.baseUrl}'
signing: { allow: [deposits, withdrawals, stockMoves, repay, delegation, record] }
limits: { orderNotional: 1000, positionNotional: 5000, grossExposure: 9000, ordersPerMinute: 9, dayLoss: 90,
          priceBandBps: 500, quoteAgeMs: 60000 }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`,
  );
});
afterEach(() => void stub.requests.splice(0));
afterAll(() => {
  vi.unstubAllEnvs();
  return stub.close();
});

const call = ([name, argv]: readonly [string, readonly string[]]) =>
  drover([...name.split(' '), ...argv, '--config', 'live.yaml'], { env, cwd });

test('a connection for reads cannot send', async () => {
  const context = { env, cwd, clock: systemClock, secrets: new Secrets(), configFile: 'live.yaml' };
  const sending = withVenue(context as unknown as CommandContext, ({ client }) =>
    client.call('POST', '/api/v1/orders/send', { body: {} }),
  );
  await expect(sending).rejects.toThrow('was not sent: this connection is for reads only');
  expect(stub.requests).toEqual([]);
});

test('each command of the program is listed as one that sends or one that does not', () => {
  const program = buildProgram({} as Process, () => undefined);
  expect(namesOf(program).sort()).toEqual([...Object.keys(SENDING), ...OTHERS, RUN].sort());
});

describe('a command that sends', () => {
  test.each(Object.entries(SENDING))('%s sends no request while a run holds its API key', async (...one) => {
    const release = holdKey({ apiKey: env.DROVER_API_KEY, baseUrl: stub.baseUrl, holder }, { env });
    const { code, err } = await call(one);
    release();
    expect([code, err]).toEqual([
      4,
      expect.stringContaining(`this API key, held by ${holder}: stop it first`),
    ]);
    expect(stub.requests).toEqual([]);
  });

  test.each(Object.entries(SENDING))(
    '%s sends no request while a run holds its state folder',
    async (...one) => {
      const folder = join(cwd, 'state');
      const release = holdNamed({ folder, name: 'lock', what: 'it', holder: 'drover run (process 7)' });
      const { code, err } = await call(one);
      release();
      const why = `the state folder ${folder}, held by drover run (process 7): stop it first`;
      expect([code, err]).toEqual([4, expect.stringContaining(why)]);
      expect(stub.requests).toEqual([]);
    },
  );

  test('wallet approve signs nothing while another process holds its wallet', async () => {
    const release = holdWallet({ address: user, holder }, { env });
    const { code, err } = await call(['wallet approve', SENDING['wallet approve'] ?? []]);
    release();
    expect([code, err]).toEqual([4, expect.stringContaining(`the wallet ${user}, held by ${holder}`)]);
    const asked = stub.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);
    expect(asked).toEqual(['/api/v1/1ct/prepare']);
  });

  test('releases its locks when it ends', async () => {
    await call(['oneclick disable', []]);
    await call(['oneclick disable', []]);
    holdKey({ apiKey: env.DROVER_API_KEY, baseUrl: stub.baseUrl, holder }, { env })();
  });
});
