import { rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licencesOf } from '../../release/licences.js';

/*
 * Builds the page into `dist/page/`: scripts and one style sheet in `assets/`, each with a hash of its content in its name, and
 * `index.html`, which names them by relative addresses.
 */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = here('../../dist/page/');

rmSync(folder, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { page: here('main.tsx'), theme: here('theme.ts') },
  bundle: true,
  minify: true,
  metafile: true,
  platform: 'browser',
  target: ['chrome110', 'firefox110', 'safari16.4'],
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  outdir: `${folder}assets`,
  entryNames: '[name]-[hash]',
  logLevel: 'warning',
});
const names = Object.keys(metafile.outputs).map((file) => basename(file));
const named = (start, ending) => names.find((name) => name.startsWith(start) && name.endsWith(ending));

writeFileSync(`${folder}LICENSES.txt`, licencesOf(Object.keys(metafile.inputs)));
writeFileSync(
  `${folder}index.html`,
  `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>drover</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/${named('page-', '.css')}">
<script src="assets/${named('theme-', '.js')}"></script>
<script type="module" src="assets/${named('page-', '.js')}"></script>
<div id="page"><p class="loading">Loading…</p></div>
<noscript><p>This page needs JavaScript. Without it: <code>drover status</code> in a terminal.</p></noscript>
</html>
`,
);
