import { readFileSync } from 'node:fs';
import { anchorOf, placeOf, sectionsOf } from './pages.js';

const contents = readFileSync(new URL('../docs/README.md', import.meta.url), 'utf8');

const itemOf = ({ title, page }) => ({ text: title, link: placeOf('docs/README.md', page) });

const sections = sectionsOf(contents).map(({ title, links }, index) => ({
  text: title,
  collapsed: index > 1,
  items: links.map(itemOf),
}));

const reference = [
  { text: 'drover', link: '/api/drover/' },
  { text: 'drover/strategy', link: '/api/drover/strategy/' },
  { text: 'drover/testing', link: '/api/drover/testing/' },
  { text: 'Control API', link: '/control-reference' },
];

/** What VitePress needs to build the pages that `build.js` has laid out. */
export default {
  title: 'drover',
  description: 'A strategy runner for tokenized stocks',
  srcDir: 'out/pages',
  srcExclude: ['public/**'],
  outDir: 'out/site',
  cleanUrls: false,
  metaChunk: true,
  markdown: { html: false, anchor: { slugify: anchorOf } },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Contents', link: '/contents' },
      { text: 'API', items: reference },
      { text: 'Changes', link: '/changelog' },
    ],
    sidebar: [...sections, { text: 'API reference', collapsed: true, items: reference }],
  },
};
