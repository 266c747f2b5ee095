import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost, LOOPBACK } from '../../core/loopback.ts';
import { oneLine } from '../../core/printable.ts';
import type { Sessions, Role } from '../page/sessions.ts';
import { RefusedRequest, type Caller } from './request.ts';

/** A request whose body has not been read yet. */
export type Arrival = Readonly<{
  method: string;
  /** As in the request line. */
  target: string;
  /** Alternating names and values, including repeated headers. */
  rawHeaders: readonly string[];
}>;

/** Tokens by role. A role without a token cannot be used over TCP. */
export type Tokens = Readonly<Partial<Record<Role, string>>>;

/** Allowed callers of a listener: anyone who may open the socket, or anyone with a token. */
export type Door = Readonly<
  /** `allowsMoney`: orders and transfers are currently allowed from a page. */
  | { kind: 'socket'; user: string; allowsMoney: () => boolean }
  /**
   * `host`: as configured, without port. `allowsMoney`: orders and transfers are currently allowed. `sessions`: those of the
   * page; absent if none is served. `origin`: of the proxy in front, such as `https://bots.example`.
   */
  | {
      kind: 'tcp';
      host: string;
      tokens: Tokens;
      allowsMoney: () => boolean;
      sessions?: Sessions;
      origin?: string | undefined;
    }
>;

/** Values of `Sec-Fetch-Site` for a URL typed by a person, and for the API's own page. */
const OWN_FETCH = ['none', 'same-origin'];
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

export const TOKEN_IN_URL =
  'a token must not be in a URL, which others can read: send it as a header, `Authorization: Bearer TOKEN`, and replace this one';

/** Maximum length of a client's name, in characters. */
const CLIENT_MAX = 60;

/**
 * Refuses ambiguous requests, and any that another site's page could send, before reading further.
 * @throws {RefusedRequest}
 */
export function checkArrival({ method, target, rawHeaders }: Arrival, door: Door): void {
  const host = onlyOf('host', rawHeaders);
  if (host === null) throw new RefusedRequest('USAGE', 'a request has exactly one Host header');
  if (!target.startsWith('/')) throw new RefusedRequest('USAGE', 'the target of a request is a path');
  if (/[?&](access_)?token=/i.test(target)) throw new RefusedRequest('USAGE', TOKEN_IN_URL);
  if (!isOwnHost(host, door) && !isProxied(host, door))
    throw new RefusedRequest(
      'FORBIDDEN',
      `this is not the host ${oneLine(host, CLIENT_MAX)}: use the address that the run listens on, or name that of a proxy by control.publicUrl`,
    );
  if (!isOwnPage(host, rawHeaders, door) && !isVisit({ method, target, rawHeaders }))
    throw new RefusedRequest('FORBIDDEN', 'pages of other sites may not call this');
  if (method === 'POST' && !JSON_TYPE.test(onlyOf('content-type', rawHeaders) ?? ''))
    throw new RefusedRequest('USAGE', 'a command is sent as content-type: application/json');
}

function isOwnHost(given: string, door: Door): boolean {
  const host = given.toLowerCase().replace(/:\d{1,5}$/, '');
  if (door.kind === 'socket' || isLoopbackHost(door.host)) return LOOPBACK.test(host);
  return LOOPBACK.test(host) || host === door.host.toLowerCase() || isAnyAddress(door.host, host);
}

/** True for the host of the proxy in front of a listener. */
const isProxied = (given: string, door: Door): boolean =>
  door.kind === 'tcp' && door.origin !== undefined && given.toLowerCase() === new URL(door.origin).host;

/** True for a numeric address if the listener accepts all addresses of this machine: a page's host is never numeric. */
const isAnyAddress = (bound: string, host: string): boolean =>
  ['0.0.0.0', '[::]', '::'].includes(bound) && (/^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith('['));

/** True for navigation to the page, wherever the link to it is: its content is the same for everyone. */
const isVisit = ({ method, target, rawHeaders }: Arrival): boolean =>
  method === 'GET' &&
  target === '/' &&
  onlyOf('sec-fetch-mode', rawHeaders) === 'navigate' &&
  onlyOf('sec-fetch-dest', rawHeaders) === 'document';

function isOwnPage(host: string, rawHeaders: readonly string[], door: Door): boolean {
  const proxy = door.kind === 'tcp' ? door.origin : undefined;
  const own = [`http://${host}`, `https://${host}`, ...(proxy === undefined ? [] : [proxy])];
  return (
    valuesOf('origin', rawHeaders).every((origin) => own.includes(origin)) &&
    valuesOf('sec-fetch-site', rawHeaders).every((site) => OWN_FETCH.includes(site))
  );
}

/**
 * The caller of a request; null without a known token or session.
 * @throws {RefusedRequest} for an invalid client name
 */
export function callerOf(rawHeaders: readonly string[], door: Door): Caller | null {
  const client = onlyOf('x-drover-client', rawHeaders);
  if (client !== null && (client.length > CLIENT_MAX || !/^[\x20-\x7e]+$/.test(client)))
    throw new RefusedRequest('USAGE', `x-drover-client is at most ${CLIENT_MAX} printable characters`);
  const called = (name: string) => (client === null ? name : `${name}, ${client}`);
  return door.kind === 'socket'
    ? callerOnSocket(called(`${door.user} (socket)`), rawHeaders, door)
    : callerOnTcp(called, rawHeaders, door);
}

/** Caller by token or page cookie; null without a known one. */
function callerOnTcp(
  called: (name: string) => string,
  rawHeaders: readonly string[],
  { allowsMoney, tokens, sessions }: Extract<Door, { kind: 'tcp' }>,
): Caller | null {
  const shared = { money: allowsMoney(), door: 'tcp' } as const;
  const authorization = onlyOf('authorization', rawHeaders) ?? '';
  const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization) ?? [];
  if (token !== undefined) {
    const role = roleOf(token, tokens);
    const way = isFromPage(rawHeaders) ? 'page' : 'token';
    return role && { ...shared, role, by: called(`${role} token`), way };
  }
  const session = sessions?.of(valuesOf('cookie', rawHeaders).join('; '));
  return session ? { ...shared, role: session.role, by: called('page'), way: 'page', session } : null;
}

/** Caller on the socket. A page connected through it has the same rights as over TCP. */
function callerOnSocket(
  by: string,
  rawHeaders: readonly string[],
  { allowsMoney }: Extract<Door, { kind: 'socket' }>,
): Caller {
  const isPage = isFromPage(rawHeaders);
  const money = !isPage || allowsMoney();
  return { role: 'operate', by, money, door: 'socket', way: isPage ? 'page' : 'socket' };
}

/** True for a request with the header that only the page itself can send: another site's form or link cannot. */
export const isFromPage = (rawHeaders: readonly string[]): boolean =>
  onlyOf('x-drover-page', rawHeaders) === '1';

/** Role of a token. Compares it with every token in constant time, regardless of length. */
export function roleOf(token: string, tokens: Tokens): Role | null {
  const given = digestOf(token);
  const isEqual = (known: string | undefined) =>
    timingSafeEqual(given, digestOf(known ?? '')) && known !== undefined;
  const [operates, reads] = [isEqual(tokens.operate), isEqual(tokens.read)];
  if (operates) return 'operate';
  return reads ? 'read' : null;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Value of a header that occurs exactly once; null otherwise. */
function onlyOf(name: string, rawHeaders: readonly string[]): string | null {
  const [value, ...others] = valuesOf(name, rawHeaders);
  return value !== undefined && others.length === 0 ? value : null;
}

const valuesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
