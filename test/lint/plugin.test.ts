import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const LINES = `const a = { ...{ b: 1 } };
const b = [...[1], 2];
const c = [...([1] as number[])];
const d = { ...a, b: [...b, ...[1].map(Number)], ...(c ? { c } : {}) };
Math.max(...[1]);
type Told = string;
type Untold = string;
describe('an order of which nobody tells', () => undefined);
test.each([1])('so does $told', () => undefined);
test.skipIf(true)(\`is refused when it is asked for by \${a}\`, () => undefined);
test('a retold $told order', () => undefined);
test('${'order '.repeat(20)}', () => undefined);
`;

test('finds nested literals, participle type names and cryptic titles, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  const names = ['no-literal-spread', 'no-participle-type', 'no-riddle'];
  const rules = Object.fromEntries(names.map((name) => [`drover/${name}`, 'error']));
  const config = { categories: { correctness: 'off' }, jsPlugins: [resolve('test/lint/plugin.js')], rules };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'lines.ts'), LINES);
  const program = resolve('node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [program, '--format=unix'], {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  const found = [...stdout.matchAll(/lines\.ts:(\d+):.*\/drover\(([\w-]+)\)/g)];
  expect(found.map(([, line, rule]) => `${line} ${rule}`)).toEqual([
    '1 no-literal-spread',
    '2 no-literal-spread',
    '3 no-literal-spread',
    '6 no-participle-type',
    '8 no-riddle',
    '9 no-riddle',
    '10 no-riddle',
    '12 no-riddle',
  ]);
});
