import type { Mutant } from './mutant.ts';

const runner = 'src/engine/runtime/runner.ts';
const journal = { tests: ['test/store/sqliteJournal.test.ts'] };

/** Bugs of a process that stands still, of a full disk, and of a replaced journal. */
export const processMutants: readonly Mutant[] = [
  {
    name: 'sends-on-a-full-disk',
    what: 'a send leaves although it could not be written down',
    edits: [
      {
        file: 'src/engine/runtime/commitLoop.ts',
        find: 'if (this.#trouble && SENDS.has(event.kind))',
        replace: 'if (this.#trouble && this.#held.length > 1e9 && SENDS.has(event.kind))',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/disk.test.ts'] },
  },
  {
    name: 'deposits-on-a-full-disk',
    what: 'a deposit leaves although it could not be written down',
    edits: [
      {
        file: 'src/engine/runtime/commitLoop.ts',
        find: "new Set(['sent', 'cancelSent', 'operationSent'])",
        replace: "new Set(['sent', 'cancelSent'])",
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/disk.test.ts'] },
  },
  {
    name: 'gate-open-on-a-full-disk',
    what: 'sends go on while the journal cannot be written',
    edits: [
      {
        file: runner,
        find: 'this.#commitLoop.trouble ?? this.#recovery.reason',
        replace: 'this.#recovery.reason',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/disk.test.ts'] },
  },
  {
    name: 'sends-after-a-pause',
    what: 'a process that stood still goes on sending without looking first',
    edits: [
      {
        file: runner,
        find: 'this.#commitLoop.trouble ?? this.#recovery.reason',
        replace: 'this.#commitLoop.trouble',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'old-plans-sent',
    what: 'an order that was planned minutes ago leaves as if nothing had changed',
    edits: [
      { file: 'src/engine/risk/gate.ts', find: 'if (age > DECISION_AGE_MAX_MS)', replace: 'if (age > 1e12)' },
    ],
    caughtBy: { tests: ['test/engine/runtime/gap.test.ts'] },
  },
  {
    name: 'two-writers',
    what: 'a journal that another process has written to is written on',
    edits: [
      {
        file: 'src/store/sqliteJournal.ts',
        find: 'if ((last.get() ?? start).sum !== tip.sum)',
        replace: "if ((last.get() ?? start).sum === 'none')",
      },
    ],
    caughtBy: { tests: ['test/store/stateFolderOthers.test.ts'] },
  },
  {
    name: 'sums-not-checked',
    what: 'an entry that was changed in the file is believed',
    edits: [
      {
        file: 'src/store/integrity.ts',
        find: 'if (!isAsWritten(row, before))',
        replace: "if (row.sum === 'none')",
      },
    ],
    caughtBy: journal,
  },
  {
    name: 'older-copy-believed',
    what: 'a journal that is shorter than it was is taken for whole',
    edits: [
      {
        file: 'src/store/integrity.ts',
        find: 'noted.seq > tip.seq)',
        replace: 'noted.seq > tip.seq + 1e9)',
      },
    ],
    caughtBy: journal,
  },
  {
    name: 'memory-unwatched-between-hooks',
    what: 'a strategy takes memory in its own timers, and nobody looks',
    edits: [
      {
        file: 'src/app/isolation/strategyWorker.ts',
        find: 'if (this.#end || isOneEnding() || !this.#memory.isTooMuch()) return;',
        replace: 'if (!this.#end || !this.#memory.isTooMuch()) return;',
      },
    ],
    caughtBy: { tests: ['test/app/isolation/strategyWorkerBetween.test.ts'] },
  },
  {
    name: 'garbage-counted-as-memory',
    what: 'a strategy is stopped for memory that it has let go of, before V8 has collected it',
    edits: [
      {
        file: 'src/app/isolation/threadPort.ts',
        find: 'if (allocated <= most) return allocated;',
        replace: 'if (allocated <= most || most >= 0) return allocated;',
      },
    ],
    caughtBy: { tests: ['test/app/isolation/strategyWorkerBetween.test.ts'] },
  },
  {
    name: 'printing-unbounded',
    what: 'what a strategy prints has no bound',
    edits: [
      {
        file: 'src/app/isolation/threadOutput.ts',
        find: 'new PrintLimit(print, this.#options.now)',
        replace: '{ take: print, settle() {}, flush() {} } as unknown as PrintLimit',
      },
    ],
    caughtBy: { tests: ['test/app/isolation/strategyWorkerBetween.test.ts'] },
  },
  {
    name: 'thread-not-locked',
    what: 'a strategy runs beside objects of the program that it can change',
    edits: [{ file: 'src/app/isolation/strategyThread.ts', find: 'lockRealm();\n', replace: '' }],
    caughtBy: { tests: ['test/app/isolation/compartment.test.ts'] },
  },
  {
    name: 'clock-in-a-strategy',
    what: 'a strategy reads the clock of the machine, and a replay decides differently',
    edits: [
      { file: 'src/app/realm/compartment.ts', find: 'now: refusing(NO_CLOCK)', replace: 'now: Date.now' },
    ],
    caughtBy: { tests: ['test/app/isolation/compartment.test.ts'] },
  },
  {
    name: 'hung-kernel-is-reported-alive',
    what: 'the watchdog of systemd is fed although the kernel takes no steps',
    edits: [
      {
        file: 'src/ops/serviceManager.ts',
        find: 'if (standstill !== null) {',
        replace: "if (standstill === '') {",
      },
    ],
    caughtBy: { tests: ['test/ops/serviceManager.test.ts'] },
  },
  {
    name: 'reporter-with-the-environment',
    what: 'the child that reports to systemd sees the whole environment, secrets too',
    edits: [
      {
        file: 'src/cli/commands/run/systemd.ts',
        find: 'env: { PATH, NOTIFY_SOCKET: socket },',
        replace: 'env: { ...process.env, PATH, NOTIFY_SOCKET: socket },',
      },
    ],
    caughtBy: { tests: ['test/cli/commands/run/systemd.test.ts'] },
  },
  {
    name: 'credential-open-to-others',
    what: 'a secret is read from a credential that every user can read',
    edits: [
      {
        file: 'src/process/files.ts',
        find: '(stats.mode & OTHERS) === 0;',
        replace: '(stats.mode & OTHERS) >= 0;',
      },
    ],
    caughtBy: { tests: ['test/app/config/credentials.test.ts'] },
  },
  {
    name: 'log-loses-middle',
    what: 'a full log is renamed from the first number on, over those that follow',
    edits: [
      {
        file: 'src/app/run/logFile.ts',
        find: 'for (; free > 0; free--) await rename(name(free - 1), name(free));',
        replace: 'for (let at = 1; at <= free; at++) await rename(name(at - 1), name(at));',
      },
    ],
    caughtBy: { tests: ['test/app/run/logFile.test.ts'] },
  },
  {
    name: 'log-link-renamed',
    what: 'a link that is named as the log is renamed, and what it names grows on without limit',
    edits: [
      {
        file: 'src/app/run/logFile.ts',
        find: 'if (!this.#isPlain || this.#sizeBefore + this.#writer',
        replace: 'if (this.#sizeBefore + this.#writer',
      },
    ],
    caughtBy: { tests: ['test/app/run/logFile.test.ts'] },
  },
  {
    name: 'log-line-on-torn-one',
    what: 'a line is written behind half of one that a full disk cut',
    edits: [
      {
        file: 'src/process/lineWriter.ts',
        find: "${this.#isTorn ? '\\n' : ''}",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/app/run/logFile.test.ts'] },
  },
  {
    name: 'log-open-to-all',
    what: 'a new log file can be read by every user',
    edits: [
      {
        file: 'src/app/run/logFile.ts',
        find: 'openSync(file, APPEND, 0o600)',
        replace: 'openSync(file, APPEND, 0o644)',
      },
    ],
    caughtBy: { tests: ['test/app/run/logFile.test.ts'] },
  },
];
