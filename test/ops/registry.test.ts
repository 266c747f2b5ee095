import { existsSync, lchownSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { machine } from '../../src/core/clock.ts';
import { registerDaemon, registeredDaemons } from '../../src/ops/registry.ts';
import { drover } from '../cli/support/commandLine.ts';

const servers: Server[] = [];
let connections = 0;
let runtime: string;
let folder: string;
beforeEach(() => {
  connections = 0;
  runtime = fresh();
  folder = join(runtime, 'drover');
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

const fresh = () => mkdtempSync(join(tmpdir(), 'drover-'));

/** A daemon that accepts connections and never responds, registered in the folder of the locks. */
async function daemon(mode: 'emulator' | 'live' = 'emulator') {
  const stateDir = fresh();
  const socket = join(stateDir, 'control.sock');
  const server = createServer((connection) => {
    connections++;
    connection.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen({ path: socket }, resolve));
  const identity = {
    mode,
    account: `account in ${stateDir}`,
    version: '0',
    stateDir,
    pid: 7,
    startedAt: '',
    killFiles: [],
  };
  const remove = registerDaemon(identity, { socket, startedAt: '' }, [folder]);
  return { stateDir, socket, server, remove };
}

/** Makes the folder of the locks, as a first command does. */
const madeFolder = () => drover(['status'], { env: { XDG_RUNTIME_DIR: runtime } });
const found = async () => (await registeredDaemons([folder], machine)).map(({ stateDir }) => stateDir).sort();

test('a command that finds two daemons lists both with mode and account, sends nothing, and ends with exit 2', async () => {
  await madeFolder();
  const [one, other] = [await daemon(), await daemon('live')];
  for (const argv of [['status'], ['pause'], ['flatten', '--yes'], ['ack']]) {
    const { code, out, err } = await drover(argv, { env: { XDG_RUNTIME_DIR: runtime } });
    expect([argv, code, out]).toEqual([argv, 2, '']);
    expect(err).toContain('several daemons of this user run: name one with --state DIR');
    expect(err).toContain(`${one.stateDir}: mode emulator, account in ${one.stateDir}`);
    expect(err).toContain(`${other.stateDir}: mode live, account in ${other.stateDir}`);
  }
});

test('an entry of the registry is private, and is removed with its daemon', async () => {
  await madeFolder();
  const { stateDir, remove } = await daemon();
  const files = () => readdirSync(folder).filter((name) => name.startsWith('daemon-'));
  expect(files().map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600]);
  expect(await found()).toEqual([stateDir]);
  remove();
  expect(files()).toEqual([]);
});

test('the entry of a dead daemon is removed, and an unreadable entry ignored', async () => {
  await madeFolder();
  const [dead, living] = [await daemon(), await daemon()];
  writeFileSync(join(folder, 'daemon-cut.json'), '{"socket":');
  await new Promise((resolve) => dead.server.close(resolve));
  servers.splice(servers.indexOf(dead.server), 1);
  expect(await found()).toEqual([living.stateDir]);
  expect(existsSync(dead.socket)).toBe(false);
  expect(await found()).toEqual([living.stateDir]);
});

test.skipIf(process.geteuid?.() !== 0)('a socket of another user is not connected to', async () => {
  await madeFolder();
  const [foreign, own] = [await daemon(), await daemon()];
  lchownSync(foreign.socket, 12_345, 12_345);
  expect(await found()).toEqual([own.stateDir]);
  expect(connections).toBe(1);
});
