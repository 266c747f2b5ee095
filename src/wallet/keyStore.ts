import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, orElse } from '../core/errors.ts';

/** `wallet`: a private key. `secret`: any one line of text. */
export const KEY_KINDS = ['wallet', 'secret'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Header that is readable without the password; the address is that of a wallet key. */
export type KeyLabel = Readonly<{ name: string; kind: KeyKind; address: string | null }>;
export type StoredKey = KeyLabel & Readonly<{ value: string }>;

/** Returns a number of unpredictable bytes. */
export type Bytes = (length: number) => Uint8Array;

/** Cost of each guess at a password: 128 MiB. Keys with a lower cost, which a forger would choose, are not opened. */
const COST = { n: 2 ** 17, r: 8, p: 1 } as const;
const N_MAX = 2 ** 20;
const MEMORY_PER_N = 128 * COST.r;

const CIPHER = 'aes-256-gcm';
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Minimum length of a password that seals a key, in characters. */
const PASSWORD_MIN = 14;
const TEXT_MAX = 20_000;

const NAME = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** @throws {ConfigError} without quoting the text, which may be a key pasted in the wrong place */
export function checkKeyName(name: string): string {
  if (NAME.test(name)) return name;
  throw new ConfigError(
    'the name of a key must have at most 40 lower-case letters, digits, - and _, and begin with a letter or a digit',
  );
}

const base64 = (bytes: number) =>
  z.string().refine((text) => {
    const decoded = Buffer.from(text, 'base64');
    return decoded.length === bytes && decoded.toString('base64') === text;
  });

/** Fields in this order: the cipher authenticates the header's JSON. */
const header = z.strictObject({
  format: z.literal('drover key'),
  version: z.literal(1),
  name: z.string().regex(NAME),
  kind: z.enum(KEY_KINDS),
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .nullable(),
  kdf: z.strictObject({
    name: z.literal('scrypt'),
    n: z
      .int()
      .min(COST.n)
      .max(N_MAX)
      .refine((n) => (n & (n - 1)) === 0),
    r: z.literal(COST.r),
    p: z.literal(COST.p),
    salt: base64(SALT_BYTES),
  }),
  cipher: z.strictObject({ name: z.literal(CIPHER), nonce: base64(NONCE_BYTES) }),
});
const file = z.strictObject({ header, sealed: z.string() });
type Header = z.output<typeof header>;
type File = z.output<typeof file>;

const textOf = (content: File): string => `${JSON.stringify(content, null, 2)}\n`;

/**
 * The content of a file with the key, sealed with the password (scrypt, AES-256-GCM).
 * @throws {ConfigError} for an invalid name or password
 */
export function sealKey(
  { name, kind, address, value }: StoredKey,
  { password, bytes }: { password: string; bytes: Bytes },
): string {
  if (password.length < PASSWORD_MIN)
    throw new ConfigError(
      `a new password must have at least ${PASSWORD_MIN} characters, such as four words: whoever copies the file has unlimited time to guess. Nothing was stored`,
    );
  const head: Header = {
    format: 'drover key',
    version: 1,
    name: checkKeyName(name),
    kind,
    address,
    kdf: { name: 'scrypt', ...COST, salt: encoded(bytes(SALT_BYTES)) },
    cipher: { name: CIPHER, nonce: encoded(bytes(NONCE_BYTES)) },
  };
  const cipher = createCipheriv(CIPHER, derived(password, head), Buffer.from(head.cipher.nonce, 'base64'));
  cipher.setAAD(authenticated(head));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return textOf({ header: head, sealed: sealed.toString('base64') });
}

/**
 * The key in the content of a file.
 * @throws {ConfigError} the same for a wrong password, any changed or missing byte, and too low a cost
 */
export function openKey(text: string, { name, password }: { name: string; password: string }): StoredKey {
  const content = contentOf(text);
  if (content?.header.name !== name) throw unopened(name);
  const { header: head, sealed } = content;
  try {
    const box = Buffer.from(sealed, 'base64');
    const nonce = Buffer.from(head.cipher.nonce, 'base64');
    const decipher = createDecipheriv(CIPHER, derived(password, head), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(authenticated(head));
    decipher.setAuthTag(box.subarray(-TAG_BYTES));
    const value = Buffer.concat([decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()]);
    return { name, kind: head.kind, address: head.address, value: value.toString('utf8') };
  } catch {
    throw unopened(name);
  }
}

/** Header of a key file, read without the password and therefore unverified; null for any other text. */
export function labelOfKey(text: string): KeyLabel | null {
  const head = contentOf(text)?.header;
  return head ? { name: head.name, kind: head.kind, address: head.address } : null;
}

/** Accepts only text exactly as written by sealing. */
function contentOf(text: string): File | null {
  return orElse(() => {
    const content = text.length <= TEXT_MAX ? file.safeParse(JSON.parse(text)).data : undefined;
    if (!content || textOf(content) !== text) return null;
    return encoded(Buffer.from(content.sealed, 'base64')) === content.sealed ? content : null;
  }, null);
}

const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const authenticated = (head: Header): Buffer => Buffer.from(JSON.stringify(head), 'utf8');

/** Derives the key from a normalised password, so that it does not matter how accents were typed. */
const derived = (password: string, { kdf: { n, r, p, salt } }: Header): Buffer =>
  scryptSync(password.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, {
    N: n,
    r,
    p,
    maxmem: 2 * MEMORY_PER_N * n,
  });

const unopened = (name: string): ConfigError =>
  new ConfigError(`the key ${name} cannot be opened: the password is wrong, or its file was changed`, {
    name,
  });
