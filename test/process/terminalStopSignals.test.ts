import { expect, test } from 'vitest';
import { echoes, isUnderNohup } from '../../src/process/terminal.ts';

test('the same signal within half a second counts once; a later or another one counts again', () => {
  let now = 10;
  const isEcho = echoes({ monotonic: () => now });
  const told = [
    [0, 'SIGTERM'],
    [1, 'SIGTERM'],
    [498, 'SIGTERM'],
    [1, 'SIGTERM'],
    [1, 'SIGINT'],
    [1, 'SIGTERM'],
  ] as const;
  const heard = told.map(([later, name]) => {
    now += later;
    return !isEcho(name);
  });
  expect(heard).toEqual([true, false, false, true, true, true]);
});

test.each([
  [{ _: '/usr/bin/nohup' }, true],
  [{ _: 'nohup' }, true],
  [{ _: '/usr/bin/drover' }, false],
  [{}, false],
])('the environment %o is that of nohup: %s', (env, is) => {
  expect(isUnderNohup(env)).toBe(is);
});
