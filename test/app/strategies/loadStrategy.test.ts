import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadStrategy } from '../../../src/app/strategies/loadStrategy.ts';
import { openRealm } from './openRealm.ts';
import { ConfigError } from '../../../src/core/errors.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'drover-load-')));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
/** A new folder with these files. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = join(root, String(count++));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const strategy = (name: string, more = '') => `import { defineStrategy, sma, ticker } from 'drover/strategy';
import { z } from 'zod';
type Level = number;
${more}
export default defineStrategy({
  name: '${name}',
  description: 'For tests.',
  params: z.strictObject({ symbol: ticker().describe('The stock.') }),
  data: ({ symbol }) => ({ quotes: [symbol] }),
  create: () => ({
    onStart() {
      const level: Level = sma(1).next(2);
      throw new Error('level ' + level);
    },
    onStop() {
      sma(0);
    },
  }),
});
`;

async function failure(use: string, files: Readonly<Record<string, string>>) {
  const folder = folderOf({ 'README.md': '', ...files });
  const thrown: unknown = await loadStrategy(use, folder, openRealm).catch((error: unknown) => error);
  if (!(thrown instanceof ConfigError)) throw thrown;
  return { message: thrown.message.replaceAll(`${folder}/`, ''), details: thrown.details };
}

describe('the name of a strategy', () => {
  test('is a path from the folder of the config', async () => {
    const folder = folderOf({ 'mine/my.ts': strategy('mine') });
    const loaded = await loadStrategy('./mine/my.ts', folder, openRealm);
    expect(loaded.definition.name).toBe('mine');
    expect(loaded.file).toBe(join(folder, 'mine/my.ts'));
    expect((await loadStrategy('mine/my.ts', folder, openRealm)).file).toBe(loaded.file);
    expect((await loadStrategy(loaded.file, root, openRealm)).file).toBe(loaded.file);
  });

  test.each(readdirSync('strategies').map((file) => basename(file, '.ts')))(
    'is that of a bundled strategy: %s',
    async (name) => {
      const { definition } = await loadStrategy(name, root, openRealm);
      expect(definition.name).toBe(name);
    },
  );

  test('is a package found from the folder of the config', async () => {
    const folder = folderOf({
      'node_modules/their-strategy/package.json':
        '{ "exports": { "import": "./main.js" }, "type": "module" }',
      'node_modules/their-strategy/main.js': strategy('theirs')
        .replace('type Level = number;', '')
        .replace(': Level', ''),
    });
    expect((await loadStrategy('their-strategy', folder, openRealm)).definition.name).toBe('theirs');
  });

  test('a strategy uses the zod of its own folder', async () => {
    const folder = folderOf({
      'my.js': `import { z } from 'zod'; export default { name: z.version, description: '-', params: { _zod: {} }, data() {}, create() {} };`,
      'node_modules/zod/package.json': '{ "exports": "./main.js", "type": "module" }',
      'node_modules/zod/main.js': `export const z = { version: 'their own' };`,
    });
    expect((await loadStrategy('my.js', folder, openRealm)).definition.name).toBe('their own');
  });

  test('a strategy without its own zod uses that of drover, and its descriptions reach the schema', async () => {
    const { definition } = await loadStrategy('my.ts', folderOf({ 'my.ts': strategy('mine') }), openRealm);
    expect(z.toJSONSchema(definition.params)).toMatchObject({
      properties: { symbol: { description: 'The stock.' } },
    });
  });
});

describe('the origin of a strategy', () => {
  const files = {
    'my.ts': strategy('mine', `import { edge } from './edge.ts'; edge();`),
    'edge.ts': 'export const edge = () => 1;',
  };

  test("lists all files it was built from, except drover's own", async () => {
    const folder = folderOf(files);
    const { inputs } = await loadStrategy('my.ts', folder, openRealm);
    expect([...inputs].sort()).toEqual([join(folder, 'edge.ts'), join(folder, 'my.ts')]);
  });

  test('has a hash that depends on the contents, not on the folder', async () => {
    const hash = async (changed: Partial<typeof files>) =>
      (await loadStrategy('my.ts', folderOf({ ...files, ...changed }), openRealm)).hash;
    const first = await hash({});
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash({})).toBe(first);
    expect(await hash({ 'edge.ts': 'export const edge = () => 2;' })).not.toBe(first);
  });

  test('an edited strategy file is loaded as edited', async () => {
    const folder = folderOf({ 'my.ts': strategy('before') });
    expect((await loadStrategy('my.ts', folder, openRealm)).definition.name).toBe('before');
    writeFileSync(join(folder, 'my.ts'), strategy('after'));
    expect((await loadStrategy('my.ts', folder, openRealm)).definition.name).toBe('after');
  });
});

describe('an error thrown by a strategy', () => {
  const thrownBy = (run: () => void): unknown => {
    try {
      run();
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  };

  test('is located in its source', async () => {
    const folder = folderOf({ 'my.ts': strategy('mine') });
    const { definition, locate } = await loadStrategy('my.ts', folder, openRealm);
    const hooks = definition.create({ params: {}, state: {} });
    const file = join(folder, 'my.ts');
    const context = { view: {}, log: () => undefined } as never;
    expect(locate(thrownBy(() => hooks.onStart?.(context)))).toMatchObject({
      file,
      line: 13,
      source: `      throw new Error('level ' + level);`,
    });
    expect(locate(thrownBy(() => hooks.onStop?.(context))), 'not in our helper').toMatchObject({
      file,
      line: 16,
    });
    expect(locate(new Error('of another')), 'nor when it is of another').toBeNull();
  });
});

describe('a strategy is refused with place and remedy', () => {
  test('when it does not compile', async () => {
    const { message, details } = await failure('my.ts', { 'my.ts': `const ok = 1;\n\tconst é = ok +;\n` });
    expect(message).toBe(
      [
        'my.ts:2:16: Unexpected ";". Correct it and start again',
        '  2 | \tconst é = ok +;',
        '    | \t              ^',
      ].join('\n'),
    );
    expect(details).toMatchObject({ line: 2, column: 16, source: '\tconst é = ok +;' });
  });

  test.each([
    ['a package', 'left-pad-of-mine', 'npm install left-pad-of-mine'],
    ['a file', './edge.ts', 'relative to the file'],
    ['a part of zod', 'zod/none', 'npm install zod/none'],
    ['a part of drover that is not for strategies', 'drover/engine', 'drover/strategy and nothing else'],
  ])('when it imports %s that cannot be found', async (_title, name, remedy) => {
    const { message } = await failure('sub/my.ts', {
      'sub/my.ts': `\nimport x from '${name}';\nexport default x;`,
    });
    expect(message).toContain(`sub/my.ts:2:15: Could not resolve "${name}"`);
    expect(message).toContain(remedy);
    expect(message).toContain(`2 | import x from '${name}';`);
  });

  test('when it has no default export', async () => {
    const { message } = await failure('my.ts', { 'my.ts': 'export const strategy = {};' });
    expect(message).toContain(
      'my.ts:1:1: the file has no default export. Write `export default defineStrategy(',
    );
    expect(message).toContain('1 | export const strategy = {};');
  });

  test.each([
    ['a function', 'export default () => 1;', 'it is a function'],
    ['null', 'export default null;', 'it is null'],
    [
      'an object without its parts',
      `export default { name: 'x', params: {}, data: 1 };`,
      'description must be a text, params must be a schema of zod 4, data must be a function that is not async, create must be a function that is not async',
    ],
    [
      'an object whose data() is async',
      `export default { name: 'x', description: 'x', params: { _zod: 1 }, data: async () => ({}), create() {} };`,
      'data must be a function that is not async',
    ],
    [
      'an object with a misspelt field, next to an extra one',
      `export default { name: 'x', description: 'x', params: { _zod: 1 }, data() {}, create() {}, version: 1, nam: 2 };`,
      'it has "nam", which nothing reads: did you mean name?',
    ],
  ])('when its default export is %s', async (_title, source, problem) => {
    const { message } = await failure('my.ts', { 'my.ts': `// mine\n${source}` });
    expect(message).toContain(`my.ts:2:1: the default export is not a strategy: ${problem}. Write`);
    expect(message).toContain(`2 | ${source}`);
  });

  test('when it throws while it is loaded', async () => {
    const { message } = await failure('my.ts', {
      'my.ts': `import { check } from './check.ts';\nexport default check();`,
      'check.ts': `type Unused = { a: 1 };\n\nexport function check(): string {\n  throw new TypeError('no luck');\n}`,
    });
    expect(message).toContain('check.ts:4:9: the strategy throws while it is loaded: no luck. ');
    expect(message).toContain(`4 |   throw new TypeError('no luck');`);
  });

  test('when a package throws while it is loaded', async () => {
    const { message } = await failure('my.ts', {
      'my.ts': `import { root } from 'rooted';\nexport default root;`,
      'node_modules/rooted/package.json': '{"name":"rooted","type":"module","exports":"./index.js"}',
      'node_modules/rooted/index.js': `export const root = Function('return this')().Array;`,
    });
    expect(message).toMatch(
      /index\.js:1:\d+: the strategy throws while it is loaded: .*This package needs something that strategies/,
    );
  });

  test('when there is no such file', async () => {
    expect((await failure('./other.ts', {})).message).toContain(
      'other.ts: there is no such file. Correct the path',
    );
    expect((await failure('other.ts', {})).message).toContain(
      'other.ts: there is no such file. Correct the path',
    );
  });

  test.each(['data:text/javascript,export default 1', 'https://example.com/mine.ts', 'file:///tmp/mine.ts'])(
    'when it is a URL: %s',
    async (use) => {
      expect((await failure(use, {})).message).toMatch(/is a URL\. Name a file/);
    },
  );

  test('when the name is neither bundled nor a package', async () => {
    expect((await failure('sma-cros', {})).message).toContain('Did you mean sma-cross?');
    expect((await failure('zzz', {})).message).toContain(
      'Bundled strategies are dca, limit-ladder, mean-reversion, momentum-rotation, rebalance, sma-cross, sma-signals, twap-accumulation',
    );
  });
});
