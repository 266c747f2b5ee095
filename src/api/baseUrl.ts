import { ConfigError } from '../core/errors.ts';

export type BaseUrl = Readonly<{
  /** Scheme, host and port. */
  origin: string;
  /** The context path before `/api/v1`: sent, never signed. Empty or without a slash at its end. */
  prefix: string;
}>;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @throws {ConfigError} for anything but https, or http on loopback, with at most a path */
export function parseBaseUrl(text: string): BaseUrl {
  const wrong = (what: string) => new ConfigError(`venue base URL: ${what}`);
  if (!URL.canParse(text)) throw wrong(`${JSON.stringify(text)} is not a URL`);
  const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(text);
  if (username || password || search || hash) throw wrong('must carry no user, query or fragment');
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.test(hostname)))
    throw wrong(`${origin} must be https; http is for loopback alone`);
  const prefix = pathname.replace(/\/+$/, '');
  if (/\/api\/v1(\/|$)/.test(prefix)) throw wrong('ends before /api/v1, which the client adds');
  return { origin, prefix };
}
