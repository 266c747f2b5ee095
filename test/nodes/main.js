/** Runs a smoke on each Node that drover supports, or the whole suite: `npm run nodes [-- --all] [-- VERSION…]`. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

/** The oldest that `engines` names, and the latest of each later line. */
const VERSIONS = ['20.19', '22', '24', '26'];
const INSTALL_MS = 120_000;
const FOLDER = import.meta.dirname;

const { values, positionals } = parseArgs({ options: { all: { type: 'boolean' } }, allowPositionals: true });
const versions = VERSIONS.filter((version) => positionals.length === 0 || positionals.includes(version));
if (versions.length === 0) {
  console.error(`npm run nodes knows the versions ${VERSIONS.join(', ')}`);
  process.exit(2);
}
const programOf = (version) => join(FOLDER, 'node_modules', `node-${version}`, 'bin', 'node');

const missing = VERSIONS.filter((version) => !existsSync(programOf(version)));
if (missing.length > 0) {
  const program = `node-${process.platform}-${process.arch}`;
  const packages = VERSIONS.map((version) => `node-${version}@npm:${program}@${version}`);
  const flags = '--no-save --no-package-lock --no-bin-links --ignore-scripts --no-audit --no-fund --silent';
  const args = ['install', '--prefix', FOLDER, ...flags.split(' '), ...packages];
  spawnSync('npm', args, { stdio: 'inherit', timeout: INSTALL_MS });
}

const smoke = ['run', '--maxWorkers=1', '--config', 'test/nodes/vitest.config.ts'];
const suite = ['run', '--tags-filter=!long'];
const failed = versions.filter((version) => {
  const program = programOf(version);
  if (!existsSync(program)) {
    console.warn(`skipped: Node ${version} could not be installed`);
    return false;
  }
  const PATH = `${dirname(program)}${delimiter}${process.env.PATH}`;
  const args = ['node_modules/vitest/vitest.mjs', ...(values.all ? suite : smoke)];
  console.log(`\nNode ${spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout}`);
  return (
    spawnSync(program, args, { stdio: 'inherit', env: { FUZZ_RUNS: '20', ...process.env, PATH } }).status !==
    0
  );
});
if (failed.length > 0) {
  console.error(`failed on Node ${failed.join(', ')}`);
  process.exitCode = 1;
}
