/** @module-tag heavy */
import { expect, test } from 'vitest';
import { ConfigError, DroverError } from '../../src/core/errors.ts';
import { secureBytes } from '../../src/core/random.ts';
import { labelOfKey, openKey, sealKey } from '../../src/wallet/keyStore.ts';

const value = `0x${'1c'.repeat(32)}`;
const password = 'correct horse battery';
const address = `0x${'2d'.repeat(20)}`;
const key = { name: 'main', kind: 'wallet', address, value } as const;
const sealed = sealKey(key, { password, bytes: (length) => Buffer.alloc(length, 7) });
const GENERIC = 'the key main cannot be opened: the password is wrong, or its file was changed';

const open = (text: string, given = password) => openKey(text, { name: 'main', password: given });

/** Result of opening: the message of the only error, or `opened`. */
function attempt(text: string, given?: string): string {
  try {
    open(text, given);
    return 'opened';
  } catch (error) {
    return error instanceof ConfigError ? error.message : `not the error: ${String(error)}`;
  }
}

test('a sealed key opens with its password, and without it shows only its address', () => {
  expect(open(sealed)).toEqual(key);
  expect(labelOfKey(sealed)).toEqual({ name: 'main', kind: 'wallet', address });
  expect(sealed).not.toContain('1c1c');
});

test('two seals of one key differ in ciphertext and salt', () => {
  const [one, two] = [sealed, sealKey(key, { password, bytes: secureBytes })].map(
    (text) => JSON.parse(text) as { sealed: string; header: { kdf: { salt: string } } },
  );
  expect(one?.sealed).not.toBe(two?.sealed);
  expect(one?.header.kdf.salt).not.toBe(two?.header.kdf.salt);
});

test('a password with an accent opens a key however the accent is encoded', () => {
  const text = sealKey(key, { password: 'caf\u00e9 au lait chaud', bytes: secureBytes });
  expect(attempt(text, 'cafe\u0301 au lait chaud')).toBe('opened');
});

const lines = sealed.split('\n').map((line) => line.trim());

test.each(lines.filter(Boolean))(
  'a sealed key with a changed byte in %s fails with the generic error',
  (line) => {
    const start = sealed.indexOf(line);
    for (const [place, bit] of [
      [0, 1],
      [line.length >> 1, 1],
      [line.length - 1, 2],
    ] as const) {
      const bytes = Buffer.from(sealed);
      bytes[start + place] = (bytes[start + place] ?? 0) ^ bit;
      expect(attempt(bytes.toString('latin1')), `byte ${start + place}`).toBe(GENERIC);
    }
  },
);

const changed = (change: (file: { header: Record<string, unknown>; sealed: string }) => void): string => {
  const file = JSON.parse(sealed) as { header: Record<string, unknown>; sealed: string };
  change(file);
  return `${JSON.stringify(file, null, 2)}\n`;
};
const kdf = (more: object) =>
  changed(({ header }) => (header['kdf'] = { ...(header['kdf'] as object), ...more }));
const flipped = (place: number) =>
  changed((file) => {
    const box = Buffer.from(file.sealed, 'base64');
    const index = place < 0 ? box.length + place : place;
    box[index] = (box[index] ?? 0) ^ 1;
    file.sealed = box.toString('base64');
  });

test.each<[name: string, text: string]>([
  ['the first byte of the key', flipped(0)],
  ['the last byte of the key', flipped(-17)],
  ['the first byte of the tag', flipped(-16)],
  ['the last byte of the tag', flipped(-1)],
  ['no tag', changed((file) => (file.sealed = file.sealed.slice(0, 40)))],
  ['nothing sealed', changed((file) => (file.sealed = ''))],
  ['a cost that is too low', kdf({ n: 2 ** 14 })],
  ['half the cost', kdf({ n: 2 ** 16 })],
  ['a higher cost than it was sealed with', kdf({ n: 2 ** 18 })],
  ['a cost that no machine can compute', kdf({ n: 2 ** 30 })],
  ['a cost that is not a power of two', kdf({ n: 2 ** 17 + 1 })],
  ['another block size', kdf({ r: 1 })],
  ['another derivation', kdf({ name: 'pbkdf2' })],
  ['another salt', kdf({ salt: Buffer.alloc(16).toString('base64') })],
  ['a short salt', kdf({ salt: '' })],
  ['another address', changed(({ header }) => (header['address'] = `0x${'0'.repeat(40)}`))],
  ['another kind', changed(({ header }) => (header['kind'] = 'secret'))],
  ['another version', changed(({ header }) => (header['version'] = 2))],
  ['another name', changed(({ header }) => (header['name'] = 'other'))],
  ['an extra field', changed(({ header }) => (header['more'] = 1))],
  ['the same JSON, formatted differently', JSON.stringify(JSON.parse(sealed))],
  ['an extra space', `${sealed} `],
  ['half of its text', sealed.slice(0, sealed.length / 2)],
  ['nothing', ''],
  ['text that is not JSON', 'key'],
  ['null', 'null'],
])('a sealed key with %s fails with the generic error', (_name, text) => {
  expect(attempt(text)).toBe(GENERIC);
});

test.each(['wrong horse battery', '', `${password} `, password.toUpperCase()])(
  'the wrong password %j fails with the generic error',
  (given) => {
    expect(attempt(sealed, given)).toBe(GENERIC);
  },
);

test('a password under 14 characters cannot seal a key', () => {
  expect(() => sealKey(key, { password: 'thirteen long', bytes: secureBytes })).toThrow(/at least 14/);
});

test('a key given as the name of a key is refused without being repeated', () => {
  const seal = () => sealKey({ ...key, name: value }, { password, bytes: secureBytes });
  expect(seal).toThrow(DroverError);
  expect(seal).not.toThrow(/1c/);
});

test('a key sealed earlier with a short password still opens', () => {
  const old = {
    header: {
      format: 'drover key',
      version: 1,
      name: 'old',
      kind: 'secret',
      address: null,
      kdf: { name: 'scrypt', n: 131_072, r: 8, p: 1, salt: 'BwcHBwcHBwcHBwcHBwcHBw==' },
      cipher: { name: 'aes-256-gcm', nonce: 'BwcHBwcHBwcHBwcH' },
    },
    sealed: '2I2BA+Qq0A8x53J9KWJq7v9DgVgCRheoShGjcfoxqGIwhg==',
  };
  const stored = openKey(`${JSON.stringify(old, null, 2)}\n`, { name: 'old', password: 'abcdefgh' });
  expect(stored).toEqual({ name: 'old', kind: 'secret', address: null, value: 'a secret of before' });
  for (const short of ['abcdefgh', 'thirteen chrs'])
    expect(() => sealKey(stored, { password: short, bytes: secureBytes })).toThrow(/at least 14 characters/);
  expect(
    openKey(sealKey(stored, { password: 'fourteen chars', bytes: secureBytes }), {
      name: 'old',
      password: 'fourteen chars',
    }),
  ).toEqual(stored);
});
