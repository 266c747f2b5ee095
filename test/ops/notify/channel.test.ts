import { expect, test } from 'vitest';
import type { Delivery } from '../../../src/ops/notify/delivery.ts';
import { frozen, MINUTE, NotifierStage, SECOND } from './notifierStage.ts';

const failing =
  (reason: string, more: object = {}) =>
  (): Delivery => ({ ok: false, reason, ...more });

test('a channel that hangs keeps neither another one nor its own messages', async () => {
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

test('one that fails for hours is tried ever less, another says so, and in the end everything arrives once', async () => {
  const stage = new NotifierStage({ channels: { down: {}, fine: {} } }).begin();
  stage.channel('down').answer = failing('HTTP 500');
  stage.commit(frozen('AAPL'));
  await stage.pass(4 * MINUTE);
  expect(stage.channel('fine').titles).toEqual(['Symbol frozen']);
  await stage.pass(3 * 60 * MINUTE);
  expect(stage.channel('down').attempts).toBeLessThan(60);
  const [, alarm = ''] = stage.channel('fine').texts;
  expect(alarm).toContain(
    'notifications by down are not delivered: HTTP 500. 1 messages wait; trading goes on',
  );
  stage.channel('down').answer = () => ({ ok: true });
  await stage.pass(10 * MINUTE);
  expect(stage.channel('down').titles).toEqual(['Symbol frozen']);
  expect(stage.channel('fine').titles.at(-1)).toBe('All clear');
});

test('the wait that a channel asks for is kept', async () => {
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

test('a message that is refused again and again is given up, said so, and the next one arrives', async () => {
  const stage = new NotifierStage().begin();
  stage.channel('phone').answer = failing('it refuses the message (HTTP 400)', { isRefused: true });
  stage.commit(frozen('AAPL'));
  await stage.pass(MINUTE);
  stage.channel('phone').answer = () => ({ ok: true });
  stage.commit(frozen('MSFT'));
  await stage.pass(10 * MINUTE);
  expect(stage.channel('phone').texts.join()).toMatch(/MSFT[^]*1 earlier messages were dropped/);
  expect(stage.channel('phone').texts.join()).not.toContain('AAPL');
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

test('many at once come as one, and alarms come before them', async () => {
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

test('in quiet hours messages wait, and alarms do not', async () => {
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

test('a channel gets only what it hears', async () => {
  const stage = new NotifierStage({ channels: { phone: { hears: ['alarm'] } } }).begin();
  stage.commit(frozen('AAPL'));
  stage.notice('info', 'nothing');
  stage.notice('alarm', 'look at this');
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toEqual(['ALARM']);
});
