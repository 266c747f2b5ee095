import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleStrategy } from '../../../src/app/strategies/bundleStrategy.ts';

const SECRET = 'q7Rk2vXw91LmZp04TgHs';

/** A folder `mine` with a strategy that begins with an import, next to other files. */
function strategyOf(line: string, files: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'own-files-')));
  const all = {
    'api-secret.txt': SECRET,
    'keys.json': `{"a":"${SECRET}"}`,
    ...files,
    'mine/my.ts': `${line}\n`,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text.replaceAll('ROOT', root));
  }
  symlinkSync(join(root, 'keys.json'), join(root, 'mine', 'link.json'));
  symlinkSync(root, join(root, 'mine', 'up'));
  return root;
}

const bundled = (root: string) => bundleStrategy(join(root, 'mine/my.ts'), join(root, 'mine'), []);

const use = (from: string) => `import s from '${from}'; console.log(s);`;

const CASES: readonly (readonly [string, string, Readonly<Record<string, string>>?])[] = [
  ['a text next to it', use('./secret.txt'), { 'mine/secret.txt': SECRET }],
  ['a text above it', use('../api-secret.txt')],
  ['JSON above it', use('../keys.json')],
  ['JSON by its absolute path', use('ROOT/keys.json')],
  ['JSON by require', `console.log(require('ROOT/keys.json'))`],
  ['JSON by a pattern', 'export const f = (n: string) => require(`../${n}.json`);'],
  ['a link that leads out', use('./link.json')],
  ['a linked folder', use('./up/keys.json')],
  ['code above it', use('../other.ts'), { 'other.ts': 'export default 1' }],
  ['a hidden file', use('./.env.json'), { 'mine/.env.json': '{}' }],
  ['a hidden folder', use('./.keys/a.ts'), { 'mine/.keys/a.ts': 'export default 1' }],
  ['JSON with a key in it', use('./a.json'), { 'mine/a.json': `{"deep":[{"x":"${SECRET}"}]}` }],
  ['JSON that names a secret', use('./a.json'), { 'mine/a.json': '{"password":"abc"}' }],
  ['JSON that names a password of something', use('./a.json'), { 'mine/a.json': '{"db_password":"abc"}' }],
  ['JSON with a byte order mark', use('./a.json'), { 'mine/a.json': '\uFEFF{"password":"abc"}' }],
  ['JSON of an environment', use('./a.json'), { 'mine/a.json': '{"VENUE_API_KEY":"abc"}' }],
  ['a secret that is called JSON', use('./a.json'), { 'mine/a.json': SECRET }],
  [
    'paths of a tsconfig',
    use('keys'),
    { 'mine/tsconfig.json': '{"compilerOptions":{"baseUrl":".","paths":{"keys":["../keys.json"]}}}' },
  ],
  ['a map of a package.json', use('#keys'), { 'mine/package.json': '{"imports":{"#keys":"./link.json"}}' }],
  [
    'a package whose file is a link',
    use('evil'),
    { 'mine/node_modules/evil/package.json': '{"main":"../../up/keys.json"}' },
  ],
];
test.each(CASES.map(([what, line, files = {}]) => [what, line, files] as const))(
  'an import of %s is refused, and the file is not printed',
  async (_, line, files) => {
    const root = strategyOf(line, files);
    const thrown: unknown = await bundled(root).then(
      ({ code }) => new Error(code),
      (error: unknown) => error,
    );
    expect(String(thrown)).not.toContain(SECRET);
    expect(String(thrown)).toMatch(
      /mine\/my\.ts:1:\d+: .*(outside the folder|neither|hidden|looks like a key)/,
    );
  },
);

test.each([
  ['settings that another file extends', { 'mine/tsconfig.json': '{"extends":"../api-secret.txt"}' }],
  ['settings that are not JSON', { 'mine/package.json': SECRET }],
  ['a source map that its code names', { 'mine/b.js': 'throw 1;\n//# sourceMappingURL=../api-secret.txt' }],
  [
    'a source map by its address',
    { 'mine/b.js': 'throw 1;\n//# sourceMappingURL=file://ROOT/api-secret.txt' },
  ],
  [
    'a source that a map names',
    {
      'mine/b.js': 'throw 1;\n//# sourceMappingURL=b.js.map',
      'mine/b.js.map': '{"version":3,"sources":["../api-secret.txt"],"names":[],"mappings":"AAAA"}',
    },
  ],
])('%s is neither bundled nor printed', async (_, files: Readonly<Record<string, string>>) => {
  const root = strategyOf(`import './b.js';`, { 'mine/b.js': '', ...files });
  const result = await bundled(root).then(
    ({ code }) => code + Buffer.from(code.split('base64,')[1] ?? '', 'base64').toString(),
    String,
  );
  expect(result).not.toContain(SECRET);
});

test('a node_modules that links to another kind of folder is refused', async () => {
  const root = strategyOf(use('ROOT/plain.json'), { 'plain.json': '{"a":"of others"}' });
  symlinkSync(root, join(root, 'mine', 'node_modules'));
  await expect(bundled(root)).rejects.toThrow('outside the folder');
});

test.each(['mine/plain.json', 'mine/state/plain.json', 'mine/plain.ts'])(
  'a private file of the owner is not bundled: %s',
  async (name) => {
    const root = strategyOf(use(`ROOT/${name}`), { [name]: '1' });
    const kept = [join(root, 'mine/plain.json'), join(root, 'mine/state'), join(root, 'mine/plain.ts')];
    await expect(bundleStrategy(join(root, 'mine/my.ts'), join(root, 'mine'), kept)).rejects.toThrow(
      'is a secret or the state of a run',
    );
  },
);

test('a strategy file that is a secret is refused, and its text not printed', async () => {
  const root = strategyOf(`const key = '${SECRET}' oops`);
  const file = join(root, 'mine/my.ts');
  const thrown: unknown = await bundleStrategy(file, join(root, 'mine'), [file]).catch(
    (error: unknown) => error,
  );
  expect(String(thrown)).toContain('is a secret or the state of a run');
  expect(String(thrown)).not.toContain(SECRET);
});

test("JSON and code of the strategy's own folder and of packages are bundled", async () => {
  const root = strategyOf(
    `import a from './data/a.json'; import b from './lib/b.ts'; import c from 'pkg'; import d from 'pkg/d.json'; console.log(a, b, c, d);`,
    {
      'mine/data/a.json': '{"symbols":["AAPL"],"weight":0.5}',
      'mine/lib/b.ts': 'export default "from b"',
      'node_modules/pkg/package.json': '{"main":"i.js"}',
      'node_modules/pkg/i.js': 'module.exports = "from c"',
      'node_modules/pkg/d.json': `{"hash":"${SECRET}"}`,
    },
  );
  const { code } = await bundled(root);
  for (const text of ['AAPL', 'from b', 'from c']) expect(code).toContain(text);
});
