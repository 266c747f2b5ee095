import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdNamed } from '../../../../src/app/environment/locks.ts';
import { cwd, startOneUser } from '../../support/oneUser.ts';
import { stateSaying } from '../../support/stateFolder.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
let state: string;
let killFile: string;

beforeEach(async () => {
  one = await startOneUser();
  one.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  one.writeConfig('', { mode: 'live' });
  state = stateSaying([]);
  killFile = join(state, 'KILL');
});
afterEach(() => one.venue.close());

const say = (command: 'halt' | 'resume', ...more: string[]) =>
  one.run(command, '--reason', 'to look around', '--state', state, ...more);

describe('the state folder of a run that does not respond', () => {
  let release: () => void;
  beforeEach(() => {
    release = holdNamed({ folder: state, name: 'lock', what: 'the state', holder: 'drover run (process 7)' });
  });
  afterEach(() => release());

  test('gets a kill file by halt, which says how to go on, and loses it by resume', async () => {
    const halt = await say('halt');
    expect([halt.code, halt.err]).toEqual([0, '']);
    expect(halt.out).toContain(
      `the state folder ${state}, held by drover run (process 7). It does not answer. Its kill file ${killFile} was made: no order is placed`,
    );
    expect(halt.out).toContain('`drover resume --reason TEXT` removes it and ends the halt');
    expect(readFileSync(killFile, 'utf8')).toBe('drover halt: to look around\n');
    const again = await say('halt');
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('halted already: the kill file')]);

    const resumed = await say('resume', '--json');
    expect(JSON.parse(resumed.out)).toEqual({
      why: `the kill file ${killFile}`,
      reason: 'to look around',
      resumed: true,
      killFile,
    });
    expect(existsSync(killFile)).toBe(false);
    expect(one.sent()).toEqual([]);
  });

  test('keeps a kill file that a person made', async () => {
    writeFileSync(killFile, '');
    const { code, err } = await say('resume');
    expect([code, err]).toEqual([2, expect.stringContaining(`To continue: rm ${killFile}`)]);
    expect(existsSync(killFile)).toBe(true);
  });

  test('has nothing to resume without a kill file', async () => {
    const { code, err } = await say('resume');
    expect([code, err]).toEqual([
      4,
      expect.stringContaining('held by drover run (process 7): stop it first'),
    ]);
  });
});

describe('limits.killFile in the config', () => {
  let shared: string;
  beforeEach(() => {
    shared = join(mkdtempSync(join(tmpdir(), 'drover-')), 'STOP');
    const config = join(cwd, 'my.yaml');
    const text = readFileSync(config, 'utf8');
    writeFileSync(config, text.replace('limits:\n  {', `limits:\n  { killFile: ${shared},`));
  });
  const hold = () =>
    holdNamed({ folder: state, name: 'lock', what: 'the state', holder: 'drover run (process 7)' });

  test('does not change where halt makes its kill file: in the state folder', async () => {
    const release = hold();
    const halt = await say('halt');
    expect([halt.code, existsSync(killFile), existsSync(shared)]).toEqual([0, true, false]);
    const resumed = await say('resume');
    expect([resumed.code, existsSync(killFile)]).toEqual([0, false]);
    release();
  });

  test('is named by halt where it exists, and removed by resume with that of the state folder', async () => {
    const release = hold();
    writeFileSync(shared, 'drover halt: by 0.4.0\n');
    expect((await say('halt')).err).toContain(`halted already: the kill file ${shared} exists`);
    writeFileSync(killFile, 'drover halt: to look around\n');
    expect((await say('resume')).code).toBe(0);
    expect([existsSync(killFile), existsSync(shared)]).toEqual([false, false]);
    release();
  });
});

describe('the state folder of an ended run', () => {
  test('loses the kill file of halt by resume, once ledger and venue agree', async () => {
    writeFileSync(killFile, 'drover halt: to look around\n');
    const done = await say('resume');
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('trading may go on')]);
    expect(existsSync(killFile)).toBe(false);
  });

  test('keeps a kill file that a person made, which resume names, with or without a halt in the journal', async () => {
    writeFileSync(killFile, '');
    expect((await say('resume')).err).toContain(`To continue: rm ${killFile}`);
    expect((await say('halt')).code).toBe(0);
    const done = await say('resume');
    expect([done.code, done.err]).toEqual([
      4,
      `drover: trading stays halted: the kill file ${killFile} is there. To go on: rm ${killFile}, and resume then\n`,
    ]);
    rmSync(killFile);
    expect((await say('resume')).code).toBe(0);
  });
});
