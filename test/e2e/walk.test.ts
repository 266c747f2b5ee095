import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { drover, freshDir, start, type Running } from './cli.ts';

const LONG_MS = 240_000;
/** Who may sell deferred, as the emulator begins. */
const WHITELISTED = 1;

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

describe.each(['one-click', 'calldata'])(
  'an account that sends by %s, from the command line',
  (submission) => {
    let emulator: Running;
    let info: EmulatorInfo;
    let config: string;
    let env: Record<string, string>;

    beforeAll(async () => {
      const args = ['--speed', '60', '--start', '2026-06-15T10:00', '--state', freshDir()];
      emulator = start(['emulator', '--json', ...args]);
      info = JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo;
      const account = info.accounts[WHITELISTED];
      const key = account?.keys.find(({ access }) => access === 'WRITABLE');
      if (!account || !key) throw new Error('no account');
      env = {
        ...{ DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret },
        DROVER_WALLET_KEY: account.privateKey,
      };
      config = join(freshDir(), 'walk.yaml');
      writeFileSync(config, configText(account.userAddress));
    }, LONG_MS);

    afterAll(async () => {
      emulator.child.kill('SIGTERM');
      await emulator.done;
    });

    const configText = (user: string) => `mode: live
submission: ${submission}
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${user}'
  router: '${info.contracts.router}'
  rpcUrl: ${info.rpcUrl}
  clock: follow
  controlUrl: ${info.controlUrl}
signing: { allow: [deposits, withdrawals, stockMoves, withDeposit, repay] }
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`;

    async function run(...argv: string[]): Promise<Record<string, string | null>> {
      const { code, out, err } = await drover([...argv, '--config', config, '--json'], env);
      expect({ argv, code, err: code === 0 ? '' : err }).toEqual({ argv, code: 0, err: '' });
      return JSON.parse(out) as Record<string, string | null>;
    }
    const act = (...argv: string[]) => run(...argv, '--yes');
    const balance = async () => (await run('balance')) as unknown as Balance;

    const control = async (path: string, body?: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const post = body && { method: 'POST', body: JSON.stringify(body), headers };
      return (await fetch(`${info.controlUrl}${path}`, post)).json();
    };

    /** Every bucket that the command line tells is the true one. */
    async function agree(): Promise<void> {
      const { mUsd, mUsdLocked, mUsdQueued, tokens } = await balance();
      const { accounts } = (await control('/truth')) as Truth;
      const mine = accounts.find(
        ({ userAddress }) => userAddress === info.accounts[WHITELISTED]?.userAddress,
      );
      const cash = tokens.find(({ stockSymbol }) => stockSymbol === null);
      const stocks = tokens
        .filter(({ stockSymbol }) => stockSymbol !== null)
        .map(({ stockSymbol: symbol, exchange, locked, wallet, debt }) => ({
          ...{ symbol, exchange, locked, wallet, debt },
        }));
      const told = { mUsd, mUsdLocked, mUsdQueued, stocks: sorted(stocks) };
      expect({ ...told, cashToken: { wallet: cash?.wallet, queued: cash?.queued } }).toEqual({
        ...{ mUsd: mine?.mUsd, mUsdLocked: mine?.mUsdLocked, mUsdQueued: mine?.mUsdQueued },
        stocks: sorted(mine?.stocks ?? []),
        cashToken: mine?.cashToken,
      });
    }
    const sorted = <Row extends { symbol: string | null }>(rows: readonly Row[]) =>
      [...rows].sort((a, b) => String(a.symbol).localeCompare(String(b.symbol)));

    test('moves money in, trades, borrows, repays and moves it out', { timeout: LONG_MS }, async () => {
      await agree();
      expect(await act('wallet', 'approve', 'USDC', '5000')).toMatchObject({ status: 'success' });
      expect(await run('wallet', 'allowance', 'USDC')).toMatchObject([{ symbol: 'USDC', allowance: '5000' }]);

      expect(await act('cash', 'deposit', '1000.5')).toMatchObject({ status: 'success', instant: true });
      await agree();

      await control('/cashier', { creditBuffer: '500' });
      const queued = await act('cash', 'deposit', '150', '--no-wait');
      expect(queued).toMatchObject({ status: 'sent' });
      const seen = await run('cash', 'show', String(queued['txHash']), '--wait');
      expect(seen).toMatchObject({ status: 'success', instant: false, credit: '150' });
      await agree();
      await control('/cashier', { creditBuffer: '1000000' });

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
      expect((await balance()).mUsdLocked).toBe('200.22');
      await agree();
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
      await control('/cashier', { withdrawalBuffer: '0' });
      const leaving = await act('cash', 'withdraw', '1000', '--no-wait');
      expect(await run('cash', 'show', String(leaving['txHash']), '--wait')).toMatchObject({
        ...{ status: 'success', instant: false, fee: '2.1' },
      });
      await agree();
    });
  },
);
