import { SECOND_MS } from '../../core/brand.ts';
import { createHmac } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { toJson } from '../../core/json.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { Address } from './addresses.ts';
import { deliveryOf, reasonOf, type Http, type Sender } from './delivery.ts';
import { recordOfMessage, type Parcel } from './message.ts';

/** Maximum text lengths of the services, in characters, with a margin. */
const LIMITS = { telegram: 4_000, discord: 1_900, slack: 3_500, ntfy: 2_000, webhook: 20_000 } as const;

const JSON_TYPE = { 'content-type': 'application/json' };

/** HTTP request for a parcel, without method and signal. */
type Post = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>;
type PostFactory = (parcel: Parcel) => Post;

export type SenderParts = Readonly<{
  http: Http;
  /** Clock of the machine: signatures carry its time. */
  clock: Clock;
  /** Base URL of Telegram's service. */
  telegramApi: string;
  /** Place where the address is set, such as `DROVER_NOTIFY_PHONE (address of notify.channels[0], phone)`. */
  place: string;
  secrets: Secrets;
}>;

/** Sender of a channel over HTTP. */
export function httpSender(address: Exclude<Address, { kind: 'email' }>, parts: SenderParts): Sender {
  const posting = postingOf(address, parts);
  return {
    limit: LIMITS[address.kind],
    send: async (parcel, signal) => {
      try {
        const answer = await parts.http({ method: 'POST', ...posting(parcel), signal });
        // Masked before cutting, so that no part of the address remains at the cut.
        const body = parts.secrets.redact(answer.body);
        return deliveryOf({ ...answer, body }, parts.clock.now(), parts.place);
      } catch (error) {
        return { ok: false, reason: reasonOf(error) };
      }
    },
    close: () => undefined,
  };
}

function postingOf(
  address: Exclude<Address, { kind: 'email' }>,
  { clock, telegramApi }: Pick<SenderParts, 'clock' | 'telegramApi'>,
): PostFactory {
  switch (address.kind) {
    case 'telegram':
      return (parcel) => telegramPost(telegramApi, address, whole(parcel));
    case 'discord':
      return (parcel) => jsonPost(address.url, { content: whole(parcel), allowed_mentions: { parse: [] } });
    case 'slack':
      return (parcel) => jsonPost(address.url, { text: slackText(whole(parcel)), unfurl_links: false });
    case 'ntfy':
      return (parcel) => ntfyPost(address, parcel);
    case 'webhook':
      return (parcel) => signedPost(address, parcel, Math.floor(clock.now() / SECOND_MS));
  }
}

const whole = ({ title, text }: Parcel): string => `${title}\n${text}`;

const jsonPost = (url: string, body: unknown): Post => ({ url, headers: JSON_TYPE, body: toJson(body) });

/** Message to a Telegram chat, as plain text: nothing in it is parsed as markup. */
export const telegramPost = (
  api: string,
  { token, chat }: Pick<Extract<Address, { kind: 'telegram' }>, 'token' | 'chat'>,
  text: string,
): Post =>
  jsonPost(`${api}/bot${token}/sendMessage`, {
    chat_id: chat,
    text,
    link_preview_options: { is_disabled: true },
  });

/** Escapes text for Slack, which reads `<…>` as a link or a mention of everyone. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function ntfyPost(
  { url, authorization }: Extract<Address, { kind: 'ntfy' }>,
  { title, text, isAlarm }: Parcel,
): Post {
  const ascii = /^[\x20-\x7e]*$/.test(title)
    ? title
    : `=?UTF-8?B?${Buffer.from(title, 'utf8').toString('base64')}?=`;
  const headers = {
    title: ascii,
    priority: isAlarm ? '5' : '3',
    ...(authorization === null ? {} : { authorization }),
  };
  return { url, headers, body: text };
}

/** Signature according to Standard Webhooks: HMAC-SHA256 over id, time in seconds and body, joined by dots. */
export function signatureOf(
  key: string,
  { id, at, body }: Readonly<{ id: string; at: number; body: string }>,
): string {
  const secret = key.startsWith('whsec_') ? Buffer.from(key.slice('whsec_'.length), 'base64') : key;
  return `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`;
}

function signedPost(
  { url, key }: Extract<Address, { kind: 'webhook' }>,
  { id, title, text, messages }: Parcel,
  at: number,
): Post {
  const body = toJson({ id, title, text, messages: messages.map(recordOfMessage) });
  const signature = signatureOf(key, { id, at, body });
  const headers = {
    ...JSON_TYPE,
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signature,
  };
  return { url, headers, body };
}
