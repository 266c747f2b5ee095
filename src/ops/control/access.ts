import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost, LOOPBACK } from '../../core/loopback.ts';
import { oneLine } from '../../core/printable.ts';
import type { Sessions, Role } from '../page/sessions.ts';
import { RefusedRequest, type Caller } from './request.ts';

/** A request before its body is read. */
export type Arrival = Readonly<{
  method: string;
  /** As it stands in the request line. */
  target: string;
  /** Names and values in turn, repeated ones too. */
  rawHeaders: readonly string[];
}>;

/** Tokens by role. A role without one cannot be used over TCP. */
export type Tokens = Readonly<Partial<Record<Role, string>>>;

/** Callers of a listener: whoever may open the socket, or whoever has a token. */
export type Door = Readonly<
  /** `allowsMoney`: a page may give orders and transfers now. */
  | { kind: 'socket'; user: string; allowsMoney: () => boolean }
  /**
   * `host`: as configured, without its port. `allowsMoney`: orders and transfers are allowed now. `sessions`: of the page; absent
   * if none is served. `origin`: of the proxy before it, such as `https://bots.example`.
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

/** Values of `Sec-Fetch-Site` for an address typed by a person, or a page of the API's own. */
const OWN_FETCH = ['none', 'same-origin'];
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

export const TOKEN_IN_URL =
  'a token must not be in a URL, which others can read: send it as a header, `Authorization: Bearer TOKEN`, and replace this one';

/** Longest name that a client may give itself, in characters. */
const CLIENT_MAX = 60;

/**
 * Refuses what a page of another site could send, and ambiguous requests, before anything is read of them.
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

/** True for the host of the proxy before a listener. */
const isProxied = (given: string, door: Door): boolean =>
  door.kind === 'tcp' && door.origin !== undefined && given.toLowerCase() === new URL(door.origin).host;

/** True for an address in numbers where the listener takes every address of this machine: no name of a page is one. */
const isAnyAddress = (bound: string, host: string): boolean =>
  ['0.0.0.0', '[::]', '::'].includes(bound) && (/^\d{1,3}(\.\d{1,3}){3}$/.test(host) || host.startsWith('['));

/** True for somebody who opens the page, from wherever a link to it stands: what is in it is the same for everyone. */
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
 * The caller of a request; null for one without a token or a session that is known.
 * @throws {RefusedRequest} for a name of a client that cannot be kept
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

/** Caller by a token, or by the cookie of a page; null without one that is known. */
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

/** Caller on the socket. A page that comes through it has no more rights than one over TCP. */
function callerOnSocket(
  by: string,
  rawHeaders: readonly string[],
  { allowsMoney }: Extract<Door, { kind: 'socket' }>,
): Caller {
  const isPage = isFromPage(rawHeaders);
  const money = !isPage || allowsMoney();
  return { role: 'operate', by, money, door: 'socket', way: isPage ? 'page' : 'socket' };
}

/** True for a request with the header that only the page itself can send: a form or a link of another site cannot. */
export const isFromPage = (rawHeaders: readonly string[]): boolean =>
  onlyOf('x-drover-page', rawHeaders) === '1';

/** Role of a token. Compares with every token in constant time, whatever their lengths. */
export function roleOf(token: string, tokens: Tokens): Role | null {
  const given = digestOf(token);
  const isEqual = (known: string | undefined) =>
    timingSafeEqual(given, digestOf(known ?? '')) && known !== undefined;
  const [operates, reads] = [isEqual(tokens.operate), isEqual(tokens.read)];
  if (operates) return 'operate';
  return reads ? 'read' : null;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Value of a header that is there exactly once; null otherwise. */
function onlyOf(name: string, rawHeaders: readonly string[]): string | null {
  const [value, ...others] = valuesOf(name, rawHeaders);
  return value !== undefined && others.length === 0 ? value : null;
}

const valuesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
