import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drover, typing } from '../../cli/support/commandLine.ts';
import { accountOf, startEmulated } from '../../cli/support/emulated.ts';
import { allow, startMovingUser, txHash } from '../../cli/support/movingUser.ts';
import { cwd, env } from '../../cli/support/oneUser.ts';
import { booksIn } from '../../cli/support/stateFolder.ts';

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
  expect(err).toContain('the kill file is there. Nothing was sent');
});

test('Ctrl-C in the middle of a send ends the waiting, and the answer is in the journal before the command ends', async () => {
  const stop = new AbortController();
  const send = 'POST /api/v1/cash/deposits/send';
  const answer = one.answers[send];
  one.answers[send] = (request) => {
    stop.abort('SIGINT');
    return answer?.(request);
  };
  const { code, err } = await drover([...deposit, '--yes'], { env, cwd, signal: stop.signal });
  expect([code, one.sends()]).toEqual([130, [send]]);
  expect(err).toContain('still under way: the next command or run on this state folder goes on with it');
  const [, folder = ''] = /are recorded in (\S+) \(/.exec(err) ?? [];
  expect([...booksIn(folder).transfers.all.values()]).toMatchObject([
    { state: { kind: 'acknowledged', txHash } },
  ]);
});

test('an approval obeys a late kill file, and says at Ctrl-C that it is still waiting', async () => {
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
