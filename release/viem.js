// Puts what drover uses of viem into one file of its own: 0.1 MB instead of the 100 MB that viem, what it brings and the
// compiler that it asks for take in the folder of each user.  node release/viem.js writes dist/bin/viem.js.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { licencesOf } from './licences.js';

const FILE = 'dist/bin/viem.js';
const IMPORT = /^import (?!type)(?:type )?\{([^}]*)\} from '(viem\/(?:utils|accounts))';$/gm;

const sources = (/** @type {string} */ folder, /** @type {RegExp} */ name) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));

/** Names that the sources import, by module. */
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

async function writeBundle() {
  const contents = [...importedNames()]
    .map(([module, names]) => `export { ${[...names].sort().join(', ')} } from '${module}';`)
    .join('\n');
  const { metafile } = await build({
    stdin: { contents, resolveDir: '.' },
    outfile: FILE,
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    legalComments: 'none',
    logLevel: 'warning',
  });
  writeFileSync(`${FILE}.LICENSES.txt`, licencesOf(Object.keys(metafile.inputs)));
}

await writeBundle();
