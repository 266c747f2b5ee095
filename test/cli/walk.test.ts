import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { startEmulator, type Emulator, type Truth } from '../../src/emulator/index.ts';
import { drover } from './support/commandLine.ts';

/** Wallets that no other test sends for at the same time. */
const SEED = 71;
/** Who may sell deferred, as the emulator begins. */
const WHITELISTED = 1;
/** Until the indexer has seen what was sent, and long before the cashier settles what it has queued. */
const SEEN_MS = 10_000;

type Balance = Readonly<{
  mUsd: string;
  mUsdLocked: string;
  mUsdQueued: string;
  tokens: readonly Readonly<{
    stockSymbol: string | null;
    wallet: string;
    exchange: string;
    locked: string;
    queued: string;
    debt: string;
  }>[];
}>;
type Row = Record<string, string | null>;

const configText = ({ info }: Emulator, user: string, submission: string) => `mode: live
submission: ${submission}
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${user}'
  router: '${info.contracts.router}'
  rpcUrl: ${info.rpcUrl}
signing: { allow: [deposits, withdrawals, stockMoves, withDeposit, repay] }
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`;

/** An emulator in which time stands still until a command waits, and then goes on as fast as it can. */
async function startVenue() {
  const clock = new VirtualClock({ start: epochMs(Date.parse('2026-06-15T14:00:00Z')), pace: 'max' });
  const emulator = await startEmulator({ clock, seed: SEED, latency: { minMs: 0, maxMs: 0 } });
  let release = clock.hold();
  void clock.run();
  const stand = () => {
    release();
    release = clock.hold();
  };
  const pass = () => release();
  return {
    ...{ clock, emulator, stand, pass },
    async later(ms: number) {
      pass();
      await clock.sleep(ms);
      stand();
    },
    control: async (path: string, body?: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const init = body && { method: 'POST', body: JSON.stringify(body), headers };
      return (await fetch(`${emulator.info.controlUrl}${path}`, init)).json();
    },
    async close() {
      clock.stop();
      await emulator.close();
    },
  };
}
type Venue = Awaited<ReturnType<typeof startVenue>>;

/** What a command says as it begins to wait. */
const WAITS = /^sent: | …$/m;

/** An account of the venue, and command lines that act for it. */
function accountOf({ clock, emulator, control, stand, pass }: Venue, submission: string) {
  const account = emulator.info.accounts[WHITELISTED];
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('no account');
  const { userAddress: user, privateKey } = account;
  const env = {
    ...{ DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret, DROVER_WALLET_KEY: privateKey },
  };
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'walk.yaml'), configText(emulator, user, submission));

  async function run(...argv: string[]): Promise<unknown> {
    const { code, out, err } = await drover([...argv, '--config', 'walk.yaml', '--json'], {
      ...{ env, cwd, clock, onOut: stand },
      onErr: (text) => {
        if (WAITS.test(text)) pass();
      },
    });
    expect({ argv, code, err: code === 0 ? '' : err }).toEqual({ argv, code: 0, err: '' });
    return JSON.parse(out);
  }

  /** Every bucket that the command line tells is the true one. Gives what the account has. */
  async function agree(): Promise<Balance> {
    const told = (await run('balance')) as Balance;
    const { accounts } = (await control('/truth')) as Truth;
    const mine = accounts.find(({ userAddress }) => userAddress === user);
    const { mUsd, mUsdLocked, mUsdQueued, tokens } = told;
    const cash = tokens.find(({ stockSymbol }) => stockSymbol === null);
    const stocks = tokens
      .filter(({ stockSymbol }) => stockSymbol !== null)
      .map(({ stockSymbol: symbol, exchange, locked, wallet, debt }) => ({
        ...{ symbol, exchange, locked, wallet, debt },
      }));
    expect({
      ...{ mUsd, mUsdLocked, mUsdQueued, stocks: sorted(stocks) },
      cashToken: { wallet: cash?.wallet, queued: cash?.queued },
    }).toEqual({
      ...{ mUsd: mine?.mUsd, mUsdLocked: mine?.mUsdLocked, mUsdQueued: mine?.mUsdQueued },
      stocks: sorted(mine?.stocks ?? []),
      cashToken: mine?.cashToken,
    });
    return told;
  }

  const act = async (...argv: string[]) => (await run(...argv, '--yes')) as Row;
  return { run, act, agree };
}

const sorted = <Row extends { symbol: string | null }>(rows: readonly Row[]) =>
  [...rows].sort((a, b) => String(a.symbol).localeCompare(String(b.symbol)));

const queuedOf = ({ tokens }: Balance) => tokens.find(({ stockSymbol }) => stockSymbol === null)?.queued;

test.each(['one-click', 'calldata'])(
  'an account that sends by %s moves money in, trades, borrows, repays and moves it out',
  { timeout: 120_000 },
  async (submission) => {
    const venue = await startVenue();
    try {
      await walk(venue, submission);
    } finally {
      await venue.close();
    }
  },
);

async function walk(venue: Venue, submission: string): Promise<void> {
  const { run, act, agree } = accountOf(venue, submission);
  await agree();
  expect(await act('wallet', 'approve', 'USDC', '5000')).toMatchObject({ status: 'success' });
  expect(await run('wallet', 'allowance', 'USDC')).toMatchObject([{ symbol: 'USDC', allowance: '5000' }]);

  expect(await act('cash', 'deposit', '1000.5')).toMatchObject({ status: 'success', instant: true });
  await agree();

  await venue.control('/cashier', { creditBuffer: '500' });
  const queued = await act('cash', 'deposit', '150', '--no-wait');
  expect(queued).toMatchObject({ status: 'sent' });
  await venue.later(SEEN_MS);
  expect(queuedOf(await agree())).toBe('150');
  const seen = await run('cash', 'show', String(queued['txHash']), '--wait');
  expect(seen).toMatchObject({ status: 'success', instant: false, credit: '150' });
  await agree();
  await venue.control('/cashier', { creditBuffer: '1000000' });

  expect(await act('orders', 'place', 'AAPL', 'buy', '--market', '--notional', '500')).toMatchObject({
    ...{ status: 'Filled', settlePay: '500.55' },
  });
  await agree();

  expect(await act('stock', 'deposit', 'SPY', '2')).toMatchObject({ status: 'success', amount: '2' });
  await agree();
  expect(await act('orders', 'place', 'SPY', 'sell', '--market', '--quantity', '1.5')).toMatchObject({
    ...{ status: 'Filled', settlePay: '1.5' },
  });
  await agree();

  const resting = await act('orders', 'place', 'MSFT', 'buy', '--limit', '100', '--quantity', '2');
  expect((await agree()).mUsdLocked).toBe('200.22');
  expect(await act('orders', 'cancel', String(resting['orderId']))).toMatchObject({ status: 'Canceled' });
  await agree();

  const deposit = ['--with-deposit', '300'];
  expect(
    await act('orders', 'place', 'TSLA', 'buy', '--market', '--notional', '250', ...deposit),
  ).toMatchObject({
    ...{ status: 'Filled', settlePay: '250.275' },
  });
  await agree();

  expect(
    await act('orders', 'place', 'AAPL', 'sell', '--market', '--quantity', '1.5', '--deferred'),
  ).toMatchObject({ status: 'Filled', deferred: true });
  expect(await run('debt', 'list')).toEqual([{ symbol: 'AAPL', quantity: '1.5' }]);
  await agree();
  expect(await act('stock', 'withdraw', 'AAPL', '3')).toMatchObject({ status: 'success' });
  await agree();
  expect(await act('debt', 'repay', 'AAPL', '1.5')).toMatchObject({ status: 'success', owed: '0' });
  await agree();

  expect(await act('cash', 'withdraw', '200')).toMatchObject({ status: 'success', amount: '199.58' });
  await agree();
  await venue.control('/cashier', { withdrawalBuffer: '0' });
  const leaving = await act('cash', 'withdraw', '1000', '--no-wait');
  await venue.later(SEEN_MS);
  expect((await agree()).mUsdQueued).toBe('1000');
  expect(await run('cash', 'show', String(leaving['txHash']), '--wait')).toMatchObject({
    ...{ status: 'success', instant: false, fee: '2.1' },
  });
  await agree();
}
