import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drover } from './support/commandLine.ts';

const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
const config = join(process.cwd(), 'config/emulator.yaml');
const run = (...argv: string[]) => drover([...argv, '--config', config], { cwd });

describe('a journal that cannot be read', () => {
  test.each([
    ['for its folder is a file', 'ENOTDIR', (state: string) => writeFileSync(state, '')],
    ['for its folder leads to itself', 'ELOOP', (state: string) => symlinkSync(state, state)],
  ])('%s, is told as such, and why', async (_title, why, make) => {
    make(join(cwd, why));
    const { code, err } = await run('journal', 'verify', '--state', why);
    expect(err).toMatch(
      new RegExp(
        `^drover: the journal in ${join(cwd, why)} cannot be read: ${why}: .*\\. Let this user read`,
      ),
    );
    expect(code).toBe(2);
  });

  test('is another thing than none', async () => {
    mkdirSync(join(cwd, 'empty'));
    for (const state of ['empty', 'nowhere'])
      expect(await run('journal', 'verify', '--state', state)).toMatchObject({
        ...{ code: 2, err: `drover: there is no journal in ${join(cwd, state)}\n` },
      });
  });
});
