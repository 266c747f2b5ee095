// Releases drover and create-drover of this commit.  npm run release [-- --publish] [--registry URL]
// Without --publish nothing leaves this machine: it checks, packs, writes the bills of materials and shows what would go.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { cycloneDxOf, spdxOf } from './bills.js';
import { problemsOf } from './checks.js';
import { packagesIn } from './licences.js';

const BYTES_MAX = 2_500_000;
const OUT = 'release/out';
const isPublished = process.argv.includes('--publish');
const at = process.argv.indexOf('--registry');
const registry = at < 0 ? [] : ['--registry', process.argv[at + 1] ?? ''];

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
const run = (/** @type {string} */ program, /** @type {string[]} */ ...argv) =>
  execFileSync(program, argv, {
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));
const linesOf = (/** @type {string} */ text) => text.split('\n').filter((line) => line !== '');

const manifest = read('package.json');
const deprecations = linesOf(
  run('git', 'grep', '-hoE', "(_UNTIL = '|[Gg]one with )[0-9]+\\.[0-9]+", '--', 'src'),
);
const problems = problemsOf({
  manifest,
  create: read('create-drover/package.json'),
  lockVersion: read('package-lock.json').version,
  sourceVersion: /VERSION = '([^']+)'/.exec(readFileSync('src/core/version.ts', 'utf8'))?.[1] ?? 'nothing',
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  deprecations: deprecations.map((line) => /[0-9]+\.[0-9]+/.exec(line)?.[0] ?? '0.0'),
  tags: linesOf(run('git', 'tag', '--points-at', 'HEAD')),
  changes: linesOf(run('git', 'status', '--porcelain')),
});
for (const problem of problems) say(`not ready: ${problem}`);
if (isPublished && problems.length > 0) process.exit(1);

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const folder of ['.', './create-drover']) {
  const [packed] = JSON.parse(run('npm', 'pack', folder, '--json', '--pack-destination', OUT));
  const file = join(OUT, packed.filename);
  const bytes = statSync(file).size;
  say(`packed ${file}: ${bytes} bytes, ${packed.files.length} files`);
  if (bytes > BYTES_MAX) {
    say(`not ready: ${file} has more than ${BYTES_MAX} bytes`);
    process.exitCode = 1;
    if (isPublished) process.exit(1);
  }
}
const billOf = (/** @type {'cyclonedx' | 'spdx'} */ format) =>
  JSON.parse(
    run('npm', 'sbom', '--sbom-format', format, '--sbom-type', 'application', '--package-lock-only'),
  );
/** @type {Record<string, { version: string, dev?: boolean, devOptional?: boolean }>} */
const locked = read('package-lock.json').packages;
const installed = Object.entries(locked).flatMap(([path, { version, dev, devOptional }]) =>
  path === '' || dev || devOptional ? [] : [`${path.split('node_modules/').at(-1)}@${version}`],
);
const bundled = ['dist/bin/viem.js.LICENSES.txt', 'dist/page/LICENSES.txt'].flatMap((file) =>
  packagesIn(readFileSync(file, 'utf8')),
);
const kept = new Set([...installed, ...bundled]);
for (const [format, bill] of [
  ['cyclonedx', cycloneDxOf(billOf('cyclonedx'), kept)],
  ['spdx', spdxOf(billOf('spdx'), kept)],
]) {
  const file = join(OUT, `drover-${manifest.version}.${format}.json`);
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  say(`bill of materials: ${file}, ${installed.length} packages that it installs, ${bundled.length} bundled`);
}

// Provenance is signed by the CI that publishes; on any other machine npm refuses it, and so nothing goes out from there.
for (const name of ['drover', 'create-drover']) {
  const argv = ['publish', `${OUT}/${name}-${manifest.version}.tgz`, '--access', 'public', ...registry];
  if (isPublished) run('npm', ...argv, '--provenance');
  else say(`would run: npm ${argv.join(' ')} --provenance`);
}
if (problems.length > 0) process.exitCode = 1;
