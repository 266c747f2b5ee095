/** @module-tag heavy */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { follow } from './follow.ts';

const LONG_MS = 300_000;
const PAGES = readdirSync('docs').filter((name) => /^tutorial.*\.md$/.test(name));
const textOf = (page: string): string => readFileSync(`docs/${page}`, 'utf8');

describe.concurrent.each(PAGES)('%s', (page) => {
  const tags = page === 'tutorial.md' ? [] : ['long'];
  test('works word by word', { tags, timeout: LONG_MS }, () => follow(textOf(page)));
});

test.each(PAGES)('%s has at most 150 lines', (page) => {
  expect(textOf(page).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});
