import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type { Message } from '../../../src/ops/notify/message.ts';
import { Outbox, type OutboxReport } from '../../../src/ops/notify/outbox.ts';
import { openOutboxFile } from '../../../src/ops/notify/outboxFile.ts';

const message = (id: string, kind: Message['kind'] = 'fill'): Message => ({
  id,
  at: epochMs(1_000),
  kind,
  title: 'Fill',
  text: `text of ${id}`,
});

function queue(file: string) {
  const reports: OutboxReport[] = [];
  const store = openOutboxFile(file, () => '2026-06-15T10:00:00Z');
  const outbox = new Outbox({
    channels: ['a', 'b'],
    store,
    clock: { monotonic: () => 0 },
    report: (report) => reports.push(report),
  });
  const ids = (channel: string) => outbox.pending(channel).map((each) => each.message.id);
  return { outbox, store, reports, ids };
}

const fresh = () => join(mkdtempSync(join(tmpdir(), 'drover-queue-')), 'notify.sqlite');

test('a queue is complete and in order for each channel after a kill, and keeps its values', () => {
  const file = fresh();
  const killed = queue(file);
  const [first, second] = [message('one'), { ...message('two', 'alarm'), about: 'b' }];
  killed.outbox.add(first, ['a', 'b']);
  killed.outbox.add(second, ['a']);
  killed.outbox.setValue('cursor', '7 sum');
  killed.outbox.flush();
  killed.outbox.delivered('b', [first], 0);
  const next = queue(file);
  expect([next.ids('a'), next.ids('b'), next.outbox.value('cursor')]).toEqual([['one', 'two'], [], '7 sum']);
  expect(next.outbox.pending('a').map((each) => each.message)).toEqual([first, second]);
  next.outbox.add(message('three'), ['b']);
  next.outbox.delivered(
    'a',
    next.outbox.pending('a').map((each) => each.message),
    0,
  );
  next.outbox.close();
  killed.store.close();
  expect([queue(file).ids('a'), queue(file).ids('b')]).toEqual([[], ['three']]);
});

test('messages of a channel that left the config are deleted', () => {
  const file = fresh();
  const store = openOutboxFile(file, () => '');
  store.append([{ kind: 'added', pending: { seq: 4, message: message('x') }, channels: ['gone', 'a'] }]);
  store.close();
  const { outbox, ids } = queue(file);
  outbox.close();
  expect([
    ids('a'),
    openOutboxFile(file, () => '')
      .load()
      .pending.has('gone'),
  ]).toEqual([['x'], false]);
});

test.each([
  ['text', 'this is no database'.repeat(400)],
  ['a torn beginning', `SQLite format 3\0${'x'.repeat(8_000)}`],
])('a queue file with %s is set aside, and a new one begun', (_, contents) => {
  const file = fresh();
  writeFileSync(file, contents);
  const { outbox, reports, ids } = queue(file);
  expect(reports).toEqual([{ setAside: `${file}.damaged-2026-06-15T100000Z` }]);
  outbox.add(message('one'), ['a']);
  outbox.flush();
  outbox.close();
  expect(readdirSync(join(file, '..')).filter((name) => !name.includes('damaged'))).toEqual([
    'notify.sqlite',
  ]);
  expect([ids('a'), queue(file).ids('a')]).toEqual([['one'], ['one']]);
});
