import { execFileSync, spawn, spawnSync, type StdioOptions } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Status } from '../../src/ops/model/status.ts';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir, MAIN, root } from './cli.ts';

const LONG_MS = 480_000;
/** Time limit in ms for the stop of a run whose output is not read. */
const END_MS = 20_000;
/** Time limit in ms for a run to show an expected status, also on a busy machine. */
const STATUS_MS = 180_000;

const TALKS = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'talks', description: 'Prints much at each quote.', params: z.strictObject({}),
  data: () => ({ quotes: ['AAPL'] }),
  create: () => ({ onQuote() { for (let i = 0; i < 40; i++) console.log('x'.repeat(300)); } }),
});
`;

/** A full pipe, so that the next write to it waits. `end`: the descriptor to write to. */
function fullPipe() {
  const file = join(freshDir(), 'pipe');
  execFileSync('mkfifo', [file]);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const filler = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  const end = openSync(file, constants.O_WRONLY);
  for (const size of [4_096, 1])
    try {
      for (;;) writeSync(filler, Buffer.alloc(size, '-'));
    } catch {
      // It is full.
    }
  closeSync(filler);
  onTestFinished(() => closeSync(reader));
  return { reader, end };
}

/** A full socket, as systemd gives to a service. */
async function fullSocket(): Promise<Socket> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  while (socket.writableLength < 1_000_000) {
    socket.write(Buffer.alloc(500_000, '-'));
    await setTimeout(20);
  }
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return socket;
}

type Words = readonly [string, ...string[]];
const SHELL: Words = ['sh', '-c'];

/** Starts a run of strategies that print much. `words`: a program that takes its command line. */
function startUnread(stdio: StdioOptions, flags: readonly string[] = [], words: Words = SHELL) {
  const folder = freshDir();
  const [state, pidFile] = [join(folder, 'state'), join(folder, 'pid')];
  writeFileSync(join(folder, 'talks.ts'), TALKS);
  const strategies = ['a', 'b', 'c'].map(
    (id) => `  - { id: ${id}, use: ./talks.ts, capital: 100, params: {} }`,
  );
  const config = join(folder, 'run.yaml');
  writeFileSync(
    config,
    `emulator: { start: '2026-06-15T10:00', speed: 60 }\nstrategies:\n${strategies.join('\n')}\n`,
  );
  const line = `echo $$ > ${pidFile}; exec ${process.execPath} ${MAIN} run ${config} --state ${state} ${flags.join(' ')}`;
  const [program, ...before] = words;
  const child = spawn(program, [...before, line, '/dev/null'], {
    cwd: root,
    stdio,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  const done = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const status = async (): Promise<Status | null> => {
    const { out } = await drover(['status', '--state', state, '--json']);
    return out === '' ? null : (JSON.parse(out) as Status);
  };
  const pid = () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : 0);
  onTestFinished(() => void (pid() > 0 && spawnSync('kill', ['-KILL', String(pid())])));
  return { state, done, status, pid };
}

type Unread = ReturnType<typeof startUnread>;

/** True once a process has ended, even if its blocked parent has not collected the exit code. */
const hasEnded = (pid: number): boolean =>
  ['', 'Z'].includes(
    spawnSync('ps', ['-o', 'stat=', '-p', String(pid)])
      .stdout.toString()
      .trim()
      .slice(0, 1),
  );

/** The status of a run once one fits. */
async function statusOf(run: Unread, fits: (seen: Status) => boolean): Promise<Status> {
  let seen: Status | null = null;
  for (const end = performance.now() + STATUS_MS; performance.now() < end;) {
    seen = await run.status();
    if (seen?.running && fits(seen)) return seen;
    await setTimeout(100);
  }
  const { stdout } = spawnSync('ps', ['-o', 'stat=,wchan:30=,etime=,time=', '-p', String(run.pid())]);
  throw new Error(`the run gives no such status. Its process: ${stdout}, its last: ${JSON.stringify(seen)}`);
}

/** Expects that a run trades on, obeys the kill file and stops by SIGTERM, all while its output is not read. */
async function expectFree(run: Unread): Promise<number | null> {
  const early = await statusOf(run, ({ session }) => session.phase === 'regular');
  await statusOf(run, ({ now }) => Date.parse(now) > Date.parse(early.now) + 30_000);
  writeFileSync(join(run.state, 'KILL'), '');
  await statusOf(run, ({ state }) => state.trading === 'halted');
  process.kill(run.pid(), 'SIGTERM');
  return Promise.race([run.done, setTimeout(END_MS, -1)]);
}

describe('a run trades on and stops in time while nothing reads', { timeout: LONG_MS }, () => {
  test('its stdout and stderr, one pipe', async () => {
    const { reader, end } = fullPipe();
    expect(await expectFree(startUnread(['ignore', end, end]))).toBe(0);
    expect(readSync(reader, Buffer.alloc(10))).toBe(10);
  });

  test('its stdout', { tags: ['long'] }, async () => {
    expect(await expectFree(startUnread(['ignore', fullPipe().end, 'ignore']))).toBe(0);
  });

  test('its stderr with --json', { tags: ['long'] }, async () => {
    expect(await expectFree(startUnread(['ignore', 'ignore', fullPipe().end], ['--json']))).toBe(0);
  });

  test('the socket of its supervisor', { tags: ['long'] }, async () => {
    const socket = await fullSocket();
    expect(await expectFree(startUnread(['ignore', socket, socket]))).toBe(0);
  });

  test.runIf(spawnSync('script', ['--version']).status === 0)(
    'its terminal',
    { tags: ['long'] },
    async () => {
      const { end } = fullPipe();
      const run = startUnread(['ignore', end, end], [], ['script', '-qfec']);
      const early = await statusOf(run, ({ session }) => session.phase === 'regular');
      await statusOf(run, ({ now }) => Date.parse(now) > Date.parse(early.now) + 60_000);
      process.kill(run.pid(), 'SIGTERM');
      for (let looks = 0; looks * 100 < END_MS; looks++) {
        if (hasEnded(run.pid())) return;
        await setTimeout(100);
      }
      throw new Error('the run is alive');
    },
  );
});

test('another command waits for its reader and cuts nothing', { timeout: LONG_MS }, async () => {
  const { reader, end } = fullPipe();
  const child = spawn(process.execPath, [MAIN, 'data', 'generate', '--help'], {
    cwd: root,
    stdio: ['ignore', end, 'inherit'],
  });
  closeSync(end);
  const done = new Promise((resolve) => child.on('exit', resolve));
  expect(await Promise.race([done, setTimeout(1_500, 'waits')])).toBe('waits');
  let text = '';
  for (const bytes = Buffer.alloc(65_536); ;) {
    let count = -1;
    try {
      count = readSync(reader, bytes);
    } catch {
      await setTimeout(10);
    }
    if (count === 0) break;
    if (count > 0) text += bytes.toString('utf8', 0, count);
  }
  expect(text.trimEnd()).toMatch(/stack traces with errors$/);
  expect(await done).toBe(0);
});
