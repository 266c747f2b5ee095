import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/core/version.ts';

test('the exported version is that of package.json', () => {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  expect((JSON.parse(file) as { version: string }).version).toBe(VERSION);
});
