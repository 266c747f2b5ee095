import type * as Crypto from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { keyboardOf, readLine } from '../../../../src/process/terminal.ts';
import { readSecret, secretOrigin } from '../../../../src/app/config/secrets.ts';
import type { VenueConfig } from '../../../../src/app/config/schema.ts';
import { secureBytes } from '../../../../src/core/random.ts';
import { Secrets } from '../../../../src/core/secrets.ts';
import { walletOf } from '../../../../src/wallet/account.ts';
import { sealKey } from '../../../../src/wallet/keyStore.ts';
import { drover, piping, typing } from '../../support/commandLine.ts';

/** Keys are sealed at a hundredth of their cost here: `test/wallet/keyStore.test.ts` tests the real one. */
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>();
  const scryptSync = (password: string, salt: Uint8Array, length: number) =>
    crypto.scryptSync(password, salt, length, { N: 1_024, r: 8, p: 1 });
  return { ...crypto, scryptSync };
});

const KEY = `0x${'c0ffee11'.repeat(8)}`;
const address = walletOf(KEY).address;
const PASSWORD = 'canary password';

let folder: string;
let env: Record<string, string>;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'drover-')), 'keys');
  env = { DROVER_KEYSTORE_DIR: folder, DROVER_KEYSTORE_PASSWORD: PASSWORD };
});

const keys = (...argv: string[]) => drover(['keys', ...argv], { env });
const fileOf = (name: string) => join(folder, `${name}.key.json`);

const take = (name = 'main', more: string[] = []) =>
  drover(['keys', 'import', name, ...more], { env, keyboard: piping(`${KEY}\n`) });

test('an imported key is listed and shown by its address, and its file is private', async () => {
  const ran = [await take(), await keys('list', '--json'), await keys('show', 'main', '--json')];
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ran.slice(1).map(({ out }) => JSON.parse(out) as unknown)).toEqual([
    [{ name: 'main', kind: 'wallet', address, verified: false }],
    { name: 'main', kind: 'wallet', address, verified: true },
  ]);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(fileOf('main')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['main.key.json']);
  const everything = ran.map(({ out, err }) => out + err).join() + readFileSync(fileOf('main'), 'utf8');
  expect(everything.toLowerCase()).not.toContain('c0ffee11');
  expect(everything).not.toContain('canary');
});

const OTHER = `0x${'ab'.repeat(20)}`;
const rewrite = (name: string, from: string, to: string) =>
  writeFileSync(fileOf(name), readFileSync(fileOf(name), 'utf8').replace(from, to));

test('a changed address in a key file is an error with the password, and unverified without it', async () => {
  await take();
  rewrite('main', address, OTHER);
  const { code, out, err } = await keys('show', 'main');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('its file was changed');
  expect(err).not.toContain(OTHER);
  const bare = { env: { DROVER_KEYSTORE_DIR: folder } };
  const shown = await drover(['keys', 'show', 'main'], bare);
  expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/unverified/)]);
  const json = await drover(['keys', 'show', 'main', '--json'], bare);
  expect(JSON.parse(json.out)).toMatchObject({ verified: false });
  const list = await drover(['keys', 'list'], bare);
  expect(list.out).toContain('unverified');
});

test("a key file sealed with an address that is not the key's is refused", async () => {
  await take();
  const other = sealKey(
    { name: 'main', kind: 'wallet', address: OTHER, value: KEY },
    { password: PASSWORD, bytes: secureBytes },
  );
  writeFileSync(fileOf('main'), other, { mode: 0o600 });
  for (const argv of [
    ['show', 'main'],
    ['export', 'main', '--yes'],
    ['change-password', 'main'],
  ])
    expect(await keys(...argv)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`its file states another address`) as string,
    });
});

test('keys show takes a password file, and a file under the name of another key is not accepted as a key', async () => {
  await take();
  const file = join(folder, 'password');
  writeFileSync(file, PASSWORD, { mode: 0o600 });
  const bare = { env: { DROVER_KEYSTORE_DIR: folder } };
  const { out } = await drover(['keys', 'show', 'main', '--password-file', file, '--json'], bare);
  expect(JSON.parse(out)).toEqual({ name: 'main', kind: 'wallet', address, verified: true });
  renameSync(fileOf('main'), fileOf('other'));
  const list = await drover(['keys', 'list', '--json'], bare);
  expect(JSON.parse(list.out)).toEqual([{ name: 'other', kind: null, address: null, verified: false }]);
});

test('a text in place of the address in a key file is not printed', async () => {
  await take();
  rewrite('main', address, '\\u001b[2Jboo');
  const { out } = await drover(['keys', 'show', 'main'], { env: { DROVER_KEYSTORE_DIR: folder } });
  expect(out).toContain('unreadable');
  expect(out).not.toContain('boo');
});

test('a key is not read from a terminal that would show the secret', async () => {
  const keyboard = keyboardOf({ stdin: { isTTY: true }, stderr: {} });
  const { code, err } = await drover(['keys', 'import', 'typed', '--secret'], { env, keyboard });
  expect([code, err]).toEqual([2, expect.stringMatching(/the input would be visible.*or pipe the input in/)]);
});

test('keys create prints no key, and keys export does', async () => {
  const made = await keys('create', 'new', '--json');
  const row = JSON.parse(made.out) as { address: string };
  const told = await keys('export', 'new', '--yes');
  expect([made.code, told.code]).toEqual([0, 0]);
  expect(walletOf(told.out.trim()).address).toBe(row.address);
  expect(made.out + made.err).not.toContain(told.out.trim().slice(2, 20));
});

test('keys export and keys remove ask for confirmation, and without a terminal need --yes', async () => {
  await take();
  expect((await keys('export', 'main')).code).toBe(4);
  expect((await keys('remove', 'main')).code).toBe(4);
  const no = typing('n');
  expect((await drover(['keys', 'export', 'main'], { env, keyboard: no })).code).toBe(4);
  expect(no.asked).toEqual(['Print the key main unencrypted? [y/N] ']);
  const yes = await drover(['keys', 'export', 'main'], { env, keyboard: typing('y') });
  expect([yes.code, yes.out.trim()]).toEqual([0, KEY]);
  expect((await drover(['keys', 'remove', 'main'], { env, keyboard: typing('yes') })).code).toBe(0);
  expect(JSON.parse((await keys('list', '--json')).out)).toEqual([]);
});

test('a password comes from a private file, or from the terminal, where a new one is typed twice', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'password');
  writeFileSync(file, 'from a file of mine\n', { mode: 0o600 });
  delete env['DROVER_KEYSTORE_PASSWORD'];
  expect((await take()).err).toContain('Set DROVER_KEYSTORE_PASSWORD in the environment, or name a file');
  expect((await take('filed', ['--password-file', file])).code).toBe(0);
  const shown = (keyboard: ReturnType<typeof typing>) =>
    drover(['keys', 'export', 'filed', '--yes'], { env, keyboard });
  expect((await shown(typing('from a file of mine'))).code).toBe(0);
  expect((await shown(typing('from nowhere'))).err).toContain('cannot be opened');
  const create = (...answers: string[]) =>
    drover(['keys', 'create', 'typed'], { env, keyboard: typing(...answers) });
  expect((await create('one long password', 'another password')).code).toBe(2);
  expect((await create('one long password', 'one long password')).code).toBe(0);
  chmodSync(file, 0o644);
  expect((await take('open', ['--password-file', file])).code).toBe(4);
});

test('keys change-password replaces the password', async () => {
  await take();
  env['DROVER_KEYSTORE_NEW_PASSWORD'] = 'canary number two';
  expect((await keys('change-password', 'main')).code).toBe(0);
  expect((await keys('export', 'main', '--yes')).code).toBe(2);
  env['DROVER_KEYSTORE_PASSWORD'] = 'canary number two';
  expect((await keys('export', 'main', '--yes')).out.trim()).toBe(KEY);
  expect(readdirSync(folder)).toEqual(['main.key.json']);
});

test.each<[name: string, argv: string[], piped: string, told: RegExp]>([
  ['a second key of one name', ['import', 'main'], KEY, /there is a key main already/],
  ['no key at all', ['import', 'other'], '', /no key was given/],
  ['a text that is not a key', ['import', 'other'], 'c0ffee11', /64 hex digits/],
  ['a key on the command line', ['import', KEY], KEY, /the name of a key must have/],
  ['a key and its name on the command line', ['import', 'other', KEY], '', /too many arguments/],
  ['a name with ../', ['show', '../main'], '', /the name of a key must have/],
  ['a missing key', ['show', 'nobody'], '', /there is no key nobody/],
])('%s is refused without repeating it', async (...[, argv, piped, told]) => {
  await take();
  const { code, out, err } = await drover(['keys', ...argv], { env, keyboard: piping(piped) });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(told);
  expect(err).not.toContain('c0ffee11');
});

test('a key file or key folder that others can read is refused', async () => {
  await take();
  chmodSync(fileOf('main'), 0o640);
  expect((await keys('show', 'main')).err).toContain('chmod 600');
  chmodSync(fileOf('main'), 0o600);
  chmodSync(folder, 0o755);
  for (const argv of [['list'], ['show', 'main'], ['create', 'new']]) {
    const { code, err } = await keys(...argv);
    expect([code, err]).toMatchObject([4, expect.stringContaining('chmod 700')]);
  }
});

const venue = (more: Partial<VenueConfig>) => ({ requestsPerMinute: 600, ...more }) as VenueConfig;

test('the key store is read after environment and files, and its secrets are masked', async () => {
  await take();
  const secrets = new Secrets();
  const context = { env, secrets };
  const named = venue({ walletKeyName: 'main' });
  expect(readSecret('walletKey', named, context)).toBe(KEY);
  expect(secretOrigin('walletKey', env, named)).toBe('key store main');
  expect(secrets.redact(`${KEY} ${PASSWORD}`)).toBe('[redacted] [redacted]');
  const first = { ...context, env: { ...env, DROVER_WALLET_KEY: 'from-the-environment' } };
  expect(readSecret('walletKey', named, first)).toBe('from-the-environment');
  expect(() => readSecret('apiSecret', venue({ secretName: 'main' }), context)).toThrow(
    'the key main is of the kind wallet, and a secret is needed here',
  );
});

test('a missing password names --password-file only for the commands that have it', async () => {
  await take();
  delete env['DROVER_KEYSTORE_PASSWORD'];
  expect(() =>
    readSecret('walletKey', venue({ walletKeyName: 'main' }), { env, secrets: new Secrets() }),
  ).toThrow(
    'the key main needs a password. Set DROVER_KEYSTORE_PASSWORD in the environment, or start this at a terminal, which asks for it',
  );
  const { code, err } = await keys('export', 'main', '--yes');
  expect([code, err]).toEqual([2, expect.stringContaining('or name a file by --password-file')]);
});

test('an API secret is stored like a key', async () => {
  const ran = await drover(['keys', 'import', 'api', '--secret', '--env', 'MINE'], {
    env: { ...env, MINE: 'canary-secret' },
  });
  expect([ran.code, ran.out.includes('canary')]).toEqual([0, false]);
  const secrets = new Secrets();
  expect(readSecret('apiSecret', venue({ secretName: 'api' }), { env, secrets })).toBe('canary-secret');
});

test('a typed secret can be corrected and cancelled', () => {
  const typed = (text: string) => {
    const bytes = [...Buffer.from(text)];
    return readLine(() => bytes.shift() ?? null);
  };
  expect(typed('pä\x7f\x7fass\r')).toBe('ass');
  expect(typed('wrong\x15right\nmore')).toBe('right');
  expect(typed('ends\x04')).toBe('ends');
  expect(() => typed('half\x03')).toThrow('stopped');
  expect(() => typed('')).toThrow('stopped');
});
