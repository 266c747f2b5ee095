/** @module-tag heavy */
import { expect, test } from 'vitest';
import type { Delivery } from '../../../src/ops/notify/delivery.ts';
import { frozen, MINUTE, NotifierStage, SECOND } from './notifierStage.ts';

const failing =
  (reason: string, more: object = {}) =>
  (): Delivery => ({ ok: false, reason, ...more });

test('a hanging channel delays neither another channel nor its own later messages', async () => {
  const stage = new NotifierStage({ channels: { stuck: {}, fine: {} } }).begin();
  stage.channel('stuck').answer = () => new Promise(() => undefined);
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  expect([stage.channel('stuck').got.length, stage.channel('fine').titles]).toEqual([0, ['Symbol frozen']]);
  await stage.pass(2 * MINUTE);
  expect(stage.channel('stuck').attempts).toBeGreaterThan(1);
  stage.channel('stuck').answer = () => ({ ok: true });
  await stage.pass(5 * MINUTE);
  expect(stage.channel('stuck').titles).toEqual(['Symbol frozen']);
});

test('a channel that fails for hours is tried less and less, another reports it, and all arrives once', async () => {
  const stage = new NotifierStage({ channels: { down: {}, fine: {} } }).begin();
  stage.channel('down').answer = failing('HTTP 500');
  stage.commit(frozen('AAPL'));
  await stage.pass(4 * MINUTE);
  expect(stage.channel('fine').titles).toEqual(['Symbol frozen']);
  await stage.pass(3 * 60 * MINUTE);
  expect(stage.channel('down').attempts).toBeLessThan(60);
  const [, alarm = ''] = stage.channel('fine').texts;
  expect(alarm).toContain(
    'notifications by down are not delivered: HTTP 500. 1 messages wait; trading continues',
  );
  stage.channel('down').answer = () => ({ ok: true });
  await stage.pass(10 * MINUTE);
  expect(stage.channel('down').titles).toEqual(['Symbol frozen']);
  expect(stage.channel('fine').titles.at(-1)).toBe('All clear');
});

test('a channel is not tried before the delay it demands', async () => {
  const stage = new NotifierStage().begin();
  stage.channel('phone').answer = failing('too many', { retryAfterMs: 10 * MINUTE });
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  stage.channel('phone').answer = () => ({ ok: true });
  await stage.pass(9 * MINUTE);
  expect([stage.channel('phone').attempts, stage.channel('phone').got.length]).toEqual([1, 0]);
  await stage.pass(2 * MINUTE);
  expect(stage.channel('phone').got).toHaveLength(1);
});

test('a channel that demands a longer delay than it may fail is reported by another, not only after that delay', async () => {
  const stage = new NotifierStage({ channels: { down: {}, fine: {} } }).begin();
  stage.channel('down').answer = failing('too many', { retryAfterMs: 60 * MINUTE });
  stage.commit(frozen('AAPL'));
  await stage.pass(6 * MINUTE);
  expect(stage.channel('fine').texts.at(-1)).toContain('notifications by down are not delivered: too many');
  stage.channel('down').answer = () => ({ ok: true });
  await stage.pass(60 * MINUTE);
  expect([stage.channel('down').attempts, stage.channel('down').titles]).toEqual([2, ['Symbol frozen']]);
  expect(stage.channel('fine').titles.at(-1)).toBe('All clear');
});

const REFUSED = { ok: false, reason: 'HTTP 400: "who knows"', isRefused: true } as const;

test('a message with a refused text is sent again, short and without markup', async () => {
  const stage = new NotifierStage().begin();
  stage.channel('phone').answer = ({ text, title }) =>
    /[<&*_]/.test(text) || text.length + title.length > 500 ? REFUSED : { ok: true };
  stage.notice('alarm', `look <here> & *there* ${'x'.repeat(600)} end`);
  await stage.pass(10 * SECOND);
  expect([stage.channel('phone').attempts, stage.channel('phone').titles]).toEqual([2, ['ALARM']]);
  expect(stage.channel('phone').texts[0]).toMatch(/^look  here    {2}there  x+/);
  expect(stage.notifier.counts.channels[0]).toMatchObject({ dropped: 0, waiting: 0 });
});

test('a single refused message is dropped once with its reason, and all others arrive', async () => {
  const stage = new NotifierStage({ channels: { phone: {}, fine: {} } }).begin();
  stage.channel('phone').answer = ({ text }) => (text.includes('AAPL') ? REFUSED : { ok: true });
  stage.commit(frozen('MSFT'), frozen('AAPL'), ...Array.from({ length: 8 }, (_, at) => frozen(`S${at}`)));
  await stage.pass(5 * MINUTE);
  const all = stage.channel('phone').texts.join();
  for (const symbol of ['MSFT', 'S0', 'S7']) expect(all).toContain(symbol);
  expect(
    all.match(/a message was refused 3 times \(HTTP 400: "who knows"\) and is dropped here/g),
  ).toHaveLength(1);
  expect(stage.notifier.counts.channels[0]).toMatchObject({ waiting: 0, dropped: 1, isDown: false });
  const alarm =
    'notifications by phone: a message was refused again and again and is dropped: HTTP 400: "who knows"';
  expect(stage.notices.filter(({ text }) => text === alarm)).toHaveLength(1);
  expect(stage.book.all.map(({ text }) => text)).toEqual([alarm]);
  expect(stage.channel('fine').texts.join()).toContain(alarm);
});

test('a channel that refuses every text loses no message, and the other channel reports it', async () => {
  const stage = new NotifierStage({ channels: { phone: {}, fine: {} } }).begin();
  stage.channel('phone').answer = () => REFUSED;
  stage.commit(frozen('AAPL'));
  await stage.pass(30 * SECOND);
  expect(stage.channel('fine').texts.at(-1)).toContain(
    'notifications by phone are not delivered: HTTP 400: "who knows". 1 messages wait; trading continues',
  );
  await stage.pass(5 * 60 * MINUTE);
  stage.channel('phone').answer = () => ({ ok: true });
  await stage.pass(10 * MINUTE);
  expect(stage.channel('phone').titles).toEqual(['Symbol frozen']);
  expect(stage.channel('phone').texts[0]).toMatch(/AAPL/);
  expect(stage.notifier.counts.channels[0]).toMatchObject({ waiting: 0, dropped: 0 });
});

test('an alarm gets all its attempts while another message is refused', async () => {
  const stage = new NotifierStage().begin();
  let refusals = 0;
  stage.channel('phone').answer = ({ text }) => {
    if (text.includes('AAPL')) return REFUSED;
    return text.includes('the node is down') && ++refusals < 3 ? REFUSED : { ok: true };
  };
  stage.commit(frozen('AAPL'));
  await stage.pass(2 * SECOND);
  stage.notice('alarm', 'the node is down', 'node');
  await stage.pass(MINUTE);
  expect(stage.channel('phone').texts.join()).toContain('the node is down');
});

test('a clock that jumps neither delays a message nor repeats it', async () => {
  const stage = new NotifierStage().begin();
  stage.channel('phone').answer = failing('HTTP 502');
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  stage.host.setBy = -86_400_000;
  stage.channel('phone').answer = () => ({ ok: true });
  await stage.pass(10 * SECOND);
  stage.host.setBy = 86_400_000;
  await stage.pass(MINUTE);
  expect(stage.channel('phone').titles).toEqual(['Symbol frozen']);
});

test('many messages at once are combined, and alarms come before them', async () => {
  const stage = new NotifierStage({ channels: { phone: { digest: { over: 3, seconds: 60 } } } }).begin();
  stage.commit(...Array.from({ length: 8 }, (_, index) => frozen(`S${index}`)));
  stage.notice('alarm', 'look at this');
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toEqual(['ALARM', '8 messages']);
  expect(stage.channel('phone').got[1]?.messages).toHaveLength(8);
  stage.commit(frozen('A'), frozen('B'));
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles.slice(2)).toEqual(['2 messages']);
  stage.commit(frozen('C'));
  await stage.pass(30 * SECOND);
  expect(stage.channel('phone').got).toHaveLength(3);
  await stage.pass(40 * SECOND);
  expect(stage.channel('phone').titles.slice(3)).toEqual(['Symbol frozen']);
});

test('messages wait in quiet hours, but alarms do not', async () => {
  // The fake day begins at 17:13 in New York.
  const quiet = { from: 17 * 60, to: 18 * 60, zone: 'America/New_York', exceptAlarms: true };
  const stage = new NotifierStage({
    channels: { phone: { quiet }, still: { quiet: { ...quiet, exceptAlarms: false } } },
  }).begin();
  stage.commit(frozen('AAPL'));
  stage.notice('alarm', 'look at this');
  await stage.pass(10 * MINUTE);
  expect([stage.channel('phone').titles, stage.channel('still').titles]).toEqual([['ALARM'], []]);
  await stage.pass(40 * MINUTE);
  expect(stage.channel('phone').titles).toEqual(['ALARM', 'ALARM, still open', 'Symbol frozen']);
  expect(stage.channel('still').titles).toContain('Symbol frozen');
});

test('a channel gets only the kinds listed in its `hears`', async () => {
  const stage = new NotifierStage({ channels: { phone: { hears: ['alarm'] } } }).begin();
  stage.commit(frozen('AAPL'));
  stage.notice('info', 'nothing');
  stage.notice('alarm', 'look at this');
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toEqual(['ALARM']);
});
