import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';
import { BESIDE, forSite, llmsText, sectionsOf, sitePath } from './pages.js';

const site = dirname(fileURLToPath(import.meta.url));
const root = dirname(site);
const pages = join(site, 'out', 'pages');
const raw = join(pages, 'public');

const read = (file) => readFileSync(join(root, file), 'utf8');

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Writes each page for the site, and as it is for whoever reads text. */
function layOutPages() {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const all = [...BESIDE, ...docs.map((name) => `docs/${name}`)];
  for (const file of all) {
    const text = forSite(file, read(file));
    write(join(pages, sitePath(file)), text);
    write(join(raw, sitePath(file)), text);
    copyLinked(text);
  }
  const full = all.map((file) => `<!-- ${file} -->\n\n${read(file)}`).join('\n\n');
  write(join(raw, 'llms-full.txt'), full);
  write(join(raw, 'llms.txt'), llmsText(sectionsOf(read('docs/README.md')), read));
}

/** Copies the files of the repository that a page links to. */
function copyLinked(text) {
  for (const [, file] of text.matchAll(/\]\(\/tree\/([^)#\s]+)/g)) {
    cpSync(join(root, file), join(raw, 'tree', file));
  }
}

/** Writes the API reference from the docstrings of the three exports. */
async function layOutReference() {
  const entryPoints = ['src/index.ts', 'src/strategy/index.ts', 'src/testing/index.ts'];
  const app = await Application.bootstrapWithPlugins({
    entryPoints: entryPoints.map((file) => join(root, file)),
    tsconfig: join(site, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    readme: 'none',
    disableSources: true,
    excludeInternal: true,
    skipErrorChecking: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    entryFileName: 'index.md',
    logLevel: 'Error',
    ...MARKDOWN,
  });
  const project = await app.convert();
  if (!project) throw new Error('typedoc could not read the exports');
  const names = ['drover', 'drover/strategy', 'drover/testing'];
  for (const [index, child] of (project.children ?? []).entries()) child.name = names[index];
  await app.generateOutputs(project);
}

const MARKDOWN = { outputs: [{ name: 'markdown', path: join(pages, 'api') }] };

rmSync(join(site, 'out'), { recursive: true, force: true });
console.error('laying out the pages');
layOutPages();
cpSync(join(root, 'docs', 'images'), join(raw, 'images'), { recursive: true });
cpSync(join(root, 'docs', 'openapi.json'), join(raw, 'openapi.json'));
console.error('reading the exports for the API reference');
await layOutReference();
console.error('building the site');
execFileSync(process.execPath, [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', site], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, VITE_EXTRA_EXTENSIONS: 'service,ts,yaml,json' },
});
console.log(join(site, 'out', 'site'));
