import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Pages for readers, each with a path from the root of the repository. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  'test/evm/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [join('docs', name)] : [])),
];

/** Anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

const linksOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

describe('the links of a page', () => {
  test.each(pages)('lead to existing files and headings: %s', (page) => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
    }
  });
});

/** Files and folders of the repository that a page names. */
const pathsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/`((?:src|test|bench|config|docs|strategies)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );

describe('the files named by a page', () => {
  test.each(pages)('exist: %s', (page) => {
    expect(pathsOf(page).filter((path) => !existsSync(path))).toEqual([]);
  });
});

const COLUMNS_MAX = 120;

/** Lines of prose: no table, and nothing between fences. */
const proseOf = (page: string): string[] =>
  readFileSync(page, 'utf8')
    .replaceAll(/^```.*?^```/gms, '')
    .split('\n')
    .filter((line) => !line.startsWith('|'));

describe(`the limit of ${COLUMNS_MAX} columns for prose`, () => {
  test.each(pages)('is kept by %s', (page) => {
    expect(proseOf(page).filter((line) => line.length > COLUMNS_MAX)).toEqual([]);
  });
});

test('the README has at most 120 lines', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length - 1).toBeLessThanOrEqual(120);
});

test('the README links to docs/README.md, which links to every page', () => {
  const map = linksOf('docs/README.md').map((link) => join('docs', link));
  const own = pages.filter((page) => page.startsWith('docs') && page !== 'docs/README.md');
  expect(own.filter((page) => !map.includes(page))).toEqual([]);
  expect(linksOf('README.md')).toContain('docs/README.md');
});
