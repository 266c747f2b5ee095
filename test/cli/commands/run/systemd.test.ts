import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { takeEnvironment } from '../../../../src/process/environment.ts';
import { notify, statusLine, watchdogOf } from '../../../../src/cli/commands/run/systemd.ts';
import { WELL } from '../../../ops/well.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-'));
afterEach(() => Reflect.deleteProperty(process.env, 'DROVER_API_SECRET'));

function programOf(script: string): string {
  const program = join(folder, 'notify');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o700);
  return program;
}

test('the program that notifies systemd gets the socket, and nothing else of the environment', async () => {
  process.env['DROVER_API_SECRET'] = 'very secret';
  const program = programOf(`/usr/bin/env > ${folder}/env; echo "$@" > ${folder}/args`);
  expect(await notify({ socket: '/run/x', pid: 7, fields: ['READY=1', 'STATUS=a b'], program })).toBeNull();
  const names = readFileSync(join(folder, 'env'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? '')).sort()).toEqual([
    'NOTIFY_SOCKET',
    'PATH',
  ]);
  expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('--pid=7 READY=1 STATUS=a b\n');
});

test('a notify program that fails or is missing is a problem, and throws nothing', async () => {
  const message = { socket: '/run/x', pid: 7, fields: ['READY=1'] };
  expect(await notify({ ...message, program: programOf('echo no bus >&2; exit 1') })).toMatch(
    /failed: no bus$/,
  );
  expect(await notify({ ...message, program: join(folder, 'none') })).toMatch(/failed: .*ENOENT/);
});

test('the environment of the service is taken away from strategies and child processes', () => {
  const given = {
    NOTIFY_SOCKET: '/run/x',
    WATCHDOG_USEC: '1',
    WATCHDOG_PID: '1',
    CREDENTIALS_DIRECTORY: '/c',
    HOME: '/h',
  };
  const left: Record<string, string | undefined> = { ...given };
  expect(takeEnvironment(left)).toEqual(given);
  expect(left).toEqual({ HOME: '/h' });
});

test.each([
  [{ WATCHDOG_USEC: '120000000' }, 120_000],
  [{ WATCHDOG_USEC: '120000000', WATCHDOG_PID: '7' }, 120_000],
  [{ WATCHDOG_USEC: '120000000', WATCHDOG_PID: '8' }, null],
  [{ WATCHDOG_USEC: '0' }, null],
  [{}, null],
])('the watchdog settings %o for process 7 give %s', (env, ms) => {
  expect(watchdogOf(env, 7)).toBe(ms);
});

test('a status line that cannot be computed says why, and throws nothing', () => {
  const health = () => WELL;
  const fails = () => {
    throw new Error('no price');
  };
  expect(statusLine({ status: fails, health })).toBe('no status: no price');
  const status = { state: { trading: 'active' }, session: { phase: 'regular' }, equity: '100000.256' };
  expect(statusLine({ status: () => status as never, health })).toBe(
    'active, session regular, equity 100000.26 mUSD',
  );
});
