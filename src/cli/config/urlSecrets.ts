const URLS = /\b[a-z][a-z\d+.-]*:\/\/[^\s'"]+/gi;
const USER_INFO = /:\/\/([^/?#]*)@/;
const QUERY = /[?#&][^=?#&]*=?([^?#&]*)/g;
/** A part of a path that no person has chosen, as nodes of a chain have their keys. */
const KEY_IN_PATH = /^[\w-]{16,}$/;
/** Anyone may know it. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/**
 * What in the URLs of a text may be a key: user names and passwords, values of a query, and long parts of a path. An address
 * on a chain is none.
 */
export const secretsInUrls = (text: string): string[] =>
  [...text.matchAll(URLS)].flatMap(([url]) => partsOf(url)).filter((part) => !ADDRESS.test(part));

function partsOf(url: string): string[] {
  const user = USER_INFO.exec(url)?.[1] ?? '';
  const [plain = ''] = url.split(/[?#]/);
  const path = plain.split('/').slice(3);
  return [
    ...[user, ...user.split(':')],
    ...[...url.matchAll(QUERY)].map(([, value = '']) => value),
    ...path.filter((part) => KEY_IN_PATH.test(part)),
  ];
}
