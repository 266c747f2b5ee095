import { copyFileSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { root } from './cli.ts';
import { installed, node, pack, type Tarball } from './tarball.ts';

const DIST = resolve(root, 'dist');
/** Largest size in bytes of the file that a user downloads. */
const BYTES_MAX = 2_500_000;
/** Largest size in bytes of the package with its dependencies in the folder of a user. */
const INSTALLED_MAX = 100_000_000;

/** Packages that a user installs in addition, for compiling. */
const TOOLS = ['typescript', '@types/node', 'undici-types'];

let tarball: Tarball;
/** Folder of a user who has installed it. */
let folder: string;

beforeAll(() => {
  tarball = pack();
  folder = installed(tarball, TOOLS);
});

/** Folders of the packages in `node_modules`. */
const packagesIn = (modules: string): string[] =>
  readdirSync(modules).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map((inner) => join(modules, name, inner))
      : [join(modules, name)],
  );

const bin = (name: string) => join(root, 'node_modules', name);

/** Modules that some file of `dist/` imports, themselves included: as code (`.js`) or as types (`.d.ts`). */
function reachedFrom(entries: readonly string[], extension: '.js' | '.d.ts'): string[] {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const source = readFileSync(file, 'utf8').replace(/^\s*(\/?\*|\/\/).*$/gm, '');
    for (const [, name = ''] of source.matchAll(/(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g))
      visit(resolve(dirname(file), name).replace(/(?<!\.d)\.[jt]s$/, extension));
  };
  for (const entry of entries) visit(resolve(DIST, `${entry}${extension}`));
  return [...reached].map((file) => relative(root, file));
}

const reachedAtAll = () => [
  ...reachedFrom(['bin/drover', 'bin/strategy', 'bin/testing'], '.js'),
  ...reachedFrom(['index', 'strategy/index', 'testing/index'], '.d.ts'),
];

describe('the packed tarball', () => {
  test('has every module that its exports need', () => {
    expect(reachedAtAll().filter((path) => !tarball.paths.includes(path))).toEqual([]);
  });

  test('has no folder of modules that nothing imports', () => {
    const needed = new Set(reachedAtAll().map((path) => path.split('/')[1]));
    const packed = tarball.paths.flatMap((path) => /^dist\/([^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packed)].filter((name) => !needed.has(name))).toEqual(['page']);
  });

  test('has no source, test, key, log or build information', () => {
    const wrong =
      /^(src|test|bench|node_modules)\/|\.(map|log|tgz|tsbuildinfo|sqlite)$|(^|\/)\.(env|git|npmrc)/;
    expect(tarball.paths.filter((path) => wrong.test(path))).toEqual([]);
    expect(tarball.bytes).toBeLessThan(BYTES_MAX);
  });

  test('takes at most 100 MB once it is installed, whichever version of Node it is for', () => {
    const bytesIn = (path: string): number =>
      readdirSync(path, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    const packages = packagesIn(join(folder, 'node_modules'))
      .filter((path) => !TOOLS.some((name) => path.endsWith(join('node_modules', name))))
      .map((path) => realpathSync(path));
    const bytes = [...new Set(packages)].reduce((sum, path) => sum + bytesIn(path), 0);
    expect(packages.length).toBeGreaterThan(30);
    expect(bytes).toBeLessThan(INSTALLED_MAX);
  });

  test('brings what it uses of viem in one file, with its licences', () => {
    const code = tarball.paths.filter((path) => path.endsWith('.js'));
    expect(code.filter((path) => / from ["']viem/.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
    expect(tarball.paths).toContain('dist/bin/viem.js');
    const licences = readFileSync(join(root, 'dist/bin/viem.js.LICENSES.txt'), 'utf8');
    for (const name of ['viem', '@noble/curves']) expect(licences).toContain(`${name} `);
  });

  test('has every picture that its pages show', () => {
    const pages = tarball.paths.filter((path) => path.endsWith('.md'));
    const shown = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) =>
        join(dirname(page), path),
      ),
    );
    expect(shown).toContain('docs/images/page-now.png');
    expect(shown.filter((path) => !tarball.paths.includes(path))).toEqual([]);
  });

  test('runs no script on install', () => {
    const { scripts } = JSON.parse(
      readFileSync(join(folder, 'node_modules/drover/package.json'), 'utf8'),
    ) as {
      scripts: Record<string, string>;
    };
    const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
    expect(Object.keys(scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  test('passes publint and are-the-types-wrong', { tags: ['long'] }, () => {
    expect(node(root, bin('publint/src/cli.js'), tarball.file, '--strict')).toContain('All good!');
    node(root, bin('@arethetypeswrong/cli/dist/index.js'), tarball.file, '--profile', 'esm-only');
  });
});

describe('the installed package', () => {
  test('types a strategy and its test without the types of Node, and finds a typo', () => {
    const compilerOptions = {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    };
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    copyFileSync(join(root, 'strategies/mean-reversion.ts'), join(folder, 'mine.ts'));
    const text = readFileSync(join(folder, 'mine.ts'), 'utf8');
    writeFileSync(join(folder, 'wrong.ts'), text.replace('view.position(', 'view.positoin('));
    const onStage = `import { Stage } from 'drover/testing';
import mine from './mine.js';
const stage = await Stage.open(mine, { params: { symbol: 'AAPL', weight: 1 }, prices: { AAPL: 100 } });
await stage.settle();
`;
    writeFileSync(join(folder, 'stage.ts'), onStage);
    expect(() => node(folder, 'node_modules/typescript/bin/tsc', '-p', '.')).toThrow(
      /^exit 2: wrong\.ts\(.*'positoin' does not exist.*\n$/,
    );
  });

  test('type-checks a strategy and its test without the types of Node, and finds a typo', () => {
    const folders = reachedFrom(['strategy/index'], '.d.ts').map((path) => path.split('/')[1]);
    expect([...new Set(folders)].sort()).toEqual(['core', 'domain', 'strategy']);
  });

  test('backtests a strategy and draws its report', () => {
    copyFileSync(join(root, 'strategies/sma-cross.ts'), join(folder, 'trend.ts'));
    const drover = (...args: string[]) => node(folder, 'node_modules/drover/dist/bin/main.js', ...args);
    const span = ['--from', '2026-06-01', '--to', '2026-06-13', '--data', 'bars'];
    drover('data', 'generate', 'AAPL', '--interval', '1h', ...span);
    const params = '{"symbol":"AAPL","interval":"1h","fast":2,"slow":5}';
    const out = drover(
      'backtest',
      ...['--strategy', './trend.ts', '--params', params, '--data', 'bars'],
      ...['--report', 'a report.html', '--json'],
    );
    expect(JSON.parse(out)).toHaveProperty('runId');
    expect(readFileSync(join(folder, 'a report.html'), 'utf8')).toContain('</html>');
  });

  test('makes a bot whose types are right, and which trades', { tags: ['long'] }, () => {
    const main = join(folder, 'node_modules/drover/dist/bin/main.js');
    node(folder, main, 'init', 'my bot', '--yes');
    const bot = join(folder, 'my bot');
    node(bot, join(folder, 'node_modules/typescript/bin/tsc'), '--skipLibCheck', 'false');
    const end = ['--speed', 'max', '--until', '2026-06-15T11:00', '--json'];
    const { orders } = JSON.parse(node(bot, main, 'run', 'config/emulator.yaml', ...end)) as RunSummary;
    expect(orders.filled).toBeGreaterThan(0);
  });
});
