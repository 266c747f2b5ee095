import { chmodSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secureBytes } from '../../../src/core/random.ts';
import { pageKey } from '../../../src/ops/page/keyFile.ts';

const fresh = () => mkdtempSync(join(tmpdir(), 'drover-'));
const fileIn = (folder: string) => join(folder, 'page.key');

test('the key is made once, for this user alone', () => {
  const folder = fresh();
  const key = pageKey(folder, secureBytes);
  expect([key.length, statSync(fileIn(folder)).mode & 0o777]).toEqual([32, 0o600]);
  expect(pageKey(folder, secureBytes)).toEqual(key);
});

test('a key that others could read, or that is none, is replaced', () => {
  const folder = fresh();
  const key = pageKey(folder, secureBytes);
  chmodSync(fileIn(folder), 0o644);
  const next = pageKey(folder, secureBytes);
  expect(next).not.toEqual(key);
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  writeFileSync(fileIn(folder), 'short');
  expect(pageKey(folder, secureBytes)).toHaveLength(32);
});

test('a link in its place is replaced, and what it names is left alone', () => {
  const folder = fresh();
  const other = join(fresh(), 'other');
  const text = `${'ab'.repeat(32)}\n`;
  writeFileSync(other, text, { mode: 0o600 });
  symlinkSync(other, fileIn(folder));
  expect(pageKey(folder, secureBytes).toString('hex')).not.toBe(text.trim());
  expect([readFileSync(other, 'utf8'), statSync(fileIn(folder)).isFile()]).toEqual([text, true]);
});

test('without a folder that can be written, the key is for this run alone', () => {
  expect(pageKey('/nowhere', secureBytes)).toHaveLength(32);
});
