import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epochMs } from '../src/core/brand.ts';
import { systemClock } from '../src/core/clock.ts';
import { systemRandom } from '../src/core/random.ts';
import { Secrets } from '../src/core/secrets.ts';
import type { JournalEvent } from '../src/domain/journalEvent.ts';
import { AlarmBook } from '../src/engine/state/alarms.ts';
import { MESSAGE_KINDS, type Message } from '../src/ops/notify/message.ts';
import { Notifier } from '../src/ops/notify/notifier.ts';
import { Outbox } from '../src/ops/notify/outbox.ts';
import { openOutboxFile, type OutboxStore } from '../src/ops/notify/outboxFile.ts';
import type { Result } from './result.ts';
import { startKernel } from './trading.ts';
import { WELL } from '../test/ops/well.ts';

const EVENTS = 1_000_000;
const MESSAGES = 2_000;
/** Messages per tick of the timer. */
const BATCH = 10;
const NANOSECONDS = 1e6;
const MICROSECONDS = 1e3;

/** Measures the cost of notifications for a run: per committed event, and per message on the timer. */
export function notify(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    return Promise.resolve([
      { name: 'notify event', value: eventCost(), unit: 'ns for a journal event on the way of the run' },
      {
        name: 'notify message',
        value: messageCost(openOutboxFile(join(folder, 'notify.sqlite'), () => '')),
        unit: `us for a message kept and marked as delivered, ${BATCH} at a time`,
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function eventCost(): number {
  const quotes: JournalEvent = { kind: 'quotes', prices: [] };
  const entries = [{ at: epochMs(0), fact: quotes }];
  const notifier = seasoned();
  const take = notifier.take;
  for (let index = 0; index < EVENTS; index++) take({ kind: 'committed', first: index, entries });
  const from = systemClock.monotonic();
  for (let index = 0; index < EVENTS; index++) take({ kind: 'committed', first: index, entries });
  const spent = systemClock.monotonic() - from;
  void notifier.close();
  return (spent / EVENTS) * NANOSECONDS;
}

/** A notifier with a history, so that each event is inspected. */
function seasoned(): Notifier {
  const nothing: OutboxStore = {
    load: () => ({ pending: new Map(), values: new Map() }),
    append: () => undefined,
    replace: () => undefined,
    setAside: () => '',
    close: () => undefined,
  };
  const notifier = new Notifier({
    name: 'bench',
    channels: [],
    repeatMs: 1,
    downAfterMs: 1,
    heartbeat: null,
    store: nothing,
    book: new AlarmBook(),
    reader: { ofKindsAfter: () => [], history: () => [], tipAt: () => null, close: () => undefined },
    journalLength: () => 0,
    http: () => Promise.reject(new Error('nothing is sent')),
    telegramApi: '',
    clock: systemClock,
    random: systemRandom,
    secrets: new Secrets(),
  });
  const { context } = startKernel({});
  const status = () => {
    throw new Error('no session ends here');
  };
  const command = () => Promise.reject(new Error('no command comes here'));
  const health = () => WELL;
  notifier.begin({ context, status, command, health, notify: () => undefined });
  return notifier;
}

function messageCost(store: OutboxStore): number {
  const outbox = new Outbox({ channels: ['a', 'b'], store, clock: systemClock, report: () => undefined });
  const messages = Array.from({ length: MESSAGES }, (_, index): Message => {
    const kind = MESSAGE_KINDS[index % MESSAGE_KINDS.length] ?? 'fill';
    return { id: `j${index}`, at: epochMs(index), kind, title: 'Fill', text: 'bought 10 AAPL at 123.45' };
  });
  const from = systemClock.monotonic();
  for (let first = 0; first < MESSAGES; first += BATCH) {
    const batch = messages.slice(first, first + BATCH);
    for (const message of batch) outbox.add(message, ['a', 'b']);
    outbox.flush();
    for (const channel of ['a', 'b']) outbox.delivered(channel, batch, 0);
  }
  const spent = systemClock.monotonic() - from;
  outbox.close();
  return (spent / MESSAGES) * MICROSECONDS;
}
