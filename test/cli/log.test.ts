import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openLog } from '../../src/cli/run/log.ts';
import { epochMs } from '../../src/core/brand.ts';
import { Secrets } from '../../src/core/secrets.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const writeSync = ((...given: Parameters<typeof fs.writeSync>) => {
    if (disk.isFull) throw new Error('ENOSPC: no space left on device');
    return fs.writeSync(...given);
  }) as typeof fs.writeSync;
  return { ...fs, writeSync };
});

test('lines that the disk does not take are counted, and the next that it takes says how many', () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'drover-'));
  const log = openLog({
    stateDir,
    ...{ loaded: { config: { log: { level: 'info' } } }, context: { secrets: new Secrets() } },
    clock: new VirtualClock({ start: epochMs(0) }),
  } as never);
  const lines = () =>
    readFileSync(join(stateDir, 'drover.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
  log.info({}, 'first');
  disk.isFull = true;
  log.info({}, 'second');
  log.info({}, 'third');
  disk.isFull = false;
  log.info({}, 'fourth');
  log.info({}, 'fifth');
  expect(lines()).toMatchObject([{ msg: 'first' }, { lost: 2 }, { msg: 'fourth' }, { msg: 'fifth' }]);
});
