/** Runs the tests whose path has a name, and looks at their types: `npm run t -- NAME`. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

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
const wrong = files.flatMap((file) => {
  const config = ts.findConfigFile(dirname(file), ts.sys.fileExists);
  const { options } = ts.getParsedCommandLineOfConfigFile(config, {}, ts.sys);
  const program = ts.createProgram([file], options);
  const source = program.getSourceFile(file);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
});
const host = {
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => '\n',
  getCanonicalFileName: String,
};
tests.on('exit', (code) => {
  process.stderr.write(ts.formatDiagnosticsWithColorAndContext(wrong, host));
  process.exitCode = code || (wrong.length > 0 ? 1 : 0);
});
