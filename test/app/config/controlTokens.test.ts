import type * as Crypto from 'node:crypto';
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ConfigError, SafetyError } from '../../../src/core/errors.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { controlSection } from '../../../src/app/config/control.ts';
import { controlTokens } from '../../../src/app/config/controlTokens.ts';
import { drover, piping } from '../../cli/support/commandLine.ts';

// The cost of the key store's password hash is not tested here.
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof Crypto>();
  const scryptSync = (password: string, salt: Uint8Array, length: number) =>
    crypto.scryptSync(password, salt, length, { N: 1_024, r: 8, p: 1 });
  return { ...crypto, scryptSync };
});

const READ = 'read'.repeat(8);
const OPERATE = 'operate-'.repeat(4);

let folder: string;
let secrets: Secrets;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-'));
  secrets = new Secrets();
});

const tokensFor = (section: object, env: Readonly<Record<string, string>> = {}) =>
  controlTokens(controlSection.parse(section), { env, secrets });
const file = (text: string, mode = 0o600): string => {
  const path = join(folder, 'tokens');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

describe('a control token file', () => {
  test('gives a token to each role, and both are masked', () => {
    const tokens = file(`# for the page\nread ${READ}\n\noperate ${OPERATE}\n`);
    expect(tokensFor({ tokens })).toEqual({ read: READ, operate: OPERATE });
    expect(secrets.redact(`${READ} ${OPERATE}`)).not.toMatch(/read|operate/);
  });

  test.each([0o644, 0o640, 0o604, 0o666])('that others can read (mode %o) is refused', (mode) => {
    const tokens = file(`read ${READ}\n`, mode);
    const take = () => tokensFor({ tokens });
    expect(take).toThrow(SafetyError);
    expect(take).toThrow(/can be read by others.*chmod 600/);
  });

  test('that is a link is refused', () => {
    const link = join(folder, 'link');
    symlinkSync(file(`read ${READ}\n`), link);
    expect(() => tokensFor({ tokens: link })).toThrow('is a link');
  });

  test.each([
    ['a line of one word', 'read\n'],
    ['an unknown role', `admin ${READ}\n`],
    ['a token with a space', `read ${READ} more\n`],
  ])('with %s is refused, and shows no token', (_, text) => {
    const tokens = file(text);
    expect(() => tokensFor({ tokens })).toThrow('each line must be `read TOKEN` or `operate TOKEN`');
    expect(() => tokensFor({ tokens })).not.toThrow(READ);
  });

  test('with a short token is refused, and does not show it', () => {
    const take = () => tokensFor({ tokens: file('read too-short-a-token\n') });
    expect(take).toThrow(/at least 32 characters/);
    expect(take).not.toThrow('too-short-a-token');
  });

  test('that is missing is refused by its path', () => {
    expect(() => tokensFor({ tokens: join(folder, 'none') })).toThrow(join(folder, 'none'));
  });
});

test('a control token from the environment overrides one from a file', () => {
  const tokens = file(`read ${READ}\noperate ${OPERATE}\n`);
  const given = 'x'.repeat(32);
  expect(tokensFor({ tokens }, { DROVER_CONTROL_READ_TOKEN: given })).toEqual({
    read: given,
    operate: OPERATE,
  });
});

test('a single control token for both roles is refused', () => {
  const env = { DROVER_CONTROL_READ_TOKEN: READ, DROVER_CONTROL_OPERATE_TOKEN: READ };
  expect(() => tokensFor({}, env)).toThrow(ConfigError);
  expect(() => tokensFor({}, env)).toThrow('are the same');
});

test('a control token comes from the key store by its name, with its password', async () => {
  const env = { DROVER_KEYSTORE_DIR: join(folder, 'keys'), DROVER_KEYSTORE_PASSWORD: 'canary password' };
  const stored = await drover(['keys', 'import', 'panel', '--secret'], {
    env,
    keyboard: piping(`${OPERATE}\n`),
  });
  expect(stored.code, stored.err).toBe(0);
  expect(tokensFor({ operateTokenName: 'panel' }, env)).toEqual({ operate: OPERATE });
  expect(secrets.redact(OPERATE)).not.toContain(OPERATE);
  expect(() => tokensFor({ readTokenName: 'none' }, env)).toThrow('there is no key none');
  const wrong = { ...env, DROVER_KEYSTORE_PASSWORD: 'another password' };
  secrets = new Secrets();
  expect(() => tokensFor({ operateTokenName: 'panel' }, wrong)).toThrow(/password/);
});
