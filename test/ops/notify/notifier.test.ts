import { expect, test } from 'vitest';
import { hashHex } from '../../../src/core/random.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { frozen, MemoryLines, MINUTE, NotifierStage, SECOND } from './notifierStage.ts';

test('an entry journaled but not queued before a kill is reported once after the restart, as an alarm', async () => {
  const killed = new NotifierStage().begin();
  await killed.pass(SECOND);
  killed.commit(frozen('AAPL'));
  const next = new NotifierStage({ after: killed }).begin();
  await next.pass(SECOND);
  expect(next.channel('phone').titles).toEqual(['ALARM before the restart']);
  const third = new NotifierStage({ after: next }).begin();
  await third.pass(MINUTE);
  expect(third.channel('phone').got).toEqual([]);
});

test('an entry journaled before a kill during the first start is reported after the restart', async () => {
  const killed = new NotifierStage();
  killed.journal.add(frozen('AAPL'));
  const next = new NotifierStage({ after: killed }).begin();
  await next.pass(SECOND);
  expect(next.channel('phone').titles).toEqual(['ALARM before the restart']);
});

test('the end of a run sends what a digest holds back, but not in quiet hours', async () => {
  const quiet = { from: 0, to: 24 * 60, zone: 'America/New_York', exceptAlarms: true };
  const digest = { over: 1, seconds: 3_600 };
  const stage = new NotifierStage({ channels: { phone: { digest }, still: { quiet } } }).begin();
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  stage.commit(frozen('MSFT'), frozen('TSLA'));
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toEqual(['Symbol frozen']);
  const closing = stage.notifier.close();
  await stage.pass(SECOND);
  await closing;
  expect(stage.channel('phone').titles).toEqual(['Symbol frozen', '2 messages']);
  expect(stage.channel('still').got).toEqual([]);
});

test('a message queued but not delivered before a kill is delivered after the restart, with the same id', async () => {
  const killed = new NotifierStage().begin();
  killed.channel('phone').answer = () => new Promise(() => undefined);
  killed.commit(frozen('AAPL'));
  await killed.pass(SECOND);
  const [waiting] = killed.store.stored.pending.get('phone') ?? [];
  const next = new NotifierStage({ after: killed }).begin();
  await next.pass(SECOND);
  expect(next.channel('phone').got.map(({ id }) => id)).toEqual([waiting?.message.id]);
});

test('a kill between a delivery and its record sends the message twice, with the same id', async () => {
  const killed = new NotifierStage().begin();
  killed.commit(frozen('AAPL'));
  killed.channel('phone').answer = () => {
    killed.store.append = () => undefined;
    return { ok: true };
  };
  await killed.pass(SECOND);
  const next = new NotifierStage({ after: killed }).begin();
  next.store.append = () => undefined;
  await next.pass(SECOND);
  expect(next.channel('phone').got.map(({ id }) => id)).toEqual(
    killed.channel('phone').got.map(({ id }) => id),
  );
});

test('a first start reports nothing of an old journal, and neither does a start on another journal', async () => {
  const first = new NotifierStage({ more: {} });
  first.journal.add(frozen('OLD'));
  const stage = new NotifierStage({ after: first }).begin();
  await stage.pass(SECOND);
  stage.commit(frozen('NEW'));
  await stage.pass(SECOND);
  expect(stage.channel('phone').texts.join()).toMatch(/NEW/);
  const other = new MemoryLines();
  other.add(frozen('OTHER'));
  const reader = { ...other.reader, tipAt: () => ({ seq: 1, sum: 'another' }) };
  const later = new NotifierStage({
    after: stage,
    more: { reader, journalLength: () => other.lines.length },
  }).begin();
  await later.pass(SECOND);
  expect(later.channel('phone').got).toEqual([]);
  expect(later.notices.map(({ text }) => text).join()).toContain('this is a different journal');
});

test('an alarm repeats until it is acknowledged, also after a restart, and its all-clear follows', async () => {
  const stage = new NotifierStage().begin();
  stage.notice('alarm', 'the node is down', 'node');
  await stage.pass(SECOND);
  stage.notice('alarm', 'the node is down', 'node');
  await stage.pass(29 * MINUTE);
  expect(stage.channel('phone').titles).toEqual(['ALARM']);
  expect(stage.channel('phone').got[0]?.text).toMatch(/the node is down\nTo acknowledge: drover ack a1$/m);
  await stage.pass(2 * MINUTE);
  expect(stage.channel('phone').titles).toEqual(['ALARM', 'ALARM, still open']);
  const next = new NotifierStage({ after: stage }).begin();
  expect(next.book.all.map(({ text }) => text)).toEqual(['the node is down']);
  await next.pass(31 * MINUTE);
  expect(next.channel('phone').titles).toEqual(['ALARM before the restart, still open']);
  expect(next.channel('phone').texts[0]).toMatch(
    /^the node is down\nIt dates from before the restart .*its cause may have ended\.\nNot acknowledged: drover ack a1$/m,
  );
  next.book.acknowledge(new Set(next.book.all.map(({ id }) => id)));
  await next.pass(90 * MINUTE);
  expect(next.channel('phone').got).toHaveLength(1);
  next.notice('clear', 'the node answers again', 'node');
  await next.pass(SECOND);
  expect(next.channel('phone').titles.at(-1)).toBe('All clear');
});

test('an alarm raised again after a restart is not marked as from before it', async () => {
  const stage = new NotifierStage().begin();
  stage.notice('alarm', 'the node is down', 'node');
  await stage.pass(SECOND);
  const next = new NotifierStage({ after: stage }).begin();
  next.notice('alarm', 'the node is down', 'node');
  await next.pass(31 * MINUTE);
  expect(next.channel('phone').titles).toEqual(['ALARM, still open']);
  expect(next.channel('phone').texts[0]).not.toContain('restart');
});

test('an address that a refusal quotes is masked in the alarm that the queue keeps', async () => {
  const secrets = new Secrets();
  secrets.register('/BAD/sEcReT');
  const stage = new NotifierStage({ channels: { phone: {}, other: {} }, more: { secrets } }).begin();
  const reason = 'HTTP 400: "bad request to /BAD/sEcReT"';
  stage.channel('phone').answer = () => ({ ok: false, reason });
  stage.commit(frozen('AAPL'));
  await stage.pass(10 * MINUTE);
  expect(stage.channel('other').texts.join()).toContain('bad request to [redacted]');
  expect(stage.store.stored.values.get('alarms')).toContain('bad request to [redacted]');
});

test('a full disk lets messages through, raises an alarm, and keeps waiting messages once there is room', async () => {
  const stage = new NotifierStage().begin();
  await stage.pass(SECOND);
  stage.store.broken = 'SQLITE_FULL';
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toEqual(['ALARM', 'Symbol frozen']);
  expect(stage.channel('phone').texts[0]).toContain('cannot be written (SQLITE_FULL)');
  stage.channel('phone').answer = () => new Promise(() => undefined);
  stage.commit(frozen('MSFT'));
  await stage.pass(SECOND);
  stage.store.broken = null;
  await stage.pass(11 * SECOND);
  const kept = stage.store.stored.pending.get('phone') ?? [];
  expect(kept.map(({ message }) => message.text).join()).toMatch(/MSFT/);
  expect(stage.notices.at(-1)?.kind).toBe('clear');
});

test('a damaged queue is set aside with an alarm, and a new one begun', async () => {
  const broken = new NotifierStage();
  broken.store.broken = 'SQLITE_NOTADB';
  const stage = new NotifierStage({ after: broken }).begin();
  await stage.pass(SECOND);
  expect(stage.store.aside).toBe(1);
  expect(stage.channel('phone').texts.join()).toContain(
    'is kept as notify.sqlite.damaged: a new one is begun',
  );
  stage.commit(frozen('AAPL'));
  await stage.pass(SECOND);
  expect(stage.channel('phone').titles).toContain('Symbol frozen');
  expect(stage.store.stored.values.get('cursor')).toBe('1 sum1');
});

test('a full queue drops the oldest messages except alarms, and says how many', async () => {
  const stage = new NotifierStage().begin();
  stage.channel('phone').answer = () => new Promise(() => undefined);
  stage.notice('alarm', 'look at this');
  await stage.pass(SECOND);
  stage.commit(...Array.from({ length: 5_010 }, (_, index) => frozen(`S${index}`)));
  await stage.pass(20 * SECOND);
  expect(stage.notifier.counts.channels[0]).toMatchObject({ waiting: 5_000, dropped: 11 });
  stage.channel('phone').answer = () => ({ ok: true });
  await stage.pass(30 * SECOND);
  expect(stage.channel('phone').titles[0]).toBe('ALARM');
  expect(stage.channel('phone').texts[0]).toContain('11 earlier messages were dropped');
});

test('the heartbeat is sent only while the run is ready', async () => {
  const heartbeat = { url: 'https://alive.test/x', method: 'GET', everySeconds: 60 } as const;
  const stage = new NotifierStage({ more: { heartbeat } });
  stage.http = () => Promise.resolve({ status: 200, retryAfter: null, body: '' });
  stage.begin();
  await stage.pass(3 * MINUTE + SECOND);
  expect(stage.asked).toHaveLength(4);
  stage.isReady = false;
  await stage.pass(10 * MINUTE);
  expect(stage.asked).toHaveLength(4);
  expect(stage.notifier.counts.heartbeats).toEqual({ sent: 4, failures: 0 });
});

test('an error in a part of the notifier ends that part with an alarm, and neither the others nor the run', async () => {
  const heartbeat = { url: 'https://alive.test/x', method: 'GET', everySeconds: 60 } as const;
  const stage = new NotifierStage({ more: { heartbeat } });
  stage.http = () => {
    throw new TypeError('no such thing');
  };
  stage.begin();
  await stage.pass(MINUTE);
  expect(stage.channel('phone').texts.join()).toContain('part of the notifications stays off');
  await stage.notifier.close();
});

const TOKEN = '1:abcdefgh';
const CHAT = 77;

/** A stage whose channels take commands through one bot, each in its chat, and the bot's updates. */
function chatting(chats: Readonly<Record<string, number>> = { phone: CHAT }) {
  const sender = { limit: 1_000, send: () => Promise.resolve({ ok: true } as const), close: () => undefined };
  const channels = Object.entries(chats).map(([id, chat]) => ({
    settings: { id, hears: [], quiet: null, digest: { over: 5, seconds: 60 } },
    bot: { token: TOKEN, chat: String(chat) },
    sender,
  }));
  const stage = new NotifierStage({ more: { channels } });
  const updates: object[] = [];
  const replies: string[] = [];
  stage.http = ({ url, body = '' }) => {
    if (url.includes('/sendMessage')) replies.push((JSON.parse(body) as { text: string }).text);
    const result = url.includes('/getUpdates') ? updates.splice(0) : [];
    return Promise.resolve({ status: 200, retryAfter: null, body: JSON.stringify({ ok: true, result }) });
  };
  const say = (text: string, { chat = CHAT, id = 500, age = 0 } = {}) =>
    updates.push({
      update_id: id,
      message: { date: Math.floor(stage.clock.now() / SECOND) - age, text, chat: { id: chat } },
    });
  stage.begin();
  return { stage, say, replies };
}

test('a chat can halt and gets a response; the command id is derived from the update', async () => {
  const { stage, say, replies } = chatting();
  say('/halt');
  await stage.pass(5 * SECOND);
  expect(stage.commands).toEqual([
    {
      id: `telegram-${hashHex(TOKEN).slice(2, 10)}-500`,
      by: 'telegram:phone',
      reason: 'by chat',
      command: { kind: 'trade', state: 'halted', scope: {}, cancel: true },
    },
  ]);
  expect(replies).toEqual(['Done: it is so']);
  expect(stage.store.stored.values.get(`updates ${hashHex(TOKEN).slice(2, 10)}`)).toBe('501');
  expect(stage.asked.some(({ url }) => url.includes('offset=501'))).toBe(true);
});

test('a status that cannot be computed is a response too, and ends no run', async () => {
  const { stage, say, replies } = chatting();
  say('/status');
  await stage.pass(5 * SECOND);
  say('/status', { id: 501 });
  await stage.pass(5 * SECOND);
  expect(replies).toHaveLength(2);
  expect(replies[1]).toContain('cannot be shown: no status here');
});

test('two channels on one bot share its polling, and each chat commands and is answered under its own name', async () => {
  const { stage, say, replies } = chatting({ phone: CHAT, desk: 99 });
  await stage.pass(0);
  expect(stage.asked.filter(({ url }) => url.includes('/getUpdates'))).toHaveLength(1);
  say('/pause', { chat: 99 });
  say('/ack', { id: 501 });
  await stage.pass(5 * SECOND);
  expect(stage.commands.map(({ by, command }) => [by, command.kind])).toEqual([
    ['telegram:desk', 'trade'],
    ['telegram:phone', 'acknowledge'],
  ]);
  const to = stage.asked.flatMap(({ body }) =>
    body === undefined ? [] : [(JSON.parse(body) as { chat_id: string }).chat_id],
  );
  expect([replies.length, to]).toEqual([2, ['99', String(CHAT)]]);
  expect(stage.notifier.counts.strangers).toBe(0);
});

test('a bot that limits its requests is polled again only after the time it states', async () => {
  const { stage } = chatting();
  const body = '{"ok":false,"error_code":429,"parameters":{"retry_after":120}}';
  stage.http = () => Promise.resolve({ status: 429, retryAfter: null, body });
  await stage.pass(2 * SECOND);
  const asked = stage.asked.length;
  await stage.pass(110 * SECOND);
  expect(stage.asked).toHaveLength(asked);
  await stage.pass(20 * SECOND);
  expect(stage.asked).toHaveLength(asked + 1);
});

test.each(['/resume', '/flatten', '/buy AAPL', 'pause', '/trade active', ''])(
  '%s by chat does nothing',
  async (text) => {
    const { stage, say, replies } = chatting();
    say(text);
    await stage.pass(5 * SECOND);
    expect([stage.commands, replies.length]).toEqual([[], 1]);
    expect(replies[0]).toContain('nothing was done');
  },
);

test('another chat is only counted, and an old command is refused', async () => {
  const { stage, say, replies } = chatting();
  say('/halt', { chat: 78 });
  await stage.pass(5 * SECOND);
  expect([stage.commands, replies, stage.notifier.counts.strangers]).toEqual([[], [], 1]);
  say('/halt', { id: 501, age: 3_600 });
  await stage.pass(5 * SECOND);
  expect(stage.commands).toEqual([]);
  expect(replies[0]).toContain('Nothing was done');
});

test('long messages of strangers and malformed updates do not keep a chat from giving commands', async () => {
  const { stage, say } = chatting();
  const waiting: object[] = [
    { update_id: 400, message: { chat: 'no chat' } },
    ...Array.from({ length: 40 }, (_, index) => ({
      update_id: 401 + index,
      message: { date: 0, text: 'x'.repeat(20_000), chat: { id: 78 } },
    })),
  ];
  const { http } = stage;
  stage.http = async (request) => {
    const { searchParams } = new URL(request.url);
    if (!request.url.includes('/getUpdates')) return http(request);
    const most = Number(searchParams.get('limit') ?? 100);
    const left = waiting.filter(
      (each) => 'update_id' in each && Number(each.update_id) >= Number(searchParams.get('offset')),
    );
    if (left.length === 0) return http(request);
    const body = JSON.stringify({ ok: true, result: left.slice(0, most) }).slice(0, 256_000);
    return { status: 200, retryAfter: null, body };
  };
  say('/halt');
  await stage.pass(MINUTE);
  expect(stage.notifier.counts.strangers).toBe(40);
  expect(stage.commands.map(({ command }) => command.kind)).toEqual(['trade']);
});

test('a chat with unreadable updates is reported as one that brings no commands', async () => {
  const { stage } = chatting();
  stage.http = () => Promise.resolve({ status: 200, retryAfter: null, body: '<html>log in</html>' });
  await stage.pass(10 * MINUTE);
  expect(stage.notices.map(({ text }) => text).join()).toMatch(/phone bring no commands: .* cannot be read/);
});

test('a queue that cannot be read at first loses neither its messages nor unqueued entries', async () => {
  const killed = new NotifierStage().begin();
  killed.channel('phone').answer = () => new Promise(() => undefined);
  killed.notice('alarm', 'the node is down', 'node');
  await killed.pass(SECOND);
  killed.commit(frozen('AAPL'));
  killed.store.broken = 'SQLITE_CANTOPEN';
  const next = new NotifierStage({ after: killed }).begin();
  next.commit(frozen('MSFT'));
  await next.pass(5 * SECOND);
  next.store.broken = null;
  await next.pass(MINUTE);
  const texts = next.channel('phone').texts.join();
  expect(texts).toContain('the node is down');
  expect(texts).toMatch(/AAPL/);
  expect(texts).toMatch(/MSFT/);
  expect(next.book.all.map(({ text }) => text)).toContain('the node is down');
});

/** A stage whose alarm has come and gone so often that its end is only reported once it lasts. */
async function flapping() {
  const stage = new NotifierStage().begin();
  for (let time = 0; time < 3; time++) {
    stage.notice('alarm', 'this clock is 6 s behind', 'clock');
    await stage.pass(SECOND);
    stage.notice('clear', 'the clocks agree', 'clock');
    await stage.pass(SECOND);
  }
  expect(stage.channel('phone').titles).toEqual(['ALARM', 'All clear', 'ALARM', 'All clear', 'ALARM']);
  return stage;
}

test('the end of a run sends an all-clear that still waits for ten minutes of calm', async () => {
  const stage = await flapping();
  const closing = stage.notifier.close();
  await stage.pass(SECOND);
  await closing;
  expect(stage.channel('phone').titles.slice(5)).toEqual(['All clear']);
});

test('an all-clear that waits for ten minutes of calm is sent after a kill', async () => {
  const next = new NotifierStage({ after: await flapping() }).begin();
  await next.pass(9 * MINUTE);
  expect(next.channel('phone').titles).toEqual([]);
  await next.pass(2 * MINUTE);
  expect(next.channel('phone').titles).toEqual(['All clear']);
});
