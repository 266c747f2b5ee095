import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SafetyError } from '../../../src/core/errors.ts';
import { MASK, Secrets } from '../../../src/core/secrets.ts';
import { explain } from '../../../src/cli/commands/config/config.ts';
import { controlTokens } from '../../../src/app/config/controlTokens.ts';
import { channelAddress, heartbeatUrl } from '../../../src/app/config/notifyAddresses.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import { readSecret, secretOrigin } from '../../../src/app/config/secrets.ts';
import { passwordFor } from '../../../src/app/keys/keyFolder.ts';

const CANARY = 'canary-7f3a9c-secret-of-the-service';

/** Folder in which systemd has put a credential. */
function credentials(name: string, mode = 0o400, text = `${CANARY}\n`): { CREDENTIALS_DIRECTORY: string } {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
  return { CREDENTIALS_DIRECTORY: folder };
}

const venue = {
  baseUrl: 'https://venue.example',
  chainId: 143,
  product: 'ProductA',
  userAddress: '0x1111111111111111111111111111111111111111',
  clock: 'system',
  requestsPerMinute: 600,
} as const;
const read = (env: Record<string, string>, more = {}, secrets = new Secrets()) =>
  readSecret('apiSecret', { ...venue, ...more }, { env, secrets });

test('a systemd credential is read after the environment and before a file, and is masked', () => {
  const env = credentials('DROVER_API_SECRET');
  const secrets = new Secrets();
  expect(read({ ...env, DROVER_API_SECRET: 'from-the-environment' })).toBe('from-the-environment');
  expect(read(env, { secretFile: '/none' }, secrets)).toBe(CANARY);
  expect(secrets.redact(CANARY)).toBe(MASK);
  expect(secretOrigin('apiSecret', env, venue)).toBe('credential DROVER_API_SECRET');
  expect(secretOrigin('apiKey', env, venue)).toBeNull();
});

test('passwords and control tokens come from credentials as well', () => {
  const secrets = new Secrets();
  const password = credentials('DROVER_KEYSTORE_PASSWORD');
  expect(passwordFor({ env: password, secrets }, { what: 'the key' })).toBe(CANARY);
  const env = credentials('DROVER_CONTROL_READ_TOKEN');
  expect(controlTokens({ money: false, runs: 'runs' }, { env, secrets })).toEqual({ read: CANARY });
});

test('the addresses of a channel and of the heartbeat come from credentials, and are masked', () => {
  const [secrets, url] = [new Secrets(), 'https://hooks.example/services/canary-path'];
  const hook = credentials('DROVER_NOTIFY_TEAM_HOOK', 0o400, `${url}\n`);
  const { notify } = parseConfig(
    `mode: emulator
strategies: [{ id: one, use: dca, capital: 1, params: {} }]
notify: { channels: [{ id: team-hook, kind: slack, addressFile: /none }], heartbeat: {} }
`,
    { file: 'my.yaml', cwd: '/', secrets },
  ).config;
  const [channel] = notify.channels;
  if (!channel || !notify.heartbeat) throw new Error('the config has neither');
  expect(channelAddress(channel, { env: hook, secrets })).toEqual({ kind: 'slack', url });
  expect(secrets.redact(`at ${url}`)).not.toContain('canary-path');
  const beat = credentials('DROVER_NOTIFY_HEARTBEAT', 0o400, `${url}\n`);
  expect(heartbeatUrl(notify.heartbeat, { env: beat, secrets })).toBe(url);
  const open = credentials('DROVER_NOTIFY_TEAM_HOOK', 0o644, `${url}\n`);
  expect(() => channelAddress(channel, { env: open, secrets })).toThrow(SafetyError);
});

test('config explain names the credential, never its value', () => {
  const env = credentials('DROVER_API_SECRET');
  const loaded = parseConfig(
    'mode: emulator\nstrategies: [{ id: one, use: dca, capital: 1, params: {} }]\n',
    { file: 'my.yaml', cwd: '/', secrets: new Secrets() },
  );
  const text = explain(loaded, env);
  expect(JSON.stringify(text)).toContain('credential DROVER_API_SECRET');
  expect(JSON.stringify(text)).not.toContain(CANARY);
});

test('config explain names the place of each notification address, never the address', () => {
  const loaded = parseConfig(
    'mode: emulator\nstrategies: [{ id: one, use: dca, capital: 1, params: {} }]\n' +
      'notify: { channels: [{ id: phone, kind: telegram }, { id: desk, kind: ntfy, addressFile: ./desk }] }\n',
    { file: 'my.yaml', cwd: '/', secrets: new Secrets() },
  );
  const explained = explain(loaded, { DROVER_NOTIFY_PHONE: CANARY });
  const originOf = (name: string) => explained.find(({ path }) => path === name)?.origin;
  expect(originOf('address of phone')).toBe('env DROVER_NOTIFY_PHONE');
  expect(originOf('address of desk')).toMatch(/^file .*desk$/);
  expect(JSON.stringify(explained)).not.toContain(CANARY);
});

test.each([0o644, 0o460, 0o420, 0o404])(
  'a credential that others can read or change is refused (mode %i)',
  (mode) => {
    expect(() => read(credentials('DROVER_API_SECRET', mode))).toThrow(SafetyError);
  },
);

test.runIf(process.getuid?.() === 0)(
  "root's credential that an access list gives to the group is read",
  () => {
    expect(read(credentials('DROVER_API_SECRET', 0o440))).toBe(CANARY);
  },
);

test('a credential that is a link is refused', () => {
  const env = credentials('other');
  symlinkSync(join(env.CREDENTIALS_DIRECTORY, 'other'), join(env.CREDENTIALS_DIRECTORY, 'DROVER_API_SECRET'));
  expect(() => read(env)).toThrow(/is a link/);
});
