import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover, type Ran } from '../../cli/support/commandLine.ts';
import { startDaemon, type DaemonRun } from '../../ops/control/daemonRun.ts';

const signing = 'signing: { allow: [deposits, withdrawals, stockMoves] }\n';

describe('a manual order or transfer through the daemon', () => {
  let daemon: DaemonRun;
  beforeAll(async () => {
    daemon = await startDaemon({ more: signing, flags: ['--speed', '40'] });
    while (!(await daemon.client.status()).ready) await new Promise((resolve) => setTimeout(resolve, 50));
  }, 60_000);
  afterAll(async () => {
    await daemon.stop();
  });

  /** Runs a command through the daemon, again where it asks for that: it reads the account only now and then. */
  const by = async (...argv: string[]): Promise<Ran> => {
    const ran = await drover([...argv, '--state', daemon.stateDir, '--yes', '--json']);
    return ran.err.includes('try again in a moment. Nothing was sent') ? by(...argv) : ran;
  };
  const shown = async () => (await drover(['journal', 'show', '--state', daemon.stateDir])).out;

  test('is refused before it is sent if names or limits do not allow it', async () => {
    const sell = ['orders', 'place', 'SPY', 'sell', '--market', '--quantity', '1'];
    expect(await by(...sell, '--deferred')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/limits.debt is not set.*Nothing was sent/) as string,
    });
    expect(await by(...sell, '--strategy', 'steadi')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Did you mean steady/) as string,
    });
    expect(await by('orders', 'place', 'SPYY', 'sell', '--market', '--quantity', '1')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/SPYY is not listed.*Nothing was sent/) as string,
    });
    expect(await by('cash', 'withdraw', '900000')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/unallocated.*strategy steady.*Nothing was sent/s) as string,
    });
    expect(await by('cash', 'deposit', '1', '--token', 'NONE')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/NONE is not a cash token here/) as string,
    });
    expect(await drover(['cash', 'deposit', '100', '--state', daemon.stateDir])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Deposit 100 USDC[^]*the running daemon[^]*nothing was sent/) as string,
    });
    expect(readFileSync(join(daemon.stateDir, 'account'), 'utf8')).toContain('emulated');
  }, 60_000);

  test('is journaled with who and why, and leaves no difference', async () => {
    const deposit = await by('cash', 'deposit', '100', '--reason', 'more to invest');
    expect(deposit, deposit.err).toMatchObject({ code: 0 });
    expect(JSON.parse(deposit.out)).toMatchObject({ operation: 'deposit', amount: '100', status: 'success' });
    const withdrawal = await by('cash', 'withdraw', '40');
    expect(withdrawal, withdrawal.err).toMatchObject({ code: 0 });
    const order = await by('orders', 'place', 'AAPL', 'buy', '--market', '--notional', '500');
    expect(order, order.err).toMatchObject({ code: 0 });
    expect(JSON.parse(order.out)).toMatchObject({ symbol: 'AAPL', side: 'Buy', status: 'Filled' });
    const resting = ['--limit', '150', '--quantity', '1'];
    const limit = await by('orders', 'place', 'AAPL', 'buy', ...resting, '--strategy', 'steady');
    expect(limit, limit.err).toMatchObject({ code: 0 });
    const { id } = JSON.parse(limit.out) as { id: string };
    const cancelled = await by('orders', 'cancel', id);
    expect(cancelled, cancelled.err).toMatchObject({ code: 0 });
    const text = await shown();
    expect(text).toContain('more to invest');
    const ended = await daemon.stop();
    expect(ended.out).toMatch(/0 differences/);
    const replay = await drover([
      'journal',
      'replay',
      '--config',
      join(daemon.stateDir, '../run.yaml'),
      '--json',
    ]);
    expect(replay).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(replay.out)).toMatchObject({ wishes: 2, orders: 2, parting: null });
  }, 60_000);
});
