import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** A new path in a folder of this test file's own, which goes when the file's tests are through. */
export function freshFiles(): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'drover-store-'));
  let count = 0;
  afterAll(() => rmSync(folder, { recursive: true }));
  return () => join(folder, `${++count}.sqlite`);
}
