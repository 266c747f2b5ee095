/** Minimum length of a run of characters that is treated as a secret. */
const RUN_MIN = 16;
const RUN = new RegExp(`[A-Za-z0-9_+=-]{${RUN_MIN},}`, 'g');
/** A public address of a contract or wallet. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const LETTERS_MIN = 2;
const DIGITS_MIN = 2;

const count = (text: string, kind: RegExp): number => text.match(kind)?.length ?? 0;

/** True for a text that could be a key or password: a long run of letters and digits that is not an address on a chain. */
export const isLikelySecret = (text: string): boolean =>
  (text.match(RUN) ?? []).some(
    (run) => !ADDRESS.test(run) && count(run, /[A-Za-z]/g) >= LETTERS_MIN && count(run, /\d/g) >= DIGITS_MIN,
  );

/** All texts in a parsed value that could be secrets, including keys of mappings. */
export function likelySecretsIn(value: unknown): string[] {
  if (typeof value === 'string') return isLikelySecret(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(likelySecretsIn);
  return Array.isArray(value) ? inner : [...Object.keys(value).filter(isLikelySecret), ...inner];
}

const URLS = /\b[a-z][a-z\d+.-]*:\/\/[^\s'"]+/gi;
const USER_INFO = /:\/\/([^/?#]*)@/;
const QUERY = /[?#&][^=?#&]*=?([^?#&]*)/g;
/** A random part of a path, such as the API key of a node. */
const KEY_IN_PATH = /^[\w-]{16,}$/;

/**
 * Parts of the URLs in a text that may be a key: user names and passwords, query values, and long path segments. An address on a
 * chain is not one.
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

/** Keys that would change the object's prototype. */
export const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype'];
/** Names of config keys with secret values. */
export const SECRET_KEY =
  /^(api[-_]?key|(api[-_]?|client[-_]?)?secret|secret[-_]?key|(private|wallet)[-_]?key|mnemonic|seed[-_]?phrase|pass(word|phrase))$/i;

/** True for a key that would change the prototype, or whose value would be a secret. */
export const isDangerousKey = (key: string): boolean => PROTOTYPE_KEYS.includes(key) || SECRET_KEY.test(key);
