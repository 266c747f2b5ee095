import type { Mutant } from './mutant.ts';

const channelTests = { tests: ['test/ops/notify/channel.test.ts'] };
const notifierTests = { tests: ['test/ops/notify/notifier.test.ts'] };
const queueTests = { tests: ['test/ops/notify/outboxFile.test.ts'] };

/** Bugs in the notifications of a run, and in the rights of a chat. */
export const notificationMutants: readonly Mutant[] = [
  {
    name: 'notification-ends-the-run',
    what: 'an error in a part of the notifications is left to nobody, and ends the process',
    edits: [
      {
        file: 'src/ops/notify/notifier.ts',
        find: 'this.#running = Promise.all(tasks.map((task) => this.#kept(task)));',
        replace: 'this.#running = Promise.all(tasks.map((task) => task()));',
      },
    ],
    caughtBy: { tests: ['test/ops/notify/notifier.test.ts'] },
  },
  {
    name: 'asked-wait-is-no-outage',
    what: 'a channel that asks for an hour is reported as down after that hour',
    edits: [
      {
        file: 'src/ops/notify/delivery.ts',
        find: 'if (now + askedMs - since >= downAfterMs)',
        replace: 'if (now - since >= downAfterMs)',
      },
    ],
    caughtBy: channelTests,
  },
  {
    name: 'hung-channel-holds-on',
    what: 'an attempt that hangs is never given up',
    edits: [
      {
        file: 'src/ops/notify/delivery.ts',
        find: 'await Promise.race([send(cut.signal), given])',
        replace: 'await Promise.race([send(cut.signal), new Promise<never>(() => given)])',
      },
    ],
    caughtBy: channelTests,
  },
  {
    name: 'chat-of-a-stranger',
    what: 'a chat that is not named gives commands',
    edits: [
      {
        file: 'src/ops/notify/chat.ts',
        find: 'const name = chats.get(chat);',
        replace: "const name = chats.get(chat) ?? 'anybody';",
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'chat-deaf-in-silence',
    what: 'an answer to a chat that cannot be read counts as one without commands',
    edits: [
      {
        file: 'src/ops/notify/chat.ts',
        find: "if (read === null) return { ok: false, reason: 'its answer cannot be read' };",
        replace: 'if (read === null) return outcome;',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'chat-flooded',
    what: 'long messages of strangers fill an answer beyond what is read',
    edits: [{ file: 'src/ops/notify/chat.ts', find: '&limit=${UPDATES_MAX}&', replace: '&' }],
    caughtBy: notifierTests,
  },
  {
    name: 'status-of-a-loss',
    what: 'a chat that asks for the status on a day with a loss gets none',
    edits: [
      {
        file: 'src/core/amount.ts',
        find: 'parseDecimal(text, { signed: true })',
        replace: 'parseDecimal(text)',
      },
    ],
    caughtBy: { tests: ['test/ops/notify/chatStatus.test.ts'] },
  },
  {
    name: 'status-ends-the-run',
    what: 'a status that cannot be shown in a chat ends the process',
    edits: [
      {
        file: 'src/ops/notify/chat.ts',
        find: 'return `The status cannot be shown',
        replace: 'throw error; return `The status cannot be shown',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'unread-queue-is-overwritten',
    what: 'a queue that cannot be read at a start is written over once it can be',
    edits: [{ file: 'src/ops/notify/outbox.ts', find: '#isLoaded = false;', replace: '#isLoaded = true;' }],
    caughtBy: notifierTests,
  },
  {
    name: 'late-queue-without-its-place',
    what: 'what was journaled before a start on a queue that is read late is passed over',
    edits: [
      {
        file: 'src/ops/notify/notifier.ts',
        find: 'this.#follower.goBack(this.#options.reader);',
        replace: '',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'kill-loses-messages',
    what: 'what was journaled and not reported before a kill is passed over',
    edits: [
      {
        file: 'src/ops/notify/follower.ts',
        find: 'this.#seq = at ?? this.#oldUntil;',
        replace: 'this.#seq = Math.max(at ?? 0, this.#oldUntil);',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'alarm-said-once',
    what: 'an alarm that nobody acknowledges is not repeated',
    edits: [
      {
        file: 'src/ops/notify/alarmWatch.ts',
        find: 'if (known.acknowledged || now - saidAt < pauseOf(known, repeatMs)) return [];',
        replace: 'if (known.acknowledged || now >= saidAt) return [];',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'kill-amid-the-start',
    what: 'how far the journal was read is kept only after the start, so that a kill before loses the first entries',
    edits: [
      {
        file: 'src/ops/notify/notifier.ts',
        find: "with its next entry');\n    this.#outbox.flush();",
        replace: "with its next entry');",
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'pace-outlasts-the-run',
    what: 'what the pace holds back at the end of a run waits for the next start',
    edits: [
      {
        file: 'src/ops/notify/channel.ts',
        find: 'if (isFarewell) return',
        replace: 'if (isFarewell && room > 0) return',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'address-not-of-a-credential',
    what: 'the address of a channel is not taken from a credential of systemd',
    edits: [
      {
        file: 'src/app/config/secrets.ts',
        find: 'givenSecret(variable, context.env)',
        replace: 'givenSecret(variable, { [variable]: context.env[variable] })',
      },
    ],
    caughtBy: { tests: ['test/app/config/credentials.test.ts'] },
  },
  {
    name: 'cursor-lost-by-pruning',
    what: 'the sum of an entry that was moved into an archive is not found, and the journal seems to be another',
    edits: [
      {
        file: 'src/store/readJournal.ts',
        find: 'const part = parts.find(({ before, last }) => before.seq < seq && seq <= last);\n    const sum',
        replace: 'const part = parts.at(-1);\n    const sum',
      },
    ],
    caughtBy: { tests: ['test/ops/notify/pruned.test.ts'] },
  },
  {
    name: 'wait-in-the-body-ignored',
    what: 'a service that says in its answer how long to wait is asked again before',
    edits: [
      {
        file: 'src/ops/notify/delivery.ts',
        find: '(status === 429 ? bodyWait(body) : null)',
        replace: '(status === 42 ? bodyWait(body) : null)',
      },
    ],
    caughtBy: { tests: ['test/ops/notify/senders.test.ts'] },
  },
  {
    name: 'password-in-the-clear',
    what: 'a mail server of another machine gets the password without encryption',
    edits: [
      { file: 'src/ops/notify/mail.ts', find: 'requireTLS: !secure && !isLoopbackHost(host),', replace: '' },
    ],
    caughtBy: { tests: ['test/ops/notify/mail.test.ts'] },
  },
  {
    name: 'refused-address-takes-the-message',
    what: 'a message is dropped after its refusals, although the channel refuses every other text too',
    edits: [
      {
        file: 'src/ops/notify/channel.ts',
        find: 'if (!delivery.ok) return delivery;',
        replace: 'if (!delivery.ok && !instead) return delivery;',
      },
    ],
    caughtBy: channelTests,
  },
  {
    name: 'refusals-of-another-message',
    what: 'the refusals of one message count against the next',
    edits: [
      {
        file: 'src/ops/notify/channel.ts',
        find: 'this.#refused?.id === id ? this.#refused.times : 0',
        replace: 'this.#refused?.times ?? 0',
      },
    ],
    caughtBy: channelTests,
  },
  {
    name: 'refused-text-as-it-was',
    what: 'a text that was refused is sent again as it was',
    edits: [
      { file: 'src/ops/notify/channel.ts', find: 'isPlain: times === 1 }', replace: 'isPlain: false }' },
    ],
    caughtBy: channelTests,
  },
  {
    name: 'old-alarm-as-new',
    what: 'an alarm from before the restart is repeated as if its cause lasted',
    edits: [
      {
        file: 'src/ops/notify/alarmWatch.ts',
        find: 'isRestored && known.count === 1',
        replace: 'isRestored && known.count === 0',
      },
    ],
    caughtBy: notifierTests,
  },
  {
    name: 'mark-of-another-channel',
    what: 'a delivery by one channel takes the message from all',
    edits: [
      {
        file: 'src/ops/notify/outboxFile.ts',
        find: "'DELETE FROM pending WHERE channel = ? AND seq = ?'",
        replace: "'DELETE FROM pending WHERE ? IS NOT NULL AND seq = ?'",
      },
    ],
    caughtBy: queueTests,
  },
];
