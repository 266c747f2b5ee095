import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatorInfo } from '../../../src/emulator/start.ts';
import { drover, type Ran } from '../../cli/support/commandLine.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
const stop = new AbortController();
let running: Promise<Ran>;
let info: EmulatorInfo;
let env: Record<string, string>;

/** Starts `drover emulator` and waits for its line. */
async function startByCommand(argv: readonly string[], signal: AbortSignal) {
  let onOut: (text: string) => void = () => undefined;
  const line = new Promise<string>((resolve) => (onOut = resolve));
  const ran = drover(['emulator', '--json', ...argv], { cwd, signal, onOut });
  const said = await Promise.race([line, ran.then(({ err }) => err)]);
  return { ran, info: JSON.parse(said) as EmulatorInfo };
}

beforeAll(async () => {
  const started = await startByCommand(['--start', '2026-06-15T10:00', '--speed', '1'], stop.signal);
  ({ info } = started);
  running = started.ran;
  const [account] = info.accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  env = {
    DROVER_API_KEY: key?.apiKey ?? '',
    DROVER_API_SECRET: key?.secret ?? '',
    DROVER_WALLET_KEY: account?.privateKey ?? '',
  };
  // The example, filled in only with what the emulator prints.
  const example = readFileSync('config/live.example.yaml', 'utf8')
    .replace('https://venue.example', info.baseUrl)
    .replace('chainId: 143', `chainId: ${info.chainId}`)
    .replace('ProductA', info.product)
    .replace(/'0x0{40}'/, `'${account?.userAddress ?? ''}'`)
    .replace('# signing: {', 'signing: {')
    .replace('# clock: follow', 'clock: follow')
    .replace('# controlUrl: http://127.0.0.1:1235', `controlUrl: ${info.controlUrl}`)
    .replace("# oneClickRouter: '0x…'", `oneClickRouter: '${info.contracts.oneClickRouter}'`)
    .replace("# delegatee: '0x…'", `delegatee: '${account?.delegatee ?? ''}'`);
  writeFileSync(join(cwd, 'live.yaml'), example);
});
afterAll(async () => {
  stop.abort('SIGTERM');
  expect((await running).code).toBe(0);
});

const run = (...argv: string[]) => drover([...argv, '--config', 'live.yaml'], { env, cwd });

test('the emulator prints a line with all that a client needs', () => {
  expect(info).toMatchObject({
    chainId: 143,
    product: 'ProductA',
    rpcUrl: expect.stringMatching(/^http:/) as string,
    now: '2026-06-15T14:00:00Z',
  });
  expect(info.accounts.length).toBeGreaterThanOrEqual(4);
});

test('doctor finds nothing wrong with the config that the emulator prints', async () => {
  const { code, out } = await run('doctor', '--probe', '--json');
  const findings = JSON.parse(out) as { check: string; verdict: string; detail: string }[];
  expect(findings.filter(({ verdict, check }) => verdict !== 'ok' && check !== 'calendar')).toMatchObject([
    { check: 'notify', verdict: 'warn', detail: 'alarms are not reported to anyone' },
  ]);
  expect(code).toBe(0);
});

test('account commands read the account of the emulator', async () => {
  expect(Number((JSON.parse((await run('balance', '--json')).out) as { mUsd: string }).mUsd)).toBeGreaterThan(
    0,
  );
  expect((JSON.parse((await run('positions', '--json')).out) as unknown[]).length).toBeGreaterThan(0);
  expect(JSON.parse((await run('orders', '--json')).out)).toEqual([]);
  const symbols = await run('api', 'GET', '/api/v1/symbols', '--json');
  expect(symbols.code).toBe(0);
  const history = ['--query', 'endTime=1781530000', '--query', 'interval=5m', '--query', 'limit=3'];
  expect((await run('api', 'GET', '/api/v1/prices/AAPL/history', ...history)).code).toBe(0);
});

test('One Click of the emulator is turned off, and on again by a signature of the wallet', async () => {
  expect((await run('oneclick', 'disable')).out).toContain('One Click is off');
  const { code, out, err } = await run('oneclick', 'enable', '--json');
  expect(err).toContain(`contract   ${info.contracts.oneClickRouter} on chain 143`);
  expect([code, JSON.parse(out)]).toMatchObject([0, { enabled: true }]);
});

test('doctor recognises a read-only key, and lists the causes left for a wrong product', async () => {
  const reader = info.accounts[0]?.keys.find(({ access }) => access === 'READ_ONLY');
  const own = { DROVER_API_KEY: reader?.apiKey ?? '', DROVER_API_SECRET: reader?.secret ?? '' };
  const readOnly = await drover(['doctor', '--config', 'live.yaml'], { env: own, cwd });
  expect(readOnly.code).toBe(3);
  expect(readOnly.out).toMatch(/^fail +permission +the key may only read/m);
  const text = readFileSync(join(cwd, 'live.yaml'), 'utf8');
  writeFileSync(join(cwd, 'scope.yaml'), text.replace('ProductA', 'ProductB'));
  const scope = await drover(['doctor', '--config', 'scope.yaml'], { env, cwd });
  expect(scope.code).toBe(3);
  expect(scope.out).toMatch(/^fail +signed read +the venue does not accept the key/m);
  expect(scope.out).toContain('It is not the clock');
});

test('the emulator prints accounts and text to paste without --json', async () => {
  const own = new AbortController();
  const ran = drover(['emulator', '--speed', '0'], { cwd, signal: own.signal, onOut: () => own.abort() });
  const { code, out } = await ran;
  expect(code).toBe(0);
  expect(out).toMatch(/export DROVER_API_KEY=\S+\n/);
  expect(out).toMatch(/baseUrl: http:\/\/127\.0\.0\.1:\d+\n/);
});

test.each([
  [['--speed', 'max'], '--speed max: the emulator by itself needs a number'],
  [['--start', 'noon'], '--start: "noon" is not a time'],
  [['--port', 'x'], "argument 'x' is invalid"],
  [['--port', '65536'], "'--port <port>' argument '65536' is invalid. It must be a port from 0 to 65535"],
  [['--rpc-port', '99999'], "'--rpc-port <port>' argument '99999' is invalid. It must be a port"],
  [['--control-port', '99999'], "'--control-port <port>' argument '99999' is invalid. It must be a port"],
  [['--host', '192.0.2.1'], '192.0.2.1. Name an address of this machine with --host'],
])('emulator %j is a usage error', async (argv, told) => {
  const { code, err } = await drover(['emulator', ...argv], { cwd });
  expect(code).toBe(2);
  expect(err).toContain(told);
});

test.each(['--port', '--rpc-port', '--control-port'])(
  'a port of %s that is in use is refused with the flag that names another',
  async (flag) => {
    const taken = new URL(info.baseUrl).port;
    const { code, err } = await drover(['emulator', flag, taken], { cwd });
    expect(err).toMatch(/^drover: cannot listen on 127\.0\.0\.1:\d+: listen EADDRINUSE: /);
    expect(err).toContain(`. Name another port with ${flag}, or ${flag} 0 for any that is free\n`);
    expect(code).toBe(2);
  },
);
