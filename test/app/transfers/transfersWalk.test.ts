/** @module-tag heavy */
import { expect, test } from 'vitest';
import type { Truth } from '../../../src/emulator/index.ts';
import { accountOf, startEmulated, type Emulated } from '../../cli/support/emulated.ts';

const SEED = 71;
/** Time until the indexer has seen what was sent, well before the cashier settles its queue. */
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

/** An account of the venue, and command lines that act for it. */
function walkerOf(venue: Emulated, submission: string) {
  const account = accountOf(venue, submission);

  async function run(...argv: string[]): Promise<unknown> {
    const { code, out, err } = await account.run(argv);
    expect({ argv, code, err: code === 0 ? '' : err }).toEqual({ argv, code: 0, err: '' });
    return JSON.parse(out);
  }

  /** Checks that every bucket shown by the command line is right. Returns the account. */
  async function agree(): Promise<Balance> {
    const told = (await run('balance')) as Balance;
    const { accounts } = (await venue.control('/truth')) as Truth;
    const mine = accounts.find(({ userAddress }) => userAddress === account.user);
    const { mUsd, mUsdLocked, mUsdQueued, tokens } = told;
    const cash = tokens.find(({ stockSymbol }) => stockSymbol === null);
    const stocks = tokens
      .filter(({ stockSymbol }) => stockSymbol !== null)
      .map(({ stockSymbol: symbol, exchange, locked, wallet, debt }) => ({
        symbol,
        exchange,
        locked,
        wallet,
        debt,
      }));
    expect({
      mUsd,
      mUsdLocked,
      mUsdQueued,
      stocks: sorted(stocks),
      cashToken: { wallet: cash?.wallet, queued: cash?.queued },
    }).toEqual({
      mUsd: mine?.mUsd,
      mUsdLocked: mine?.mUsdLocked,
      mUsdQueued: mine?.mUsdQueued,
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
    const venue = await startEmulated(SEED);
    try {
      await walk(venue, submission);
    } finally {
      await venue.close();
    }
  },
);

async function walk(venue: Emulated, submission: string): Promise<void> {
  const { run, act, agree } = walkerOf(venue, submission);
  await agree();
  expect(await act('wallet', 'approve', 'USDC', '5000')).toMatchObject({ status: 'success' });
  expect(await run('wallet', 'allowance', 'USDC')).toMatchObject([{ symbol: 'USDC', allowance: '5000' }]);

  expect(await act('cash', 'deposit', '1000.5')).toMatchObject({ status: 'success', credit: '1000.5' });
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
    status: 'Filled',
    settlePay: '500.55',
  });
  await agree();

  expect(await act('stock', 'deposit', 'SPY', '2')).toMatchObject({ status: 'success', amount: '2' });
  await agree();
  expect(await act('orders', 'place', 'SPY', 'sell', '--market', '--quantity', '1.5')).toMatchObject({
    status: 'Filled',
    settlePay: '1.5',
  });
  await agree();

  const resting = await act('orders', 'place', 'MSFT', 'buy', '--limit', '100', '--quantity', '2');
  expect((await agree()).mUsdLocked).toBe('200.22');
  expect(await act('orders', 'cancel', String(resting['orderId']))).toMatchObject({ status: 'Canceled' });
  await agree();

  const deposit = ['--with-deposit', '300'];
  expect(
    await act('orders', 'place', 'TSLA', 'buy', '--market', '--notional', '250', ...deposit),
  ).toMatchObject({ status: 'Filled', settlePay: '250.275' });
  await agree();

  expect(
    await act('orders', 'place', 'AAPL', 'sell', '--market', '--quantity', '1.5', '--deferred'),
  ).toMatchObject({ status: 'Filled', deferred: true });
  expect(await run('debt', 'list')).toEqual([{ symbol: 'AAPL', quantity: '1.5' }]);
  await agree();
  expect(await act('stock', 'withdraw', 'AAPL', '3')).toMatchObject({ status: 'success' });
  await agree();
  const repaid = await act('debt', 'repay', 'AAPL', '1.5');
  expect(repaid).toMatchObject({ status: 'success', owed: '0' });
  const { txHash } = repaid;
  expect(await run('wallet', 'show', String(txHash))).toEqual({ txHash, status: 'success' });
  await agree();

  expect(await act('cash', 'withdraw', '200')).toMatchObject({ status: 'success', received: '199.58' });
  await agree();
  await venue.control('/cashier', { withdrawalBuffer: '0' });
  const leaving = await act('cash', 'withdraw', '1000', '--no-wait');
  await venue.later(SEEN_MS);
  expect((await agree()).mUsdQueued).toBe('1000');
  expect(await run('cash', 'show', String(leaving['txHash']), '--wait')).toMatchObject({
    status: 'success',
    instant: false,
    fee: '2.1',
  });
  await agree();
}
