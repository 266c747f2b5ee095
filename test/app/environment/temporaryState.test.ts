import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  symlinkSync,
  writeFileSync,
  chownSync,
  readdirSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  makeTemporaryState,
  markTemporaryState,
  removeTemporaryStates,
} from '../../../src/app/environment/temporaryState.ts';
import { holdLock } from '../../../src/store/stateFolder.ts';
import { drover } from '../../cli/support/commandLine.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'drover-temporary-'));
  vi.stubEnv('TMPDIR', parent);
});
afterEach(() => void vi.unstubAllEnvs());

const left: string[] = [];
const remove = () => removeTemporaryStates((text) => left.push(text));

/** A folder as a run without --state leaves it. */
function leftBehind(): string {
  const folder = makeTemporaryState();
  markTemporaryState(folder);
  writeFileSync(join(folder, 'journal.sqlite'), '');
  mkdirSync(join(folder, 'emulator'));
  return folder;
}

describe('the temporary state folders of earlier runs', () => {
  test('are removed by the next run', () => {
    const folders = [leftBehind(), leftBehind()];
    remove();
    expect([folders.map((folder) => existsSync(folder)), left]).toEqual([[false, false], []]);
  });

  test('stay while a living process holds them', () => {
    const folder = leftBehind();
    const release = holdLock(join(folder, 'lock.sqlite'), 'it');
    remove();
    expect([existsSync(join(folder, 'journal.sqlite')), left]).toEqual([true, []]);
    release();
    remove();
    expect(existsSync(folder)).toBe(false);
  });

  test('stay without the mark of drover, with a changed mark, and behind a link', () => {
    const [bare, other, real] = [makeTemporaryState(), makeTemporaryState(), leftBehind()];
    writeFileSync(join(other, 'temporary'), 'mine');
    const elsewhere = mkdtempSync(join(parent, 'elsewhere-'));
    markTemporaryState(elsewhere);
    symlinkSync(elsewhere, join(parent, 'drover-run-link'));
    const linkedMark = makeTemporaryState();
    symlinkSync(join(elsewhere, 'temporary'), join(linkedMark, 'temporary'));
    remove();
    expect([bare, other, elsewhere, linkedMark, real].map((folder) => existsSync(folder))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  test.runIf(userInfo().uid === 0)('stay where they belong to another user', () => {
    const folder = leftBehind();
    chownSync(folder, 12_345, 12_345);
    remove();
    expect(existsSync(folder)).toBe(true);
  });
});

test('a temporary state folder that a later run uses through --state is kept', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-cwd-'));
  writeFileSync(
    join(cwd, 'run.yaml'),
    "strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]\n",
  );
  const run = async (until: string, ...more: string[]) => {
    const argv = ['run', 'run.yaml', '--until', `2026-06-15T${until}`, '--speed', 'max', ...more];
    expect((await drover(argv, { cwd })).code).toBe(0);
  };
  await run('09:28');
  const [name = ''] = readdirSync(parent).filter((one) => one.startsWith('drover-run-'));
  const folder = join(parent, name);
  await run('09:29', '--state', folder);
  remove();
  expect([existsSync(join(folder, 'journal.sqlite')), left]).toEqual([true, []]);
});

test('a temporary folder that cannot be listed is reported, and nothing is removed', () => {
  const said: string[] = [];
  removeTemporaryStates((text) => said.push(text), join(parent, 'nowhere'));
  expect(said).toEqual([expect.stringContaining(`cannot list ${join(parent, 'nowhere')}`)]);
});

test('the state of the latest run without a state folder is kept, without its reserve', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-cwd-'));
  writeFileSync(
    join(cwd, 'run.yaml'),
    "strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]\n",
  );
  const states = () => readdirSync(parent).filter((name) => name.startsWith('drover-run-'));
  const run = async () => {
    const { code } = await drover(['run', 'run.yaml', '--until', '2026-06-15T09:29', '--speed', 'max'], {
      cwd,
    });
    expect(code).toBe(0);
    return states();
  };
  const first = await run();
  expect(first).toHaveLength(1);
  const second = await run();
  expect(second).toHaveLength(1);
  expect(second).not.toEqual(first);
  const files = readdirSync(join(parent, second[0] ?? ''));
  expect(files).toEqual(expect.arrayContaining(['journal.sqlite', 'temporary']));
  expect(files).not.toContain('reserve');
});
