import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drover, typing } from '../support/commandLine.ts';
import { accountOf, startEmulated } from '../support/emulated.ts';
import { allow, startMovingUser } from '../support/movingUser.ts';
import { cwd, env } from '../support/oneUser.ts';

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => {
  one = await startMovingUser();
});
afterEach(() => one.venue.close());

const deposit = ['cash', 'deposit', '100', '--config', 'my.yaml'];

test('a kill file that appears while a send waits for a yes stops the send', async () => {
  allow('deposits', 'state: ./state\n');
  const state = join(cwd, 'state');
  mkdirSync(state, { recursive: true });
  const slow = typing('y');
  const ask = (question: string) => {
    writeFileSync(join(state, 'KILL'), '');
    return slow.ask(question);
  };
  const { code, err } = await drover(deposit, { env, cwd, keyboard: { ...slow, ask } });
  rmSync(state, { recursive: true });
  expect([code, one.sends()]).toEqual([4, []]);
  expect(err).toMatch(/state\/KILL is there, and nothing is sent/);
});

/** Stops a command while its send is under way, and once more: what it tells at each, and how it ends. */
async function stopTwice(argv: readonly string[], path: string) {
  const stop = new AbortController();
  let second: () => void = () => undefined;
  const told: string[] = [];
  const at: { first: string[]; second: string[] } = { first: [], second: [] };
  const answer = one.answers[path];
  one.answers[path] = (request) => {
    const before = told.length;
    stop.abort('SIGINT');
    at.first = told.slice(before);
    second();
    at.second = told.slice(before + at.first.length);
    return answer?.(request);
  };
  const ran = await drover(argv, {
    env,
    cwd,
    signal: stop.signal,
    onSecond: (act) => {
      second = act;
    },
    onErr: (text) => told.push(text),
  });
  return { ran, at };
}

test('the first Ctrl-C during a send says that it is waited for, the second what is not known', async () => {
  const { ran, at } = await stopTwice([...deposit, '--yes'], 'POST /api/v1/cash/deposits/send');
  expect(at.first).toEqual([expect.stringContaining('the send is under way: waiting for its answer')]);
  expect(at.second).toEqual([
    expect.stringMatching(
      /ended in the middle of the send.*`drover cash list --config my\.yaml` and `drover balance --config my\.yaml`/,
    ),
  ]);
  expect([ran.code, one.sends()]).toEqual([0, ['POST /api/v1/cash/deposits/send']]);
});

test('an approval heeds a late kill file, and says at Ctrl-C that it is waited for', async () => {
  const venue = await startEmulated(76);
  const killFile = join(cwd, 'STOP');
  const limits = `orderNotional: 5000, killFile: '${killFile}'`;
  const { run } = accountOf(venue, 'one-click', { limits });
  const approve = ['wallet', 'approve', 'USDC', '5', '--yes'];
  try {
    const stopped = await run(approve, undefined, (text) => {
      if (text.startsWith('Approve 5')) writeFileSync(killFile, '');
    });
    rmSync(killFile);
    expect([stopped.code, stopped.err]).toEqual([4, expect.stringContaining('STOP is there')]);
    expect(stopped.err).not.toContain('signed: 0x');

    const stop = new AbortController();
    const { code, err } = await run(approve, stop.signal, (text) => {
      if (text.startsWith('signed: ')) stop.abort('SIGINT');
    });
    expect([code, err]).toEqual([
      130,
      expect.stringContaining('the send is under way: waiting for its answer'),
    ]);
  } finally {
    await venue.close();
  }
});
