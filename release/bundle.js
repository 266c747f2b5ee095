/**
 * Makes the programs of `dist/bin` by esbuild: the command line with its parts, the libraries, the threads and the script of
 * reports. What several of them share of other packages has a file of its own: zod, SES, and what drover uses of viem.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licencesOf } from './licences.js';

const FOLDER = 'dist/bin';
const SHARED = { zod: './zod.js', ses: './ses.js', 'viem/utils': './viem.js', 'viem/accounts': './viem.js' };
const IMPORT = /^import (?!type)(?:type )?\{([^}]*)\} from '(viem\/(?:utils|accounts))';$/gm;

/** zod with the messages of English alone: those of its other languages are more than half of it. */
const englishZod = {
  name: 'english-zod',
  setup(/** @type {import('esbuild').PluginBuild} */ { onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: 'node_modules/zod/v4/locales',
    }));
  },
};

/** SES, which takes `Object.freeze` as it finds it when it is loaded. */
const SES = `import { restore } from './release/freeze.js'; import 'ses'; restore();`;

const toBin = (/** @type {import('esbuild').BuildOptions} */ options) =>
  build({
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    outdir: FOLDER,
    logLevel: 'warning',
    ...options,
  });

const sources = (/** @type {string} */ folder, /** @type {RegExp} */ name) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));

/** Names that the sources import from viem, by module. */
function importedNames() {
  const found = new Map([
    ['viem/utils', new Set()],
    ['viem/accounts', new Set()],
  ]);
  for (const file of sources('src', /\.ts$/))
    for (const [, names = '', module = ''] of readFileSync(file, 'utf8').matchAll(IMPORT))
      for (const name of names.split(',').map((each) => each.trim()))
        if (name !== '' && !name.startsWith('type ')) found.get(module)?.add(name);
  return found;
}

const fileOf = (/** @type {string} */ name, /** @type {string} */ contents) => ({
  stdin: { contents, resolveDir: '.' },
  outdir: undefined,
  outfile: `${FOLDER}/${name}.js`,
  minify: true,
});

/** What drover uses of viem: 0.1 MB instead of the 100 MB that viem, what it brings and its compiler take in the folder of each user. */
async function bundleViem() {
  const contents = [...importedNames()]
    .map(([module, names]) => `export { ${[...names].sort().join(', ')} } from '${module}';`)
    .join('\n');
  const { metafile } = await toBin({ ...fileOf('viem', contents), metafile: true, legalComments: 'none' });
  writeFileSync(`${FOLDER}/viem.js.LICENSES.txt`, licencesOf(Object.keys(metafile?.inputs ?? {})));
}

rmSync(FOLDER, { recursive: true, force: true });
await Promise.all([
  toBin({ entryPoints: { zod: './node_modules/zod/index.js' }, minify: true, plugins: [englishZod] }),
  toBin(fileOf('ses', SES)),
  bundleViem(),
  toBin({
    entryPoints: {
      main: 'src/cli/entry.ts',
      drover: 'src/index.ts',
      strategy: 'src/strategy/index.ts',
      testing: 'src/testing/index.ts',
      pastThread: 'src/ops/past/pastThread.ts',
      trialThread: 'src/app/lab/trialThread.ts',
    },
    alias: SHARED,
    external: Object.values(SHARED),
    packages: 'external',
    splitting: true,
  }),
  toBin({
    entryPoints: { strategyThread: 'src/app/isolation/strategyThread.ts' },
    alias: SHARED,
    external: Object.values(SHARED),
    minifyWhitespace: true,
  }),
  toBin({
    entryPoints: { platform: 'src/app/realm/platform.ts' },
    plugins: [englishZod],
    minify: true,
    keepNames: true,
    legalComments: 'none',
    format: 'cjs',
    banner: { js: '(function(module,exports,require){' },
    footer: { js: '})' },
  }),
  toBin({
    entryPoints: { reportScript: 'src/report/html/script/main.ts' },
    minify: true,
    platform: 'browser',
    target: ['chrome110', 'firefox110', 'safari16.4'],
    format: 'iife',
    legalComments: 'none',
  }),
]);
