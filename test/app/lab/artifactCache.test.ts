import { mkdtempSync, readdirSync, writeFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { artifactCache } from '../../../src/app/lab/artifactCache.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { hashOfBytes } from '../../../src/lab/queue/artifacts.ts';

const bytes = new TextEncoder().encode('bars');
const hash = hashOfBytes(bytes);
const freshFolder = () => mkdtempSync(join(tmpdir(), 'drover-cache-'));

function cacheIn(folder: string) {
  const fetch = vi.fn(() => Promise.resolve(bytes));
  const report = vi.fn<(text: string) => void>();
  return { read: artifactCache({ folder, fetch, clock: systemClock, report }), fetch, report };
}

test('an artifact is fetched once, and kept for the next worker', async () => {
  const folder = freshFolder();
  const first = cacheIn(folder);
  expect(await first.read(hash)).toEqual(bytes);
  await first.read(hash);
  expect(first.fetch).toHaveBeenCalledTimes(1);
  const second = cacheIn(folder);
  expect(Buffer.from(await second.read(hash)).toString()).toBe('bars');
  expect(second.fetch).not.toHaveBeenCalled();
  expect(readdirSync(folder)).toEqual([hash]);
});

test('a damaged artifact is fetched again', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, hash), 'bats');
  const { read, fetch } = cacheIn(folder);
  expect(await read(hash)).toEqual(bytes);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('an artifact cache that cannot be written keeps working, and reports it once', async () => {
  const folder = join(freshFolder(), 'file', 'cache');
  writeFileSync(join(folder, '../..', 'file'), '');
  const { read, fetch, report } = cacheIn(folder);
  expect(await read(hash)).toEqual(bytes);
  await read(hash);
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(report).toHaveBeenCalledTimes(1);
  expect(report.mock.calls[0]?.[0]).toContain(`nothing can be stored in ${folder}`);
});

test('an artifact that was not used for a month is removed', () => {
  const folder = freshFolder();
  for (const name of [hash, hashOfBytes(new Uint8Array(1)), 'notes.txt'])
    writeFileSync(join(folder, name), 'x');
  const old = systemClock.now() / 1_000 - 31 * 86_400;
  for (const name of [hash, 'notes.txt']) utimesSync(join(folder, name), old, old);
  cacheIn(folder);
  expect(readdirSync(folder).sort()).toEqual([hashOfBytes(new Uint8Array(1)), 'notes.txt'].sort());
});
