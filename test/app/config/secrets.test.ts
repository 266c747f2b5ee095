import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { ConfigError, SafetyError } from '../../../src/core/errors.ts';
import { MASK, Secrets } from '../../../src/core/secrets.ts';
import { explain } from '../../../src/cli/commands/config/config.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import type { VenueConfig } from '../../../src/app/config/schema.ts';
import { registerEnvironment } from '../../../src/process/environment.ts';
import { readSecret } from '../../../src/app/config/secrets.ts';

const CANARY = 'canary-7f3a9c-secret';
const folder = mkdtempSync(join(tmpdir(), 'drover-'));

function file(name: string, mode: number, text = `${CANARY}\n`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

const venue = (more: Partial<VenueConfig>): VenueConfig => ({
  baseUrl: 'https://venue.example',
  chainId: 143,
  product: 'ProductA',
  userAddress: '0x1111111111111111111111111111111111111111',
  clock: 'system',
  requestsPerMinute: 600,
  ...more,
});

const read = (more: Partial<VenueConfig>, env = {}, secrets = new Secrets()) =>
  readSecret('apiSecret', venue(more), { env, secrets });

test('an API secret from the environment overrides one from a file, and both are masked', () => {
  const secrets = new Secrets();
  const secretFile = file('own', 0o600);
  expect(read({ secretFile }, { DROVER_API_SECRET: 'from-the-environment' }, secrets)).toBe(
    'from-the-environment',
  );
  expect(read({ secretFile }, {}, secrets)).toBe(CANARY);
  expect(secrets.redact(`from-the-environment ${CANARY}`)).toBe(`${MASK} ${MASK}`);
});

test.each([0o644, 0o640, 0o604, 0o620])(
  'a secret file that others can access is refused (mode %i)',
  (mode) => {
    expect(() => read({ secretFile: file('open', mode) })).toThrow(SafetyError);
    expect(() => read({ secretFile: file('open', mode) })).toThrow('chmod 600');
  },
);

/** In its own process: a read that waits for a writer would block this one. */
function readElsewhere(path: string) {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `import { readPrivateFile } from './src/process/files.ts';
        try { readPrivateFile(process.argv[1]); } catch (error) { process.stdout.write(error.name + ': ' + error.message); }`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const argv = ['--input-type=module', '--eval', outputFiles[0]?.text ?? '', '--', path];
  return spawnSync(process.execPath, argv, { timeout: 60_000, killSignal: 'SIGKILL', encoding: 'utf8' });
}

test('a secret file that is a pipe is refused without waiting', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  const { signal, stdout } = readElsewhere(pipe);
  expect([signal, stdout]).toEqual([null, `SafetyError: ${pipe} holds a secret and is not a file`]);
});

test('a secret file that is a link is refused', () => {
  const link = join(folder, 'link');
  symlinkSync(file('target', 0o600), link);
  expect(() => read({ secretFile: link })).toThrow(SafetyError);
});

test('a missing or malformed secret is reported without its text', () => {
  expect(() => read({})).toThrow(
    'there is no API secret. Set DROVER_API_SECRET in the environment, or name a file by venue.secretFile',
  );
  expect(() => read({ secretFile: join(folder, 'missing') })).toThrow(ConfigError);
  const two = file('two', 0o600, `${CANARY}\n${CANARY}\n`);
  expect(() => read({ secretFile: two })).toThrow(`${two} must be one line of text without spaces`);
});

const text = (more: string) => `venue:
  baseUrl: https://venue.example
  chainId: 143
  product: ProductA
  userAddress: '0x1111111111111111111111111111111111111111'
${more}
strategies: [{ id: one, use: dca, capital: 20, params: { amount: '5' } }]
`;

const HEX = 'ab'.repeat(32);
test.each([
  `  apiKey: ${CANARY}`,
  `  api_secret: ${CANARY}`,
  `  secret: ${CANARY}`,
  `  walletKey: '0x${HEX}'`,
  `  keyFile: '${HEX}'`,
  `  keyFile: 0x${HEX}`,
  `limits: { dayLoss: known-from-the-environment }`,
  `log: { file: x, password: ${CANARY} }`,
])('a secret in the config is refused and not repeated: %s', (line) => {
  const secrets = new Secrets();
  registerEnvironment({ env: { DROVER_API_KEY: 'known-from-the-environment' }, secrets });
  const source = { file: 'my.yaml', cwd: '/', secrets };
  try {
    parseConfig(text(line), source);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    const { message, details } = error as ConfigError;
    expect(message).toMatch(/^my\.yaml:\d+:\d+: .* secret.* Set DROVER_API_KEY and DROVER_API_SECRET/);
    for (const told of [message, JSON.stringify(details)])
      expect(secrets.redact(told)).not.toMatch(new RegExp(`${CANARY}|${HEX}|known-from`));
  }
});

test('config explain shows every value with its origin, and no secret', () => {
  const source = {
    file: 'my.yaml',
    cwd: '/',
    secrets: new Secrets(),
    overrides: [{ path: ['emulator', 'speed'], value: 'max', flag: '--speed' }],
  };
  const rows = explain(parseConfig(text('  keyFile: key.txt'), source), { DROVER_API_SECRET: CANARY });
  const told = Object.fromEntries(rows.map(({ path, value, origin }) => [path, [value, origin]]));
  expect(told).toMatchObject({
    mode: ['emulator', 'default'],
    'venue.chainId': [143, 'my.yaml:3'],
    'venue.controlUrl': [null, 'not set'],
    'emulator.start': ['2026-06-15T09:25', 'default'],
    'emulator.speed': ['max', '--speed'],
    'limits.dayLoss': [null, 'not set'],
    'strategies[0].capital': [20, 'my.yaml:7'],
    'strategies[0].params.amount': ['5', 'my.yaml:7'],
    'strategies[0].limits': [null, 'not set'],
    apiKey: [MASK, 'file /key.txt'],
    apiSecret: [MASK, 'env DROVER_API_SECRET'],
    walletKey: [null, 'not set'],
  });
  expect(JSON.stringify(rows)).not.toContain(CANARY);
});
