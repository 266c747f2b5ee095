import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { botName, fillTemplate, TEMPLATE_TERMS } from '../../../../src/cli/commands/init/project.ts';
import { droverSpec, runningSpec } from '../../../../src/cli/commands/init/source.ts';
import { VERSION } from '../../../../src/core/version.ts';
import { drover } from '../../support/commandLine.ts';

const fresh = () => mkdtempSync(join(tmpdir(), 'drover init '));
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes('.'))
    .sort();

const FILES = [
  '.gitignore',
  'README.md',
  'config/dry-run.yaml',
  'config/emulator.yaml',
  'config/live.yaml',
  'deploy/steady-hand.service',
  'package.json',
  'strategy.test.ts',
  'strategy.ts',
  'tsconfig.json',
];

describe('a new bot', () => {
  const cwd = fresh();
  const folder = join(cwd, 'Steady Hand');
  const made = drover(['init', 'Steady Hand', '--symbol', 'KO', '--capital', '1005', '--json'], { cwd });

  test('has all its files, and names the next steps', async () => {
    const { code, out } = await made;
    expect([code, JSON.parse(out)]).toEqual([
      0,
      {
        folder,
        name: 'steady-hand',
        symbol: 'KO',
        capital: 1005,
        drover: `file:${process.cwd()}`,
        files: FILES,
        next: ["cd 'Steady Hand'", 'npm install', 'npm start', 'npm test'],
      },
    ]);
    expect(filesIn(folder)).toEqual(FILES);
  });

  test.each(['emulator', 'dry-run', 'live'])(
    'has a config of mode %s with its symbol, capital and limits',
    async (mode) => {
      await made;
      const argv = ['config', 'explain', `config/${mode}.yaml`, '--json'];
      const { code, out, err } = await drover(argv, { cwd: folder });
      expect([code, err]).toEqual([0, '']);
      const values = Object.fromEntries(
        (JSON.parse(out) as { path: string; value: unknown }[]).map(({ path, value }) => [path, value]),
      );
      expect(values).toMatchObject({
        mode,
        'strategies[0].id': 'steady-hand',
        'strategies[0].capital': '1005',
        'strategies[0].params.symbol': 'KO',
        'limits.orderNotional': '2010',
        'limits.dayLoss': '100.5',
      });
    },
  );

  test("has its own name and stock, and none of the templates', in README, test and systemd unit", async () => {
    await made;
    const texts = FILES.map((file) => read(folder, file)).join('\n');
    expect(texts).not.toMatch(/my-bot|SPY/);
    const unit = read(folder, 'deploy/steady-hand.service');
    expect(unit).toContain(
      'node_modules/drover/dist/bin/main.js run /opt/steady-hand/config/live.yaml --live --state /var/lib/steady-hand/state\n',
    );
    expect(unit.match(/\/\w+(\/\w+)*\/drover\b(?!\/(dist|docs))/g)).toBeNull();
  });

  test('depends on the drover, zod and compiler that it was made with', async () => {
    await made;
    const own = JSON.parse(read('package.json')) as { dependencies: { zod: string } };
    expect(JSON.parse(read(folder, 'package.json'))).toMatchObject({
      name: 'steady-hand',
      private: true,
      type: 'module',
      scripts: { start: 'drover run config/emulator.yaml --until close' },
      dependencies: { drover: `file:${process.cwd()}`, zod: own.dependencies.zod },
      allowScripts: { '@photostructure/sqlite': false, esbuild: false },
    });
  });
});

test('init from a clone without a built library names the build as the next step', async () => {
  const cwd = fresh();
  mkdirSync(join(cwd, 'clone', 'src'), { recursive: true });
  writeFileSync(join(cwd, 'clone', 'src', 'index.ts'), '');
  const next = async () =>
    JSON.parse((await drover(['init', '--drover', 'clone', '--json', nextName()], { cwd })).out) as {
      next: string[];
    };
  const nextName = () => `bot-${readdirSync(cwd).length}`;
  expect((await next()).next[0]).toBe(`npm run build --prefix '${join(cwd, 'clone')}'`);
  mkdirSync(join(cwd, 'clone', 'dist', 'testing'), { recursive: true });
  writeFileSync(join(cwd, 'clone', 'dist', 'testing', 'index.d.ts'), '');
  expect((await next()).next[0]).toBe('cd bot-2');
});

test('init without a terminal asks nothing, and uses the current folder', async () => {
  const cwd = fresh();
  mkdirSync(join(cwd, '.git'));
  const { code, out } = await drover(['init'], { cwd });
  expect([code, out]).toEqual([0, expect.stringContaining('\n  npm install\n  npm start\n')]);
  expect(out).not.toContain('  cd ');
  expect(read(cwd, 'config/emulator.yaml')).toContain("symbol: 'SPY'");
});

test.each([
  [['full'], /full is not empty \(a\.txt\), and `drover init` would write README\.md, .*Nothing was written/],
  [['full/a.txt'], /a\.txt is a file/],
  [['new', '--symbol', 'spy'], /the emulator has no stock "spy"\. Use one of AAPL, /],
  [['new', '--capital', '99'], /a whole number from 100 to 50000, not "99"/],
  [['new', '--capital', '1e3'], /a whole number/],
  [['new', '--drover', './gone.tgz'], /--drover \.\/gone\.tgz: there is no such file/],
])('init %j is refused, and nothing is written', async (argv, message) => {
  const cwd = fresh();
  mkdirSync(join(cwd, 'full'));
  writeFileSync(join(cwd, 'full/a.txt'), 'mine');
  const { code, out, err } = await drover(['init', ...argv], { cwd });
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)]);
  expect([filesIn(join(cwd, 'full')), existsSync(join(cwd, 'new'))]).toEqual([['a.txt'], false]);
});

describe('init on a terminal', () => {
  /** Makes a bot with a user who types the next of these texts at each question or complaint. */
  async function typed(cwd: string, argv: string[], ...texts: string[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const output = new PassThrough();
    let shown = '';
    output.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (/◆ {2}|▲ {2}/.test(chunk.toString())) setImmediate(() => input.write(texts.shift() ?? '\x03'));
    });
    const keyboard = { present: true, ask: () => '', piped: () => '', streams: { input, output } };
    return { ...(await drover(['init', ...argv], { cwd, keyboard })), shown };
  }

  test('repeats each question until its answer is valid', async () => {
    const cwd = fresh();
    const { code, shown, out } = await typed(cwd, ['--symbol', 'KO'], 'b c\r', '0\r', '\x15200\r');
    expect([code, out]).toEqual([0, expect.stringContaining(`b-c in ${cwd}/b c, `)]);
    expect(shown).toContain('must be a whole number from 100 to 50000');
    expect(shown).not.toContain('Which stock');
    expect(read(cwd, 'b c/config/emulator.yaml')).toContain("capital: '200'");
  });

  test('takes the proposed answer on Enter', async () => {
    const cwd = fresh();
    const { code, out } = await typed(cwd, [], '\r', '\r', '\r');
    expect([code, out]).toEqual([0, expect.stringContaining(' trades SPY ')]);
    expect(read(cwd, 'config/live.yaml')).toContain("capital: '10000'");
  });

  test('asks nothing with --yes', async () => {
    const { code, shown } = await typed(fresh(), ['a', '--yes']);
    expect([code, shown]).toEqual([0, '']);
  });

  test('ends on Ctrl-C and writes nothing', async () => {
    const cwd = fresh();
    const { code, err } = await typed(cwd, ['a'], '\x03');
    expect([code, err]).toEqual([130, expect.stringContaining('nothing was written')]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

test.each([
  ['/tmp/My Bot', 'my-bot'],
  ['/tmp/_überhaus_2', 'berhaus-2'],
  ['/', 'my-bot'],
  ['/x/drover', 'drover-bot'],
  [`/x/${'long-'.repeat(20)}`, 'long-long-long-long-long-long-long-long'],
])('a bot in %s is named %s', (folder, name) => {
  expect(botName(folder)).toBe(name);
});

test('the templates with their own terms filled in stay unchanged', () => {
  const text = read('templates/config/live.yaml');
  expect(fillTemplate(text, TEMPLATE_TERMS)).toBe(text);
});

describe('the drover dependency of a new bot', () => {
  const cwd = fresh();
  writeFileSync(join(cwd, 'drover 1.tgz'), '');
  mkdirSync(join(cwd, 'node_modules/drover'), { recursive: true });
  const installed = join(cwd, 'node_modules/drover');
  const lockWith = (resolved?: string) => {
    const packages = { 'node_modules/drover': resolved === undefined ? {} : { resolved } };
    writeFileSync(join(cwd, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  };

  test('is the version or the file that --drover gives', () => {
    expect(droverSpec('0.8.0', cwd)).toBe('0.8.0');
    expect(droverSpec('^1.2', cwd)).toBe('^1.2');
    expect(droverSpec('drover 1.tgz', cwd)).toBe(`file:${cwd}/drover 1.tgz`);
  });

  test('is the version or file that npm has installed', () => {
    expect(runningSpec(installed)).toBe(VERSION);
    lockWith();
    expect(runningSpec(installed)).toBe(VERSION);
    lockWith('https://registry.example/drover-0.8.0.tgz');
    expect(runningSpec(installed)).toBe(VERSION);
    lockWith('file:drover 1.tgz');
    expect(runningSpec(installed)).toBe(`file:${cwd}/drover 1.tgz`);
    lockWith('file:gone.tgz');
    expect(() => runningSpec(installed)).toThrow(/gone\.tgz, from which this drover was installed, is gone/);
  });
});
