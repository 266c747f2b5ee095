import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { StorageError } from '../../../src/core/errors.ts';
import type { LoadedConfig } from '../../../src/app/config/load.ts';
import { nameAccount } from '../../../src/app/environment/ownership.ts';

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock(import('node:fs'), async (original) => {
  const fs = await original();
  const refuse = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  // A full disk still accepts file names, but no bytes.
  const writeFile = ((file: string, text: string, options: object) => {
    fs.writeFileSync(file, disk.isFull ? '' : text, options);
    if (disk.isFull) refuse();
  }) as typeof fs.writeFileSync;
  const write = ((descriptor: number, bytes: Buffer, offset: number) =>
    disk.isFull ? refuse() : fs.writeSync(descriptor, bytes, offset)) as typeof fs.writeSync;
  return { ...fs, writeFileSync: writeFile, writeSync: write };
});

const venue = {
  userAddress: '0x8C3d6dbB50796a20390F761d40e59D7548cE5E6e',
  chainId: 143,
  product: 'ProductA',
};
const loaded = { config: { mode: 'live', venue } } as LoadedConfig;
let state: string;
beforeEach(() => {
  disk.isFull = false;
  state = mkdtempSync(join(tmpdir(), 'drover-'));
});
const account = () => readFileSync(join(state, 'account'), 'utf8');

test('a disk that was full at the first start leaves the state folder without an account, not broken', () => {
  disk.isFull = true;
  expect(() => nameAccount(loaded, state)).toThrow(StorageError);
  expect(() => nameAccount(loaded, state)).toThrow(
    `${join(state, 'account')} cannot be read or written: ENOSPC: no space left on device, write. Make room on its disk`,
  );
  expect(readdirSync(state)).toEqual([]);
  disk.isFull = false;
  nameAccount(loaded, state);
  expect(account()).toBe(`${venue.userAddress.toLowerCase()} on chain 143, ProductA\n`);
  expect(statSync(join(state, 'account')).mode & 0o777).toBe(0o600);
});

test('an empty account file is written again', () => {
  writeFileSync(join(state, 'account'), '');
  nameAccount(loaded, state);
  expect(account()).toContain('on chain 143, ProductA');
});
