import { chmodSync, existsSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { machine, systemClock } from '../../../src/core/clock.ts';
import { silentLog } from '../../../src/core/log.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { openControl, type Control, type ControlOptions } from '../../../src/ops/control/control.ts';
import type { Daemon } from '../../../src/ops/daemon.ts';
import { ask } from './asking.ts';
import { READ, until } from './bareServer.ts';

const open: Control[] = [];
afterEach(() => Promise.all(open.splice(0).map((control) => control.close())));

const pastOf = (journal: string): ControlOptions['past'] => ({
  journal,
  kind: 'emulator',
  account: 'x',
  params: [],
  exceptions: [],
  runs: '/nowhere',
});

/** The listeners of a run that does nothing. */
async function listeners(stateDir: string, tcp?: ControlOptions['tcp']): Promise<Control> {
  const identity = { mode: 'emulator', account: 'x', version: '0', stateDir, pid: 1, startedAt: '' };
  const control = await openControl({
    daemon: { identity } as unknown as Daemon,
    past: pastOf(join(stateDir, 'journal.sqlite')),
    hasBegun: () => true,
    clock: systemClock,
    host: machine,
    secrets: new Secrets(),
    log: silentLog,
    user: 'a test',
    tcp,
  });
  open.push(control);
  return control;
}

const fresh = (mode = 0o700) => {
  const stateDir = mkdtempSync(join(tmpdir(), 'drover-'));
  chmodSync(stateDir, mode);
  return stateDir;
};
const modeOf = (path: string) => statSync(path).mode & 0o777;

test.each([0o755, 0o750, 0o711])(
  'a state folder of mode %o is made private before the socket is made',
  async (mode) => {
    const stateDir = fresh(mode);
    const { socket } = await listeners(stateDir);
    expect([modeOf(stateDir), modeOf(socket ?? '')]).toEqual([0o700, 0o600]);
  },
);

test('a control socket that cannot be made is a problem in words, and TCP works on', async () => {
  const stateDir = fresh();
  mkdirSync(join(stateDir, 'control.sock'));
  const tcp = { listen: { host: '127.0.0.1', port: 0 }, tokens: { read: READ }, allowsMoney: () => false };
  const { socket, problem, url } = await listeners(stateDir, tcp);
  expect([socket, problem]).toEqual([
    null,
    `${join(stateDir, 'control.sock')} is not a socket of drover: remove it, and start again`,
  ]);
  const port = Number(new URL(url ?? '').port);
  const headers = { host: 'localhost', authorization: `Bearer ${READ}` };
  expect((await ask({ port, path: '/v1/openapi.json', headers })).status).toBe(200);
  expect(existsSync(join(stateDir, 'control.sock'))).toBe(true);
});

test('a missing state folder is a problem in words', async () => {
  const { socket, problem } = await listeners(join(fresh(), 'gone'));
  expect([socket, problem]).toEqual([null, expect.stringContaining('no such file')]);
});

test('TCP connections take no place from those of the socket', async () => {
  const tcp = { listen: { host: '127.0.0.1', port: 0 }, tokens: { read: READ }, allowsMoney: () => false };
  const { socket, url } = await listeners(fresh(), tcp);
  const port = Number(new URL(url ?? '').port);
  const flood = Array.from({ length: 300 }, () =>
    connect({ host: '127.0.0.1', port }).on('error', () => undefined),
  );
  const opened = () => flood.filter((one) => !one.destroyed && one.readyState === 'open').length;
  await until(() => flood.filter((one) => one.destroyed).length === 200);
  expect(opened()).toBe(100);
  const from = performance.now();
  for (let count = 0; count < 20; count++)
    expect((await ask({ socket: socket ?? '', path: '/v1/openapi.json' })).status).toBe(200);
  expect(performance.now() - from).toBeLessThan(2_000);
  for (const one of flood) one.destroy();
});
