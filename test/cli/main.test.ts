/** @module-tag heavy */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/core/version.ts';

/** Built by `npm run build`, as `npm test` does first. */
const MAIN = join(process.cwd(), 'dist/bin/main.js');
const cwd = mkdtempSync(join(tmpdir(), 'drover-'));

const start = (argv: readonly string[], env: Record<string, string> = {}) =>
  spawn(process.execPath, [MAIN, ...argv], { cwd, env: { PATH: process.env['PATH'], ...env } });

async function run(argv: readonly string[], env?: Record<string, string>) {
  const child = start(argv, env);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code: child.exitCode };
}

test('the process prints its version and ends with exit 0', async () => {
  expect(await run(['--version'])).toEqual({ out: `${VERSION}\n`, err: '', code: 0 });
});

test('the process ends with the exit code of its command, and prints no key', async () => {
  expect(await run(['runn'])).toMatchObject({ out: '', code: 2 });
  const TLS = {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    DROVER_API_KEY: 'canary-of-the-key',
    DROVER_API_SECRET: 'canary-2',
  };
  const example = join(process.cwd(), 'config/live.example.yaml');
  const { code, out, err } = await run(['balance', '--config', example, '--verbose'], TLS);
  expect(code).toBe(4);
  expect(out + err).not.toContain('canary');
});

test('a strategy outside of the package imports the drover that runs it', async () => {
  const rows = ['ts,open,high,low,close,volume', '2024-01-02,10,11,9,10,5', '2024-01-03,10,11,9,10,5'];
  writeFileSync(join(cwd, 'x.csv'), rows.join('\n'));
  const strategy = join(process.cwd(), 'bench/strategies/bench-sma.ts');
  const what = [
    '--strategy',
    strategy,
    '--params',
    '{"symbol":"X","interval":"1d"}',
    '--bars',
    'X=x.csv',
    '--interval',
    '1d',
  ];
  const { out, err } = await run(['backtest', ...what, '--json']);
  expect(err).toBe('');
  expect(JSON.parse(out)).toMatchObject({ bars: 2, params: { symbol: 'X', interval: '1d' } });
});

test('the output of a strategy does not reach stdout, and it sees no environment variables', async () => {
  writeFileSync(join(cwd, 'day.csv'), 'ts,open,high,low,close,volume\n2024-01-02,10,11,9,10,5\n');
  const source = `import { defineStrategy } from 'drover/strategy';
    import { z } from 'zod';
    export default defineStrategy({ name: 'printer', description: 'prints', params: z.strictObject({}),
      data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
      create: () => ({ onStart() { console.log('of my own', typeof process); } }) });`;
  writeFileSync(join(cwd, 'printer.ts'), source);
  const what = ['--strategy', './printer.ts', '--params', '{}', '--bars', 'X=day.csv', '--interval', '1d'];
  const names = ['API_KEY', 'API_SECRET', 'WALLET_KEY', 'KEYSTORE_PASSWORD'].map((name) => `DROVER_${name}`);
  const env = Object.fromEntries(names.map((name) => [name, 'canary']));
  const { out, err } = await run(['backtest', ...what, '--json'], { ...env, DROVER_KEYSTORE_DIR: '/here' });
  expect(JSON.parse(out)).toMatchObject({ strategy: 'printer', bars: 1 });
  expect(err).toContain('of my own undefined');
  for (const name of names) expect(err).not.toContain(name);
});

test('an unhandled rejection is reported with the strategy that left it, and where', async () => {
  const source = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
const later = async () => { await null; throw new Error('too late'); };
export default defineStrategy({ name: 'leaver', description: 'leaves', params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: 'AAPL', interval: '1m' }] }), create: () => ({ onBar() { void later(); } }) });`;
  writeFileSync(join(cwd, 'leaver.ts'), source);
  const entry = (id: string) => `{ id: ${id}, use: ./leaver.ts, capital: '100', params: {} }`;
  writeFileSync(
    join(cwd, 'leaver.yaml'),
    `mode: emulator\nemulator: { speed: max, start: '2026-06-15T15:50' }\nstrategies: [${entry('one')}, ${entry('two')}]\n`,
  );
  const ran = await run(['run', 'leaver.yaml', '--state', './left', '--until', 'close']);
  expect(ran.code).toBe(1);
  for (const id of ['one', 'two'])
    expect(ran.out).toMatch(
      new RegExp(`${id} .*stopped by its own error: \\S+leaver\\.ts:3:\\d+: outside its hooks: too late`),
    );
  const shown = await run(['journal', 'show', '--kind', 'ended', '--json', '--state', './left']);
  expect(shown.out).toMatch(/"in order"/);
  writeFileSync(join(cwd, 'minute.csv'), 'ts,open,high,low,close,volume\n1704205800,10,11,9,10,5\n');
  const what = ['--strategy', './leaver.ts', '--bars', 'AAPL=minute.csv', '--interval', '1m'];
  const tested = await run(['backtest', ...what]);
  expect(tested.code).toBe(1);
  expect(tested.err).toContain('strategy leaver threw outside its hooks');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'the emulator prints one line and ends cleanly on %s',
  async (signal) => {
    const child = start(['emulator', '--json', '--speed', '0']);
    const printed = text(child.stdout);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(JSON.parse(await printed)).toMatchObject({ chainId: 143, product: 'ProductA' });
  },
);

test('the emulator under nohup survives SIGHUP, and ends cleanly on SIGTERM', async () => {
  const child = start(['emulator', '--json', '--speed', '0'], { _: '/usr/bin/nohup' });
  await once(child.stdout, 'data');
  child.kill('SIGHUP');
  await setTimeout(300);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a closed stdout is not an error', async () => {
  const child = start(['config', 'explain']);
  child.stdout.destroy();
  const [err] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([err, child.exitCode]).toEqual(['', 0]);
});
