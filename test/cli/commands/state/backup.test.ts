import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readyDaemon, type DaemonRun } from '../../../ops/control/daemonRun.ts';
import { drover } from '../../support/commandLine.ts';
import { booksIn, entriesIn } from '../../support/stateFolder.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
const env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };
const run = (...argv: string[]) => drover(argv, { env, cwd });
const inFolder = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

const FILES = [
  'account',
  'backup.json',
  'contracts',
  'emulator/emulator.sqlite',
  'journal.sqlite',
  'journal.sqlite-head',
];

describe('a backup of a run in progress', () => {
  let daemon: DaemonRun;
  const folder = join(cwd, 'nightly');
  beforeAll(async () => {
    daemon = await readyDaemon({ env });
    writeFileSync(join(daemon.stateDir, 'control-token'), 'a secret of this machine');
    writeFileSync(join(daemon.stateDir, 'KILL.was'), '');
    writeFileSync(join(daemon.stateDir, 'contracts'), '{}', { mode: 0o600 });
  });
  afterAll(() => daemon.stop());

  test('has what a run needs and nothing else, readable only by its owner', async () => {
    const { code, out, err } = await run('backup', folder, '--state', daemon.stateDir, '--json');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({
      folder,
      from: daemon.stateDir,
      mode: 'emulator',
      journal: { starts: 1 },
      leftOut: expect.arrayContaining([
        'control-token',
        'control.sock',
        'drover.log',
        'lock.sqlite',
        'reserve',
      ]) as string[],
    });
    expect(inFolder(folder)).toEqual(FILES);
    for (const name of FILES) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const verified = await run('journal', 'verify', '--state', folder);
    expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('all intact')]);
  });

  test('ends its journal with a halt, and leaves that of the run as it is', async () => {
    const copy = join(cwd, 'by-hand');
    cpSync(folder, copy, { recursive: true });
    const restored = await run('restore', folder, '--state', join(cwd, 'restored'));
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining('Its next run starts halted')]);
    for (const state of [copy, join(cwd, 'restored')])
      expect(booksIn(state).trading.ofRun).toMatchObject({ state: 'halted', cause: 'restored' });
    expect(booksIn(daemon.stateDir).trading.ofRun).toBeNull();
    const [status] = [await run('status', '--state', join(cwd, 'restored'), '--json')];
    expect(JSON.parse(status.out)).toMatchObject({ running: false, state: { trading: 'halted' } });
  });

  test('starts halted once restored, sends nothing, and is not resumed without a running daemon', async () => {
    const state = join(cwd, 'restored');
    const config = join(cwd, 'run.yaml');
    const text = `emulator: { start: '2026-06-15T09:40' }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:50' } }]
`;
    writeFileSync(config, text);
    const trading = [
      'run',
      config,
      '--state',
      state,
      '--until',
      '2026-06-15T10:00',
      '--speed',
      'max',
      '--json',
    ];
    const { code, out, err } = await run(...trading);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('trading is halted: restored from the backup of'),
    ]);
    expect(JSON.parse(out)).toMatchObject({ orders: { sent: 0 } });
    const resumed = await run('resume', '--state', state, '--config', config, '--reason', 'all is well');
    expect([resumed.code, resumed.err]).toEqual([4, expect.stringContaining('restored from a backup')]);
  });

  test('into an unusable place is refused, and nothing is written', async () => {
    const full = join(cwd, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine'), '');
    mkdirSync(join(cwd, 'busy.partial'));
    const at = (place: string) => run('backup', place, '--state', daemon.stateDir);
    expect(await at('full')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not empty') as string,
    });
    expect(await at('busy')).toMatchObject({
      code: 2,
      err: expect.stringContaining('busy.partial') as string,
    });
    symlinkSync(daemon.stateDir, join(cwd, 'link'));
    for (const inside of [
      join(daemon.stateDir, 'inside'),
      join(daemon.stateDir, '..inside'),
      join('link', 'inside'),
    ])
      expect(await at(inside)).toMatchObject({
        code: 2,
        err: expect.stringContaining('is inside the state folder') as string,
      });
    expect(readdirSync(full)).toEqual(['mine']);
    expect(existsSync(join(cwd, 'busy'))).toBe(false);
  });
});

describe('a restore', () => {
  const folder = join(cwd, 'nightly');

  test.each<readonly [string, string, (copy: string) => void]>([
    [
      'a changed file',
      'account was changed after it was written',
      (copy) => writeFileSync(join(copy, 'account'), 'other'),
    ],
    [
      'a journal without its halt',
      'journal.sqlite was changed after it was written',
      (copy) => writeFileSync(join(copy, 'journal.sqlite'), ''),
    ],
    [
      'a backup.json without its fields',
      'does not describe a backup',
      (copy) => writeFileSync(join(copy, 'backup.json'), '{}'),
    ],
    [
      'a name that leads out of it',
      'does not describe a backup',
      (copy) => {
        const file = join(copy, 'backup.json');
        writeFileSync(file, readFileSync(file, 'utf8').replace('"account"', '"../account"'));
      },
    ],
  ])('of %s is refused, and nothing is written', async (name, why, spoil) => {
    const [copy, state] = [join(cwd, `spoilt ${name}`), join(cwd, `state ${name}`)];
    cpSync(folder, copy, { recursive: true });
    spoil(copy);
    expect(await run('restore', copy, '--state', state)).toMatchObject({
      code: 2,
      err: expect.stringContaining(why) as string,
    });
    expect([existsSync(state), existsSync(`${state}.partial`)]).toEqual([false, false]);
  });

  test('into the backup itself is refused, also through a link', async () => {
    symlinkSync(folder, join(cwd, 'linked'));
    for (const state of [join(folder, 'state'), join(cwd, 'linked', 'state')]) {
      const { code, err } = await run('restore', folder, '--state', state);
      expect([code, err]).toEqual([2, expect.stringContaining('is inside the backup')]);
      expect(existsSync(state)).toBe(false);
    }
  });

  test('over another state is refused', async () => {
    const state = join(cwd, 'restored');
    const before = entriesIn(state).length;
    expect((await run('restore', folder, '--state', state)).code).toBe(2);
    expect(entriesIn(state)).toHaveLength(before);
  });
});
