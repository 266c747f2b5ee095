import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../src/core/version.ts';
import { pack } from '../e2e/tarball.ts';

const PORT = 14_873;
const REGISTRY = `http://127.0.0.1:${PORT}/`;
const folder = mkdtempSync(join(tmpdir(), 'drover-registry-'));

/** Folder in which verdaccio is installed: that of $VERDACCIO, else a temporary one; null where it cannot be had. */
function verdaccio(): string | null {
  const given = process.env['VERDACCIO'];
  const place = given ?? join(folder, 'verdaccio');
  const argv = [
    'install',
    'verdaccio@~6.0',
    '--prefix',
    place,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  if (given === undefined) {
    mkdirSync(place);
    // A dependency needs a tag that not every registry has.
    writeFileSync(join(place, 'package.json'), '{ "private": true, "overrides": { "node-fetch": "2.7.0" } }');
    spawnSync('npm', argv, { stdio: 'ignore', timeout: 300_000 });
  }
  const program = join(place, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  return existsSync(program) ? program : null;
}

const program = verdaccio();
if (program === null) console.warn('skipped: verdaccio could not be installed');

let server: ChildProcess | null = null;
afterAll(() => server?.kill('SIGKILL'));

/** Environment of a user whose npm uses only this registry, with an empty cache. */
const env = {
  PATH: process.env['PATH'],
  HOME: folder,
  npm_config_registry: REGISTRY,
  npm_config_cache: join(folder, 'cache'),
  npm_config_userconfig: join(folder, 'npmrc'),
  npm_config_update_notifier: 'false',
};

const npm = (cwd: string, ...argv: string[]): string =>
  execFileSync('npm', argv, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

async function startRegistry(main: string): Promise<void> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const ours = '{ access: $all, publish: $all }';
  writeFileSync(
    join(folder, 'config.yaml'),
    `storage: ${join(folder, 'storage')}
auth: { htpasswd: { file: ${join(folder, 'htpasswd')} } }
uplinks: { npm: { url: '${upstream}' } }
packages: { drover: ${ours}, create-drover: ${ours}, '**': { access: $all, proxy: npm } }
log: { type: stdout, level: fatal }
`,
  );
  writeFileSync(join(folder, 'npmrc'), `//127.0.0.1:${PORT}/:_authToken=nobody\n`);
  const argv = [main, '--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${PORT}`];
  server = spawn(process.execPath, argv, {
    cwd: folder,
    stdio: 'ignore',
    env: { PATH: env.PATH, HOME: folder, NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] },
  });
  for (let tries = 0; tries < 240; tries++) {
    const isUp = await fetch(`${REGISTRY}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await wait(250);
  }
  throw new Error('the registry does not listen');
}

describe.skipIf(program === null)('npm create', () => {
  test('drover@latest makes a bot that installs and runs this version', { timeout: 600_000 }, async () => {
    await startRegistry(program ?? '');
    npm(folder, 'publish', pack().file, '--tag', 'latest', '--provenance=false');
    npm(process.cwd(), 'publish', './create-drover', '--tag', 'latest', '--provenance=false');
    const said = npm(folder, 'create', '--yes', 'drover@latest', 'my-bot', '--', '--symbol', 'AAPL', '--yes');
    expect(said).toContain('my-bot');
    const bot = join(folder, 'my-bot');
    const { dependencies } = JSON.parse(readFileSync(join(bot, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies['drover']).toBe(VERSION);
    npm(bot, 'install', '--ignore-scripts', '--no-audit', '--no-fund');
    expect(npm(bot, 'exec', '--', 'drover', '--version').trim()).toBe(VERSION);
    expect(npm(bot, 'exec', '--', 'drover', 'config', 'explain', 'config/emulator.yaml')).toContain('AAPL');
  });
});
