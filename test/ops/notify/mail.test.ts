import { afterEach, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { readAddress } from '../../../src/ops/notify/addresses.ts';
import { mailSender } from '../../../src/ops/notify/mail.ts';
import { parcelOf } from '../../../src/ops/notify/message.ts';
import { mailServer } from './services.ts';

const PASSWORD = 'canary-password-8d1f';
const LOGIN = Buffer.from(`\0me\0${PASSWORD}`).toString('base64');
/** An address of this machine that does not look local: STARTTLS is required there. */
const ELSEWHERE = '0.0.0.0';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const message = { id: 'j1', at: epochMs(0), kind: 'fill', title: 'Fill', text: 'a text' } as const;

/** Sends a mail to a server with these options. Returns the outcome, and what the server has received. */
async function mailed(options: Parameters<typeof mailServer>[0], host = '127.0.0.1', port?: number) {
  const server = await mailServer(options);
  const address = readAddress('email', `smtp://me:${PASSWORD}@${host}:${port ?? server.port}`);
  if (address.kind !== 'email') throw new Error('no mail');
  const sender = mailSender(address, { from: 'bot@example.com', to: ['me@example.com'] });
  closing.push(server.close, () => sender.close());
  const delivery = await sender.send(
    parcelOf([message], { run: 'test', limit: sender.limit }),
    new AbortController().signal,
  );
  return { delivery, server };
}

test('a mail and its login go over TLS where the server offers STARTTLS', async () => {
  const { delivery, server } = await mailed({ startTls: true, login: '235 welcome' });
  expect(delivery).toEqual({ ok: true });
  expect(server.mails.map(({ isSecret }) => isSecret)).toEqual([true]);
  expect(server.logins).toEqual([`AUTH PLAIN ${LOGIN}`]);
});

test.each([
  ['without STARTTLS', {}, 'it offers no encryption (STARTTLS)'],
  ['with an untrusted certificate', { startTls: true }, 'its certificate was not accepted'],
])('a remote mail server %s gets neither password nor mail', async (...[, offers, reason]) => {
  const { delivery, server } = await mailed({ ...offers, login: '235 welcome' }, ELSEWHERE);
  expect(delivery).toEqual({ ok: false, reason });
  expect([server.logins, server.mails]).toEqual([[], []]);
});

test('an unreachable mail server is reported with a plain reason', async () => {
  const server = await mailServer();
  await server.close();
  expect((await mailed({}, '127.0.0.1', server.port)).delivery).toEqual({
    ok: false,
    reason: 'the connection was refused',
  });
});

test.each([
  ['535 5.7.8', 'it refuses user or password (SMTP 535)'],
  ['534 5.7.9', 'it refuses user or password (SMTP 534)'],
  ['454 4.7.0', 'the mail server answered SMTP 454'],
])('a login refused with %s is reported without what the server quotes', async (code, reason) => {
  const { delivery, server } = await mailed({
    login: `${code} no entry for me with ${PASSWORD} or ${LOGIN}`,
  });
  expect(delivery).toEqual({ ok: false, reason, ...('isRefused' in delivery ? { isRefused: false } : {}) });
  expect(server.logins).toHaveLength(1);
  expect(server.mails).toEqual([]);
});
