/** Runs the tests whose path contains a name, with their type checks and lint: `npm run t -- NAME`. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const [name = '', ...flags] = process.argv.slice(2);
const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => join('test', file))
  .filter((file) => name !== '' && file.endsWith('.test.ts') && file.includes(name))
  .filter((file) => !/^test\/(evm|queue)\/|\.long\.test\.ts$/.test(file));
if (files.length === 0) {
  console.error(
    `No test has a path with '${name}'. Usage: npm run t -- NAME ('npm run evm', 'queue' and 'long' run test/evm, ` +
      'test/queue and *.long.test.ts)',
  );
  process.exit(2);
}

const tests = spawn('vitest', ['run', ...files, ...flags], { stdio: 'inherit' });
// Its output comes after the tests, which overwrite their own lines.
const types = spawn('oxlint', ['--type-check', '--quiet', ...files], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const printed = types.stdout.toArray();
const codeOf = (program) => new Promise((resolve) => program.on('exit', (code) => resolve(code ?? 1)));
const codes = await Promise.all([codeOf(tests), codeOf(types)]);
if (codes[1] !== 0) process.stderr.write(Buffer.concat(await printed));
process.exitCode = Math.max(...codes);
