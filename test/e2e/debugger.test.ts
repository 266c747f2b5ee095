import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';

/** Built by `npm run build`, as `npm test` does first. */
const MAIN = join(process.cwd(), 'dist/bin/main.js');
const folder = mkdtempSync(join(tmpdir(), 'drover-signal-'));
const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

function start(argv: readonly string[], { node = [] as string[], env = {} } = {}) {
  const child = spawn(process.execPath, [...node, MAIN, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  children.push(child);
  let err = '';
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const said = () => `${out}\n${err}`;
  const until = async (pattern: RegExp) => {
    for (let tries = 0; tries < 2_000 && !pattern.test(said()); tries++) await setTimeout(50);
    expect(said()).toMatch(pattern);
  };
  return { child, said, until };
}

/** How many TCP ports a process listens on. */
function listening(pid: number): number {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  const LISTEN = '0A';
  const rows = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'),
  );
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.includes(inode ?? '')).length;
}

async function expectClosed({ child, said }: ReturnType<typeof start>) {
  const pid = child.pid ?? 0;
  const before = listening(pid);
  for (let times = 0; times < 3; times++) child.kill('SIGUSR1');
  await setTimeout(700);
  expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  expect(said()).not.toMatch(/debugger/i);
  expect(listening(pid)).toBe(before);
}

const ANY_PORT = { node: ['--inspect-port=0'] };

describe.skipIf(process.platform !== 'linux')('SIGUSR1', () => {
  test('opens no debugger in the emulator', async () => {
    const ran = start(['emulator', '--json', '--speed', '0'], ANY_PORT);
    await ran.until(/baseUrl/);
    await expectClosed(ran);
  });

  test('opens no debugger in a run, which goes on', async () => {
    const config = join(folder, 'slow.yaml');
    writeFileSync(
      config,
      `emulator: { speed: 1 }\nstrategies: [{ id: one, use: dca, capital: 20, params: { symbol: AAPL, notional: '5' } }]\n`,
    );
    const ran = start(['run', config, '--state', join(folder, 'state')], ANY_PORT);
    await ran.until(/one/);
    await expectClosed(ran);
  });
});

describe('a command under an open debugger', () => {
  const keys = { DROVER_API_KEY: 'canary-of-the-key', DROVER_API_SECRET: 'canary-of-the-secret' };
  const config = join(folder, 'live.yaml');
  writeFileSync(
    config,
    `mode: live
venue: { baseUrl: 'http://127.0.0.1:9', chainId: 143, product: ProductA, userAddress: '0x${'1'.repeat(40)}' }
strategies: [{ id: one, use: dca, capital: 20, params: { symbol: AAPL, notional: '5' } }]
`,
  );

  test.each([
    ['a flag', { node: ['--inspect=127.0.0.1:0'] }],
    ['NODE_OPTIONS', { env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' } }],
  ])('reads no secret: %s', async (_, { node = [], env = {} }: { node?: string[]; env?: object }) => {
    const ran = start(['balance', '--config', config], { node, env: { ...keys, ...env } });
    const [code] = (await once(ran.child, 'exit')) as [number];
    expect(ran.said()).toContain('the debugger of this process is open');
    expect(ran.said()).not.toContain('canary');
    expect(code).toBe(4);
  });

  test('opens no key', async () => {
    const env = { DROVER_KEYSTORE_PASSWORD: 'canary-password' };
    const ran = start(['keys', 'create', 'one'], { node: ['--inspect=127.0.0.1:0'], env });
    expect(await once(ran.child, 'exit')).toEqual([4, null]);
    expect(ran.said()).toContain('the debugger of this process is open');
  });
});
