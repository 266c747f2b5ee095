import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { holdNamed } from '../../../../src/app/environment/locks.ts';
import { startOneUser } from '../../support/oneUser.ts';
import { stateSaying } from '../../support/stateFolder.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  // A full disk still accepts file names, but no bytes.
  const writeFile = ((file: string, text: string, options: object) => {
    fs.writeFileSync(file, disk.isFull ? '' : text, options);
    if (disk.isFull) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  }) as typeof fs.writeFileSync;
  return { ...fs, writeFileSync: writeFile };
});

test('halt of a run that does not respond halts it on a full disk too, and says how to end that', async () => {
  const one = await startOneUser();
  one.writeConfig('', { mode: 'live' });
  const state = stateSaying([]);
  const release = holdNamed({ folder: state, name: 'lock', what: 'the state', holder: 'drover run' });
  const killFile = join(state, 'KILL');
  disk.isFull = true;
  const { code, out, err } = await one.run('halt', '--reason', 'a full disk', '--state', state);
  disk.isFull = false;
  expect([code, err, readFileSync(killFile, 'utf8')]).toEqual([0, '', '']);
  expect(out).toContain(`Its kill file ${killFile} was made: no order is placed`);
  expect(out).toContain(
    `Its reason could not be written (ENOSPC: no space left): to go on, rm ${killFile}, and \`drover resume`,
  );
  expect(out).not.toContain('removes it');
  release();
  await one.venue.close();
});
