import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  anchorOf,
  BESIDE,
  forSite,
  introductionOf,
  llmsText,
  sectionsOf,
  sitePath,
} from '../../site/pages.js';

const read = (file: string): string => readFileSync(file, 'utf8');
const sections = sectionsOf(read('docs/README.md'));

test('every page of the docs is in the table of contents, once', () => {
  const listed = sections.flatMap(({ links }) => links.map(({ page }) => page.split('#')[0]));
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(listed.filter((page) => !page?.startsWith('../')).sort()).toEqual(pages.sort());
});

test('the table of contents has a title and pages in each section', () => {
  expect(sections.map(({ title }) => title)).toContain('Write a strategy');
  for (const { title, links } of sections) expect(links.length, title).toBeGreaterThan(1);
});

describe('a link of a page', () => {
  test.each([
    ['docs/orders.md', '[a](hooks.md#after)', '[a](/hooks.md#after)'],
    ['README.md', '[a](docs/orders.md)', '[a](/orders.md)'],
    ['docs/policy.md', '[a](../SECURITY.md)', '[a](/security.md)'],
    ['docs/signals.md', '[a](../strategies/sma-signals.ts)', '[a](/tree/strategies/sma-signals.ts)'],
    ['docs/data.md', '[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
    ['docs/data.md', '[a](#verify)', '[a](#verify)'],
    ['docs/README.md', '[the two\nlines](scale.md)', '[the two\nlines](/scale.md)'],
  ])('of %s leads to its place on the site: %s', (page, link, expected) => {
    expect(forSite(page, link)).toBe(expected);
  });

  test('to a folder becomes text, because the site has none', () => {
    expect(forSite('README.md', 'in [strategies](strategies)')).toBe('in strategies');
  });
});

test('the page of a site has no comments', () => {
  expect(forSite('docs/a.md', 'a\n\n<!-- written\nby a test -->\n\nb')).toBe('a\n\nb');
});

test('an anchor is as GitHub makes it', () => {
  expect(anchorOf('What stops a send: limits, `halt` & co.')).toBe('what-stops-a-send-limits-halt--co');
});

test('the introduction of a page is its first paragraph as plain text', () => {
  expect(introductionOf('# A\n\nSee [this](b.md) and\n`that`.\n\nMore.')).toBe('See this and that.');
});

test('the list for language models names each page with its introduction', () => {
  const text = llmsText(sections, read);
  expect(text).toMatch(/^# drover\n\n> A strategy runner/);
  expect(text.match(/^- \[.+\]\(\/.+\)/gm)).toHaveLength(sections.flatMap(({ links }) => links).length);
  expect(text).not.toMatch(/: $/m);
});

test('a page outside the docs folder is published as a page too', () => {
  for (const file of BESIDE) expect(sitePath(file)).toMatch(/\.md$/);
});
