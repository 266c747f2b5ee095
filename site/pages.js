import { posix } from 'node:path';

const PAGES = {
  'README.md': 'index.md',
  'docs/README.md': 'contents.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'bench/README.md': 'benchmarks.md',
  'test/evm/README.md': 'evm-tests.md',
};

export const BESIDE = Object.keys(PAGES).filter((file) => !file.startsWith('docs/'));

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const onOneLine = (text) => text.replace(/\s+/g, ' ').trim();

export function sectionsOf(contents) {
  const sections = [];
  for (const block of contents.split(/\n{2,}/)) {
    const [heading] = onOneLine(block).split(/[.:]/);
    if (!block.startsWith('- ') && block.trimEnd().endsWith(':'))
      sections.push({ title: heading, links: [] });
    if (!block.startsWith('- ')) continue;
    const linkOf = ([, title, page]) => ({ title: capitalised(onOneLine(title)), page });
    const links = [...block.matchAll(LINK)].map(linkOf);
    sections.at(-1)?.links.push(...links);
  }
  return sections;
}

export function sitePath(file) {
  if (file in PAGES) return PAGES[file];
  if (file.startsWith('docs/')) return file.slice('docs/'.length);
  return posix.extname(file) === '' ? null : `tree/${file}`;
}

export function placeOf(page, target) {
  const [path, anchor] = target.split('#');
  const place = sitePath(posix.normalize(posix.join(posix.dirname(page), path)));
  return place === null ? null : `/${place}${anchor === undefined ? '' : `#${anchor}`}`;
}

export function forSite(page, text) {
  return text.replace(/<!--.*?-->\n*/gs, '').replace(LINK, (link, title, target) => {
    if (/^[a-z]+:/.test(target) || target.startsWith('#')) return link;
    const place = placeOf(page, target);
    return place === null ? title : `[${title}](${place})`;
  });
}

export function introductionOf(text) {
  const isProse = (block) => /^[A-Za-z`*[]/.test(block);
  const block = text.split(/\n{2,}/).find(isProse) ?? '';
  return onOneLine(block).replace(LINK, '$1').replace(/[`*]/g, '');
}

export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

export function llmsText(sections, textOf) {
  const lineOf = ({ title, page }) => {
    const file = posix.normalize(posix.join('docs', page.split('#')[0]));
    const introduction = file.endsWith('.md') ? `: ${introductionOf(textOf(file))}` : '';
    return `- [${title}](${placeOf('docs/README.md', page)})${introduction}`;
  };
  const parts = sections.map(({ title, links }) => `## ${title}\n\n${links.map(lineOf).join('\n')}`);
  const head = `# drover\n\n> ${introductionOf(textOf('README.md'))}`;
  return `${[head, ...parts].join('\n\n')}\n`;
}
