import { ConfigError, orAt } from '../../core/errors.ts';
import { isLoopbackHost } from '../../core/loopback.ts';

/** Kinds of channels. */
export const CHANNEL_KINDS = ['telegram', 'discord', 'slack', 'email', 'ntfy', 'webhook'] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** Address of a channel; all of it is secret. */
export type Address = Readonly<
  | { kind: 'telegram'; token: string; chat: string }
  | { kind: 'discord' | 'slack'; url: string }
  | { kind: 'email'; host: string; port: number; secure: boolean; user: string; password: string }
  | { kind: 'ntfy'; url: string; authorization: string | null }
  | { kind: 'webhook'; url: string; key: string }
>;

/** Format of each kind of address, for people. */
export const FORMS: Readonly<Record<ChannelKind, string>> = {
  telegram: 'BOT_TOKEN/CHAT_ID',
  discord: 'the URL of its webhook',
  slack: 'the URL of its webhook',
  email: 'smtps://USER:PASSWORD@HOST:465 (or smtp:// with STARTTLS)',
  ntfy: 'https://HOST/TOPIC, or https://:TOKEN@HOST/TOPIC',
  webhook: 'https://HOST/PATH#SIGNING_SECRET, with a secret of 16 characters or more',
};

/** Minimum length of a signing secret, in characters. */
const KEY_MIN = 16;
const SMTP_PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Parses the address of a channel. Error messages never quote it.
 * @throws {ConfigError} when it does not have the format of its kind
 */
export function readAddress(kind: ChannelKind, text: string): Address {
  const address = orAt(
    URIError,
    () => ADDRESSES[kind](text),
    () => {
      throw new ConfigError('a % in it begins no code such as %40: write it as %25');
    },
  );
  if (address === null) throw new ConfigError(`it must have the form ${FORMS[kind]}`);
  return address;
}

const ADDRESSES: Readonly<Record<ChannelKind, (text: string) => Address | null>> = {
  telegram(text) {
    const [, token, chat] = /^(\d+:[A-Za-z0-9_-]{6,})\/(-?\d+|@\w+)$/.exec(text) ?? [];
    return token === undefined || chat === undefined ? null : { kind: 'telegram', token, chat };
  },
  discord: (text) => webhookUrl('discord', text),
  slack: (text) => webhookUrl('slack', text),
  email(text) {
    if (!URL.canParse(text)) return null;
    const { protocol, hostname, port, username, password } = new URL(text);
    const usual = SMTP_PORTS[protocol];
    if (usual === undefined || hostname === '') return null;
    return {
      kind: 'email',
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? usual : Number(port),
      secure: protocol === 'smtps:',
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    };
  },
  ntfy(text) {
    const url = safeUrl(text);
    if (url === null || url.pathname.length < 2) return null;
    const { username, password } = url;
    [url.username, url.password] = ['', ''];
    return { kind: 'ntfy', url: url.href, authorization: authorizationOf(username, password) };
  },
  webhook(text) {
    const url = safeUrl(text);
    const key = url?.hash.slice(1) ?? '';
    if (url === null || url.username !== '' || key.length < KEY_MIN) return null;
    url.hash = '';
    return { kind: 'webhook', url: url.href, key: decodeURIComponent(key) };
  },
};

function webhookUrl(kind: 'discord' | 'slack', text: string): Address | null {
  const url = safeUrl(text);
  return url === null || url.pathname.length < 2 ? null : { kind, url: url.href };
}

/** A URL with an encrypted connection: https, or http on this machine. */
export function safeUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)) ? url : null;
}

function authorizationOf(user: string, password: string): string | null {
  if (password === '') return null;
  const secret = decodeURIComponent(password);
  if (user === '') return `Bearer ${secret}`;
  return `Basic ${Buffer.from(`${decodeURIComponent(user)}:${secret}`).toString('base64')}`;
}

/** Parts of an address with which others could use it: each is also masked by itself. */
export function secretParts(address: Address): string[] {
  switch (address.kind) {
    case 'telegram':
      return [address.token, address.chat];
    case 'email':
      return [address.password];
    case 'webhook':
      return [...urlParts(address.url), address.key];
    case 'ntfy':
      return [...urlParts(address.url), address.authorization?.replace(/^\w+ /, '') ?? ''];
    default:
      return urlParts(address.url);
  }
}

/** A URL in the forms that may occur in a log, and its path. */
export function urlParts(text: string): string[] {
  const { href, origin, pathname, search } = new URL(text);
  const path = `${pathname}${search}`;
  return [text, href, `${origin}${path}`, ...(path.length > 1 ? [path, path.slice(1)] : [])];
}
