import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { realClock } from '../../../src/core/clock.ts';
import { readAddress, type ChannelKind } from '../../../src/ops/notify/addresses.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { HttpAnswer } from '../../../src/ops/notify/delivery.ts';
import { parcelOf, type Parcel } from '../../../src/ops/notify/message.ts';
import { httpSender } from '../../../src/ops/notify/senders.ts';
import { FakeHost, START } from '../../core/fakeHost.ts';

const ADDRESSES = {
  telegram: '123456:AAbbCCddEE/77',
  discord: 'https://discord.test/hooks/x',
  slack: 'https://slack.test/hooks/x',
} as const satisfies Partial<Record<ChannelKind, string>>;

const message = { id: 'j1', at: epochMs(START), kind: 'fill', title: 'Fill', text: 'a text' } as const;
const parcel: Parcel = parcelOf([message], { run: 'test', limit: 1_000 });

const secrets = new Secrets();
secrets.register('/hooks/x');

function deliver(kind: keyof typeof ADDRESSES, answer: Partial<HttpAnswer>) {
  const address = readAddress(kind, ADDRESSES[kind]);
  if (address.kind === 'email') throw new Error('no mail here');
  const http = () => Promise.resolve({ status: 429, retryAfter: null, body: '', ...answer });
  const sender = httpSender(address, {
    http,
    clock: realClock(new FakeHost()),
    telegramApi: 'https://t.test',
    place: 'DROVER_NOTIFY_PHONE (address of notify.channels[0], phone)',
    secrets,
  });
  return sender.send(parcel, new AbortController().signal);
}

test('a response about a moved Telegram group is quoted, and says what to edit', async () => {
  const body =
    '{"ok":false,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001234}}';
  expect(await deliver('telegram', { status: 400, body })).toMatchObject({
    reason:
      'HTTP 400: "Bad Request: group chat was upgraded to a supergroup chat". The chat is now -1001234: make DROVER_NOTIFY_PHONE (address of notify.channels[0], phone) BOT_TOKEN/-1001234, then start the run again',
  });
});

test.each([
  [403, '{"ok":false,"description":"Forbidden: bot was kicked\\u001b"}', 'bot was kicked'],
  [404, 'no_service', 'no_service'],
  [410, '', 'HTTP 410'],
])('a response %i about the address keeps the message, and is quoted: %s', async (status, body, words) => {
  const delivery = await deliver('telegram', { status, body });
  expect(delivery).toEqual({ ok: false, reason: expect.stringContaining(words) as string });
});

test.each([
  [400, '{"ok":false,"description":"Bad Request: message is too long"}'],
  [400, '{"ok":false,"description":"Bad Request: chat not found"}'],
  [422, '{"message":"of any kind"}'],
  [413, ''],
])(
  'a response %i is a refusal of the message or the address, whatever its words: %s',
  async (status, body) => {
    const words = /:"(\w[^"]*)"/.exec(body)?.[1] ?? `HTTP ${status}`;
    const reason = expect.stringContaining(words) as string;
    expect(await deliver('telegram', { status, body })).toMatchObject({ ok: false, isRefused: true, reason });
  },
);

const inSeconds = (seconds: number) => new Date(START + seconds * 1_000).toUTCString();
const telegramBody = (wait: string) =>
  `{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":${wait}}}`;

test.each([
  ['seconds', 'slack', { retryAfter: '30' }, 30_000],
  ['a date', 'slack', { retryAfter: inSeconds(120) }, 120_000],
  ['a date, in an outage', 'slack', { status: 503, retryAfter: inSeconds(45) }, 45_000],
  ['a date that has passed', 'slack', { retryAfter: inSeconds(-120) }, undefined],
  ['a date next year', 'slack', { retryAfter: inSeconds(31_536_000) }, 3_600_000],
  ['an invalid time', 'slack', { retryAfter: 'soon' }, undefined],
  ['the body of Telegram', 'telegram', { body: telegramBody('35') }, 35_000],
  ['the body of Discord', 'discord', { body: '{"message":"limited","retry_after": 0.65}' }, 650],
  ['the header before the body', 'discord', { retryAfter: '2', body: '{"retry_after":0.65}' }, 2_000],
  ['a body with days', 'telegram', { body: telegramBody('999999') }, 3_600_000],
  ['a body with another value', 'telegram', { body: telegramBody('"x"') }, undefined],
] as const)('a delay demanded by %s is kept, for at most an hour', async (...[, kind, answer, ms]) => {
  const delivery = await deliver(kind, answer);
  expect(delivery).toMatchObject({ ok: false });
  expect('retryAfterMs' in delivery ? delivery.retryAfterMs : undefined).toBe(ms);
});

test('a delay in the body counts only with status 429', async () => {
  expect(await deliver('telegram', { status: 500, body: telegramBody('35') })).toEqual({
    ok: false,
    reason: 'HTTP 500: "Too Many Requests"',
  });
});

test('an address that the end of a quoted answer would cut in two is masked as a whole', async () => {
  const body = `${'x'.repeat(195)}/hooks/x`;
  expect(await deliver('slack', { status: 400, body })).toMatchObject({
    reason: expect.not.stringContaining('/hoo') as string,
  });
});
