import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Pages for people, each with a path from the root of the repository. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'bench/README.md',
  'test/evm/README.md',
  ...readdirSync('docs').flatMap((name) => (name.endsWith('.md') ? [join('docs', name)] : [])),
];

/** The names by which headings of a page can be reached, as GitHub makes them. */
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

describe('the links of', () => {
  test.each(pages)('%s lead somewhere', (page) => {
    for (const link of linksOf(page)) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      expect(existsSync(target), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
    }
  });
});

/** Files and folders of the repository that a page names in its text. */
const pathsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/`((?:src|test|bench|config|docs|strategies)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );

describe('the files named by', () => {
  test.each(pages)('%s are there', (page) => {
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

describe(`lines of at most ${COLUMNS_MAX} columns in`, () => {
  test.each(pages)('%s', (page) => {
    expect(proseOf(page).filter((line) => line.length > COLUMNS_MAX)).toEqual([]);
  });
});

test('the README is the door, no house: 120 lines at most', () => {
  expect(readFileSync('README.md', 'utf8').split('\n').length - 1).toBeLessThanOrEqual(120);
});

test('the README leads to the map of docs, and the map to every page', () => {
  const map = linksOf('docs/README.md').map((link) => join('docs', link));
  const own = pages.filter((page) => page.startsWith('docs') && page !== 'docs/README.md');
  expect(own.filter((page) => !map.includes(page))).toEqual([]);
  expect(linksOf('README.md')).toContain('docs/README.md');
});
