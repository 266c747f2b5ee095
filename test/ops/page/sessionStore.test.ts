import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { secureBytes } from '../../../src/core/random.ts';
import { EndedSessions, pageKey } from '../../../src/ops/page/sessionStore.ts';

const fresh = () => mkdtempSync(join(tmpdir(), 'drover-'));
const fileIn = (folder: string) => join(folder, 'page.key');

test('the key of page sessions is made once, in a private file', () => {
  const folder = fresh();
  const key = pageKey(folder, secureBytes);
  expect([key.length, statSync(fileIn(folder)).mode & 0o777]).toEqual([32, 0o600]);
  expect(pageKey(folder, secureBytes)).toEqual(key);
});

test('a session key that others could read, or of the wrong size, is replaced', () => {
  const folder = fresh();
  const key = pageKey(folder, secureBytes);
  chmodSync(fileIn(folder), 0o644);
  const next = pageKey(folder, secureBytes);
  expect(next).not.toEqual(key);
  expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600);
  writeFileSync(fileIn(folder), 'short');
  expect(pageKey(folder, secureBytes)).toHaveLength(32);
});

test('a link in place of the session key is replaced, and its target left unchanged', () => {
  const folder = fresh();
  const other = join(fresh(), 'other');
  const text = `${'ab'.repeat(32)}\n`;
  writeFileSync(other, text, { mode: 0o600 });
  symlinkSync(other, fileIn(folder));
  expect(pageKey(folder, secureBytes).toString('hex')).not.toBe(text.trim());
  expect([readFileSync(other, 'utf8'), statSync(fileIn(folder)).isFile()]).toEqual([text, true]);
});

test('a session key without a writable folder is made for this run only', () => {
  expect(pageKey('/nowhere', secureBytes)).toHaveLength(32);
});

describe('ended sessions', () => {
  const endedIn = (folder: string, at = { ms: 1_000 }) =>
    new EndedSessions(folder, { now: () => epochMs(at.ms) });
  const fileOf = (folder: string) => join(folder, 'page.ended');

  test('are kept in a private file until their cookies expire', () => {
    const [folder, at] = [fresh(), { ms: 1_000 }];
    const ended = endedIn(folder, at);
    ended.add('a', epochMs(2_000));
    ended.add('b', epochMs(3_000));
    expect(statSync(fileOf(folder)).mode & 0o777).toBe(0o600);
    expect(readFileSync(fileOf(folder), 'utf8')).toContain('"a":2000');
    at.ms = 2_000;
    ended.add('c', epochMs(4_000));
    expect(JSON.parse(readFileSync(fileOf(folder), 'utf8'))).toEqual({
      all: 0,
      byId: { b: 3_000, c: 4_000 },
    });
    expect(['a', 'b', 'c'].map((id) => endedIn(folder).has(id, epochMs(500)))).toEqual([false, true, true]);
  });

  test.each([
    ['is not whole', (file: string) => writeFileSync(file, '{"all":0,"by', { mode: 0o600 })],
    [
      'could be changed by others',
      (file: string) => {
        writeFileSync(file, '{"all":0,"byId":{}}');
        chmodSync(file, 0o666);
      },
    ],
    ['is a link', (file: string) => symlinkSync('/dev/null', file)],
  ])('are all sessions that began earlier, if their file %s', (_, spoil) => {
    const folder = fresh();
    spoil(fileOf(folder));
    const ended = endedIn(folder);
    expect([ended.has('a', epochMs(1_000)), ended.has('a', epochMs(1_001))]).toEqual([true, false]);
    ended.add('b', epochMs(9_000));
    expect(JSON.parse(readFileSync(fileOf(folder), 'utf8'))).toEqual({ all: 1_000, byId: { b: 9_000 } });
  });

  test('end in this process if their file cannot be written, and the caller gets the error', () => {
    const folder = fresh();
    const ended = endedIn(folder);
    mkdirSync(join(folder, 'page.ended.tmp'));
    expect(() => ended.add('a', epochMs(9_000))).toThrow();
    expect(ended.has('a', epochMs(500))).toBe(true);
    rmSync(join(folder, 'page.ended.tmp'), { recursive: true });
    ended.add('b', epochMs(9_000));
    expect(endedIn(folder).has('a', epochMs(500))).toBe(true);
  });
});
