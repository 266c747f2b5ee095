import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../../cli/support/commandLine.ts';
import { startVenueStub } from '../../cli/support/venueStub.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-hand-'));
const env = { DROVER_API_KEY: 'k'.repeat(16), DROVER_API_SECRET: 's'.repeat(32), HOME: cwd };
let stub: Awaited<ReturnType<typeof startVenueStub>>;

const configOf = (mode: string) => `mode: ${mode}
state: ./state
venue: { baseUrl: '${stub.baseUrl}', chainId: 1, product: ProductA, userAddress: '0x${'1'.repeat(40)}' }
signing: { allow: [deposits, withdrawals, stockMoves, repay, delegation, record] }
limits: { orderNotional: 1000, positionNotional: 5000, grossExposure: 9000, ordersPerMinute: 9, dayLoss: 90,
          priceBandBps: 500, quoteAgeMs: 60000 }
${mode === 'dry-run' ? "dryRun: { cash: '1000', slippage: 'bps:5' }" : ''}
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

beforeAll(async () => {
  stub = await startVenueStub({});
  mkdirSync(join(cwd, 'state'));
  writeFileSync(join(cwd, 'dry.yaml'), configOf('dry-run'));
  writeFileSync(join(cwd, 'live.yaml'), configOf('live'));
});
afterEach(() => void stub.requests.splice(0));
afterAll(() => stub.close());

const sends: readonly (readonly [what: string, argv: readonly string[]])[] = [
  ['an order', ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '10', '--yes']],
  ['a deposit', ['cash', 'deposit', '10', '--token', 'USDC', '--yes']],
  ['a call of any path', ['api', 'POST', '/api/v1/orders/send', '--data', '{}']],
  ['an approval', ['wallet', 'approve', 'USDC', '10', '--yes']],
  ['One Click', ['oneclick', 'enable']],
];
const withdrawn: typeof sends = [
  ['a cancel', ['orders', 'cancel', `0x${'2'.repeat(64)}`, '--yes']],
  ['a cancel by its path', ['api', 'DELETE', `/api/v1/orders/0x${'2'.repeat(64)}/send`, '--yes']],
  ['the end of One Click', ['oneclick', 'disable']],
];

describe('a command with the config of a dry run', () => {
  test.each([...sends, ...withdrawn])('%s is not sent', async (_, argv) => {
    const { code, err } = await drover([...argv, '--config', 'dry.yaml'], { env, cwd });
    expect([code, err]).toEqual([4, expect.stringMatching(/dry\.yaml says mode: dry-run.*mode: live/)]);
    expect(stub.requests).toEqual([]);
  });

  test('`orders record` is stopped because its connection only reads', async () => {
    const argv = ['orders', 'record', `0x${'2'.repeat(64)}`, '--config', 'dry.yaml'];
    const { code, err } = await drover(argv, { env, cwd });
    expect([code, err]).toEqual([4, expect.stringContaining('this connection is for reads only')]);
    expect(stub.requests).toEqual([]);
  });
});

describe('a command of a live config whose kill file exists', () => {
  const command = async (argv: readonly string[]) => {
    writeFileSync(join(cwd, 'state', 'KILL'), '');
    return drover([...argv, '--config', 'live.yaml'], { env, cwd });
  };

  test.each(sends)('%s is not sent', async (_, argv) => {
    const { code, err } = await command(argv);
    expect([code, err]).toEqual([4, expect.stringMatching(/state\/KILL is there, and nothing is sent/)]);
    expect(stub.requests).toEqual([]);
  });

  test.each(sends)('%s is not sent while the kill file of the folder of --state exists', async (_, argv) => {
    mkdirSync(join(cwd, 'elsewhere'), { recursive: true });
    writeFileSync(join(cwd, 'elsewhere', 'KILL'), '');
    rmSync(join(cwd, 'state', 'KILL'), { force: true });
    const { code, err } = await drover([...argv, '--state', 'elsewhere', '--config', 'live.yaml'], {
      env,
      cwd,
    });
    expect([code, err]).toEqual([4, expect.stringContaining(`${join(cwd, 'elsewhere', 'KILL')} is there`)]);
    expect(stub.requests).toEqual([]);
  });

  test.each(withdrawn)('%s is sent', async (_, argv) => {
    await command(argv);
    expect(stub.requests.length).toBeGreaterThan(0);
  });
});
