import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { mailServer, service } from '../../../ops/notify/services.ts';
import { drover } from '../../support/commandLine.ts';

const TOKEN = '123456:AAbbCCddEEff';
const KEY = 'a-signing-key-of-this-test';
const STRATEGY = 'strategies: [{ id: dca, use: dca, capital: 100, params: { symbol: SPY, notional: 50 } }]';
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const opened = async <T extends { close: () => Promise<void> }>(making: Promise<T>): Promise<T> => {
  const made = await making;
  closing.push(made.close);
  return made;
};

function config(notify: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'drover-notify-')), 'config.yaml');
  writeFileSync(file, `${STRATEGY}\nnotify:\n${notify}`);
  return file;
}

test('notify test sends each kind of channel a message in its own form, marked as a test', async () => {
  const [web, mail] = [await opened(service()), await opened(mailServer())];
  const file = config(`
  telegramApi: ${web.url}/telegram
  heartbeat: { method: POST }
  channels:
    - { id: phone, kind: telegram }
    - { id: team, kind: discord }
    - { id: desk, kind: slack }
    - { id: post, kind: email, from: bot@example.com, to: [me@example.com] }
    - { id: push, kind: ntfy }
    - { id: hook, kind: webhook }
`);
  const ran = await drover(['notify', 'test', '--config', file, '--json'], {
    env: {
      DROVER_NOTIFY_PHONE: `${TOKEN}/-1001`,
      DROVER_NOTIFY_TEAM: `${web.url}/discord/secret`,
      DROVER_NOTIFY_DESK: `${web.url}/slack/secret`,
      DROVER_NOTIFY_POST: `smtp://127.0.0.1:${mail.port}`,
      DROVER_NOTIFY_PUSH: `http://:tk_pushing@${web.url.slice('http://'.length)}/topic`,
      DROVER_NOTIFY_HOOK: `${web.url}/hook#${KEY}`,
      DROVER_NOTIFY_HEARTBEAT: `${web.url}/alive/secret`,
    },
  });
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.out)).toEqual({
    channels: ['phone', 'team', 'desk', 'post', 'push', 'hook', 'heartbeat'].map((channel) => ({
      channel,
      ok: true,
      reason: null,
    })),
  });
  const at = (path: string) => web.got.find(({ url }) => url.startsWith(path));
  const bodyAt = (path: string) => JSON.parse(at(path)?.body ?? '{}') as Record<string, unknown>;
  expect(bodyAt('/telegram/')).toMatchObject({
    chat_id: '-1001',
    text: expect.stringContaining('Test (drover emulator)') as string,
  });
  expect(at(`/telegram/bot${TOKEN}/sendMessage`)).toBeDefined();
  expect(bodyAt('/discord/')).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(bodyAt('/slack/')['text']).toContain('This channel works');
  expect(at('/topic')?.headers).toMatchObject({ authorization: 'Bearer tk_pushing', priority: '3' });
  expect(at('/alive/')?.method).toBe('POST');
  const hook = at('/hook');
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = hook?.headers ?? {};
  const signed = `${String(id)}.${String(time)}.${hook?.body ?? ''}`;
  expect(signature).toBe(`v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`);
  expect(mail.mails[0]?.data).toMatch(/^Subject: Test \(drover emulator\)$/m);
  expect(mail.mails[0]?.data).toMatch(/^Message-ID: <test-[0-9a-f-]+@drover>$/im);
});

test('notify test names a failing channel with a plain reason, and prints no address', async () => {
  const redirect = await opened(
    service((_, response) => void response.writeHead(302, { location: 'https://elsewhere.example/x' }).end()),
  );
  const refuses = await opened(service((_, response) => void response.writeHead(403).end('secret-part')));
  const mail = await opened(mailServer({ refuse: '554 not secret-part' }));
  const file = config(`
  channels:
    - { id: a, kind: discord }
    - { id: b, kind: slack }
    - { id: c, kind: webhook }
    - { id: d, kind: email, from: bot@example.com, to: [me@example.com] }
`);
  const env = {
    DROVER_NOTIFY_A: `${redirect.url}/secret-part`,
    DROVER_NOTIFY_B: `${refuses.url}/secret-part`,
    DROVER_NOTIFY_C: `http://127.0.0.1:1/secret-part#${KEY}`,
    DROVER_NOTIFY_D: `smtp://secret-part:secret-part@127.0.0.1:${mail.port}`,
  };
  const ran = await drover(['notify', 'test', '--config', file], { env });
  expect(ran.code).toBe(3);
  expect(ran.out.split('\n').slice(0, 3)).toEqual([
    'a: it answered with a redirect (HTTP 302), which is not followed',
    'b: it refuses the address (HTTP 403): "[redacted]"',
    'c: the connection was refused',
  ]);
  expect(ran.out).toMatch(/^d: /m);
  expect(ran.out + ran.err).not.toMatch(/secret-part|127\.0\.0\.1|elsewhere/);
});

test.each([
  ['a channel without an address', '{ id: a, kind: slack }', {}, 'Set DROVER_NOTIFY_A in the environment'],
  [
    'an address of the wrong form',
    '{ id: a, kind: telegram }',
    { DROVER_NOTIFY_A: 'hidden-thing' },
    'it must have the form BOT_TOKEN/CHAT_ID',
  ],
  [
    'plain http',
    '{ id: a, kind: slack }',
    { DROVER_NOTIFY_A: 'http://hidden-thing.example/x' },
    'the URL of its webhook',
  ],
  [
    'a password with an unescaped %',
    '{ id: a, kind: email, from: a@example.com, to: [b@example.com] }',
    { DROVER_NOTIFY_A: 'smtps://me:100%hidden-thing@example.com' },
    'a % in it begins no code such as %40: write it as %25',
  ],
  ['a mail without recipients', '{ id: a, kind: email }', {}, 'is missing, and kind: email needs it'],
  ['commands through Slack', '{ id: a, kind: slack, commands: true }', {}, 'is only for kind: telegram'],
  [
    'an unknown zone',
    "{ id: a, kind: slack, quiet: { from: '22:00', to: '07:00', zone: Mars/Base } }",
    {},
    'must be a time zone',
  ],
])('notify test refuses %s before anything is sent', async (...[, channel, env, message]) => {
  const ran = await drover(['notify', 'test', '--config', config(`  channels: [${channel}]\n`)], { env });
  expect(ran.code).toBe(2);
  expect(ran.err).toContain(message);
  expect(ran.err).not.toContain('hidden-thing');
});

test('notify test takes an address from a private file, and can test a single channel', async () => {
  const web = await opened(service());
  const file = config('  channels: [{ id: a, kind: slack, addressFile: ./a }, { id: b, kind: slack }]\n');
  const secret = join(file, '..', 'a');
  writeFileSync(secret, `${web.url}/x\n`, { mode: 0o600 });
  const ran = await drover(['notify', 'test', 'a', '--config', file], {
    env: { DROVER_NOTIFY_B: `${web.url}/y` },
  });
  expect(ran).toMatchObject({ code: 0, out: 'a: ok\n' });
  expect(web.got.map(({ url }) => url)).toEqual(['/x']);
  chmodSync(secret, 0o644);
  expect((await drover(['notify', 'test', 'a', '--config', file])).code).toBe(4);
  expect((await drover(['notify', 'test', 'c', '--config', file])).err).toContain('there is no channel c');
});
