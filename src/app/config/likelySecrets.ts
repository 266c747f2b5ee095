/** Shortest run of characters that is treated as a secret. */
const RUN_MIN = 16;
const RUN = new RegExp(`[A-Za-z0-9_+=-]{${RUN_MIN},}`, 'g');
/** A public address: a contract or a wallet. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const LETTERS_MIN = 2;
const DIGITS_MIN = 2;

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

/** True for a text that could be a key or a password: a long run of letters and digits that is not an address of a chain. */
export const isLikelySecret = (text: string): boolean =>
  (text.match(RUN) ?? []).some(
    (run) => !ADDRESS.test(run) && count(run, /[A-Za-z]/g) >= LETTERS_MIN && count(run, /\d/g) >= DIGITS_MIN,
  );

/** Every text within a parsed value that could be a secret, keys of mappings included. */
export function likelySecretsIn(value: unknown): string[] {
  if (typeof value === 'string') return isLikelySecret(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(likelySecretsIn);
  return Array.isArray(value) ? inner : [...Object.keys(value).filter(isLikelySecret), ...inner];
}

const URLS = /\b[a-z][a-z\d+.-]*:\/\/[^\s'"]+/gi;
const USER_INFO = /:\/\/([^/?#]*)@/;
const QUERY = /[?#&][^=?#&]*=?([^?#&]*)/g;
/** A random part of a path, such as a key of a node. */
const KEY_IN_PATH = /^[\w-]{16,}$/;

/**
 * Parts of the URLs in a text that may be a key: user names and passwords, values of a query, and long parts of a path. An address
 * on a chain is none.
 */
export const secretsInUrls = (text: string): string[] =>
  [...text.matchAll(URLS)].flatMap(([url]) => partsOf(url)).filter((part) => !ADDRESS.test(part));

function partsOf(url: string): string[] {
  const user = USER_INFO.exec(url)?.[1] ?? '';
  const [plain = ''] = url.split(/[?#]/);
  const path = plain.split('/').slice(3);
  return [
    user,
    ...user.split(':'),
    ...[...url.matchAll(QUERY)].map(([, value = '']) => value),
    ...path.filter((part) => KEY_IN_PATH.test(part)),
  ];
}

/** Keys that would change the object itself. */
export const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype'];
/** Names of config keys whose value is a secret. */
export const SECRET_KEY =
  /^(api[-_]?key|(api[-_]?|client[-_]?)?secret|secret[-_]?key|(private|wallet)[-_]?key|mnemonic|seed[-_]?phrase|pass(word|phrase))$/i;

/** A config key that only mentions a secret. */
export const isDangerousKey = (key: string): boolean => PROTOTYPE_KEYS.includes(key) || SECRET_KEY.test(key);
