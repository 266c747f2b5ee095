import {
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machine } from '../../../src/core/clock.ts';
import { accepts, freeSocketPlace, isOwnSocket, socketOf } from '../../../src/ops/control/socket.ts';
import { drover } from '../../cli/support/commandLine.ts';

const fresh = () => mkdtempSync(join(tmpdir(), 'drover-'));
const listening = (path: string): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen({ path }, () => resolve(server));
  });
const closed = (server: Server) => new Promise((resolve) => server.close(resolve));

/** Leaves a socket behind, as a killed process does. */
async function deadSocketAt(path: string): Promise<void> {
  const { execFileSync } = await import('node:child_process');
  const code = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  try {
    execFileSync(process.execPath, ['-e', code], { stdio: 'ignore' });
  } catch {
    // Killed.
  }
}

test('the socket of a dead daemon is replaced', async () => {
  const state = fresh();
  const path = join(state, 'control.sock');
  await deadSocketAt(path);
  expect([socketOf(state), await accepts(path, machine)]).toEqual([path, false]);
  expect((await freeSocketPlace(state, {}, machine)).path).toBe(path);
  expect(existsSync(path)).toBe(false);
});

test('the socket of a living daemon is kept', async () => {
  const state = fresh();
  const server = await listening(join(state, 'control.sock'));
  await expect(freeSocketPlace(state, {}, machine)).rejects.toThrow('another process answers at');
  expect(await accepts(join(state, 'control.sock'), machine)).toBe(true);
  await closed(server);
});

test('a link in place of the socket is not followed', async () => {
  const state = fresh();
  symlinkSync('/dev/null', join(state, 'control.sock'));
  await expect(freeSocketPlace(state, {}, machine)).rejects.toThrow('is not a socket of drover');
});

test('a socket with too long a path is made in a private short folder that control.addr names', async () => {
  const state = join(fresh(), 'a'.repeat(100));
  mkdirSync(state);
  expect(socketOf(state)).toBeNull();
  const { path, remove } = await freeSocketPlace(state, {}, machine);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(107);
  expect(readFileSync(join(state, 'control.addr'), 'utf8')).toBe(`${path}\n`);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  const server = await listening(path);
  expect(socketOf(state)).toBe(path);
  await closed(server);
  remove();
  expect([existsSync(dirname(path)), existsSync(join(state, 'control.addr'))]).toEqual([false, false]);
});

describe.skipIf(process.geteuid?.() !== 0)('the socket of another user', () => {
  const OTHER = 12_345;
  const another = (path: string) => {
    lchownSync(path, OTHER, OTHER);
    return path;
  };

  test.each([
    ['a socket', (state: string) => another(join(state, 'control.sock')), 'the control socket'],
    ['a state folder', (state: string) => another(state), 'the folder of the control socket'],
  ])('is refused: %s', async (_, give, what) => {
    const state = fresh();
    const server = await listening(join(state, 'control.sock'));
    expect(socketOf(state)).toBe(join(state, 'control.sock'));
    const path = give(state);
    expect(() => socketOf(state)).toThrow(
      `${what} (${path}) belongs to another user: it is not used, and nothing was sent`,
    );
    expect(isOwnSocket(join(state, 'control.sock'))).toBe(false);
    await closed(server);
  });

  test.each([
    ['a socket that control.addr names', (path: string) => another(path), 'the control socket'],
    [
      'its folder',
      (path: string) => another(realpathSync(dirname(path))),
      'the folder of the control socket',
    ],
    [
      'control.addr',
      (_: string, state: string) => another(join(state, 'control.addr')),
      'the address of the control socket',
    ],
  ])('is refused where control.addr leads to it: %s', async (_, give, what) => {
    const state = join(fresh(), 'a'.repeat(100));
    mkdirSync(state);
    const { path, remove } = await freeSocketPlace(state, {}, machine);
    const server = await listening(path);
    expect(socketOf(state)).toBe(path);
    give(path, state);
    expect(() => socketOf(state)).toThrow(`${what} (`);
    await closed(server);
    remove();
  });

  test('gets no command', async () => {
    const state = fresh();
    let connections = 0;
    const server = await listening(join(state, 'control.sock'));
    server.on('connection', () => connections++);
    another(join(state, 'control.sock'));
    const { code, err } = await drover(['pause', '--state', state]);
    expect([code, err]).toEqual([4, expect.stringContaining('belongs to another user')]);
    expect(connections).toBe(0);
    await closed(server);
  });
});

test('a link to a socket is not used, because it may lead to that of another user', async () => {
  const [state, other] = [fresh(), fresh()];
  const server = await listening(join(other, 'control.sock'));
  symlinkSync(join(other, 'control.sock'), join(state, 'control.sock'));
  expect(socketOf(state)).toBeNull();
  await closed(server);
});
