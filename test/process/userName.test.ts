import { expect, test, vi } from 'vitest';
import { userName } from '../../src/process/userName.ts';

const machine = vi.hoisted(() => ({ lists: true }));
vi.mock(import('node:os'), async (original) => {
  const os = await original();
  const userInfo = (() => {
    if (!machine.lists) throw new Error('uv_os_get_passwd returned ENOENT (no such file or directory)');
    return { ...os.userInfo(), username: 'trader' };
  }) as typeof os.userInfo;
  return { ...os, userInfo };
});

test('the user is named by the system, or by its number if the system does not list it', () => {
  machine.lists = true;
  expect(userName()).toBe('trader');
  machine.lists = false;
  expect(userName()).toBe(String(process.geteuid?.()));
});
