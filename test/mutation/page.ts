import type { Mutant } from './mutant.ts';

const signInTests = { tests: ['test/ops/page/signIn.test.ts'] };
const commandTests = { tests: ['test/page/command.test.ts'] };
const strategyTests = { tests: ['test/page/strategy.test.ts'] };
const sessionTests = { tests: ['test/ops/page/sessions.test.ts'] };

/** Bugs in who gets into the page, and in what the page shows after a break. */
export const pageMutants: readonly Mutant[] = [
  {
    name: 'steering-by-cookie-alone',
    what: 'a command by cookie needs no header that only the page can send',
    edits: [
      {
        file: 'src/ops/control/server.ts',
        find: "if (caller.way === 'page' && !isFromPage(",
        replace: "if (caller.way === 'nobody' && !isFromPage(",
      },
    ],
    caughtBy: signInTests,
  },
  {
    name: 'code-used-twice',
    what: 'a one-time code signs in again and again',
    edits: [
      {
        file: 'src/ops/page/codes.ts',
        find: 'this.#waiting = waiting.filter((_, index) => isGiven[index] !== true);',
        replace: 'this.#waiting = waiting;',
      },
    ],
    caughtBy: sessionTests,
  },
  {
    name: 'session-without-end',
    what: 'a cookie that is over is taken',
    edits: [
      {
        file: 'src/ops/page/sessions.ts',
        find: 'if (leftMs <= 0 || this.#parts.ended.has(claims.id, issued)) return null;',
        replace: 'if (this.#parts.ended.has(claims.id, issued)) return null;',
      },
    ],
    caughtBy: sessionTests,
  },
  {
    name: 'session-outlives-its-end',
    what: 'a copy of a cookie is taken after the browser has signed out',
    edits: [
      {
        file: 'src/ops/page/sessions.ts',
        find: 'if (leftMs <= 0 || this.#parts.ended.has(claims.id, issued)) return null;',
        replace: 'if (leftMs <= 0) return null;',
      },
    ],
    caughtBy: signInTests,
  },
  {
    name: 'session-outlives-its-token',
    what: 'a session that a token began goes on when the token is replaced',
    edits: [
      {
        file: 'src/ops/page/sessions.ts',
        find: "via === 'token' ? (this.#parts.tokenOf(role) ?? '') : ''",
        replace: "via === 'token' ? role : ''",
      },
    ],
    caughtBy: sessionTests,
  },
  {
    name: 'page-makes-codes',
    what: 'a page that has signed in lets others in, beyond the end of its own session',
    edits: [
      {
        file: 'src/ops/page/signIn.ts',
        find: "if (caller.way === 'page')",
        replace: "if (caller.way === 'nobody')",
      },
    ],
    caughtBy: signInTests,
  },
  {
    name: 'stream-outlives-its-session',
    what: 'a page whose session is over goes on reading the events',
    edits: [
      {
        file: 'src/ops/control/events.ts',
        find: 'session?.atEnd(() => response.end())',
        replace: 'session?.atEnd(() => undefined)',
      },
    ],
    caughtBy: { tests: ['test/ops/control/slowReader.test.ts'] },
  },
  {
    name: 'events-missed-after-a-break',
    what: 'a page that comes back begins with what happens from then on',
    edits: [
      {
        file: 'src/page/connection/connection.ts',
        find: 'if (id !== null) this.#seq = Number(id);',
        replace: 'if (id === event) this.#seq = Number(id);',
      },
    ],
    caughtBy: { tests: ['test/page/connection.test.ts'] },
  },
  {
    name: 'dead-stream-kept',
    what: 'a page whose machine has slept waits for a connection that is gone',
    edits: [
      {
        file: 'src/page/connection/connection.ts',
        find: 'this.#checkSilence(AWAKE_SILENCE_MS);',
        replace: 'this.#checkSilence(SILENCE_MS * 1_000);',
      },
    ],
    caughtBy: { tests: ['test/page/connection.test.ts'] },
  },
  {
    name: 'money-through-the-gateway',
    what: 'a page that comes through the socket gives orders that the config does not allow',
    edits: [
      {
        file: 'src/ops/page/forwarder.ts',
        find: "'x-drover-page': '1',",
        replace: "'x-drover-page': '',",
      },
    ],
    caughtBy: { tests: ['test/cli/commands/daemon/dashboard.test.ts'] },
  },
  {
    name: 'guesses-uncounted',
    what: 'codes and tokens can be guessed as often as one likes',
    edits: [
      {
        file: 'src/ops/control/server.ts',
        find: "isGuess(error) && !rates.take('failed', '')",
        replace: "isGuess(error) && !rates.take('read', '')",
      },
    ],
    caughtBy: signInTests,
  },
  {
    name: 'answer-taken-for-the-journal',
    what: 'the page calls a command done that the journal does not have',
    edits: [
      {
        file: 'src/page/steering/command.ts',
        find: "if (done) this.#set({ kind: 'waiting', text: AWAITED });",
        replace: "if (done) this.#set({ kind: 'confirmed', text: AWAITED });",
      },
    ],
    caughtBy: commandTests,
  },
  {
    name: 'doubt-forgotten',
    what: 'a refusal of the second sending is taken for the end of the first',
    edits: [
      {
        file: 'src/page/steering/command.ts',
        find: 'if (!this.#isInDoubt && isRefusal(error)) {',
        replace: 'if (isRefusal(error)) {',
      },
    ],
    caughtBy: commandTests,
  },
  {
    name: 'price-from-before-the-break',
    what: 'the page shows an older price than its status has',
    edits: [
      {
        file: 'src/page/views/now/shown.ts',
        find: 'Date.parse(event.at) > Date.parse(now) ? event.price',
        replace: 'Date.parse(event.at) > 0 ? event.price',
      },
    ],
    caughtBy: { tests: ['test/page/now.test.ts'] },
  },
  {
    name: 'begins-nowhere',
    what: 'a page that is cut off before its first entry misses those of the break',
    edits: [
      {
        file: 'src/page/connection/connection.ts',
        find: "return id === null ? null : { event: 'position', data: '', id };",
        replace: 'return null;',
      },
    ],
    caughtBy: { tests: ['test/page/connection.test.ts'] },
  },
  {
    name: 'gap-in-a-list',
    what: 'a list hides orders that came while nobody looked',
    edits: [
      {
        file: 'src/page/parts/pages.ts',
        find: 'next !== null && newest !== null && newest.seq >= oldest',
        replace: 'next !== null && newest !== null',
      },
    ],
    caughtBy: { tests: ['test/page/pages.test.ts'] },
  },
  {
    name: 'orders-of-any-day',
    what: 'a search of orders by day finds those of other days',
    edits: [
      {
        file: 'src/ops/past/orderLife.ts',
        find: 'newYorkDate(fact.order.plannedAt) !== date',
        replace: 'newYorkDate(fact.order.plannedAt) < date',
      },
    ],
    caughtBy: { tests: ['test/ops/past/answers.test.ts'] },
  },
  {
    name: 'first-session-without-a-loss',
    what: 'the drawdown of a strategy in the page leaves out what its first session lost',
    edits: [
      {
        file: 'src/page/views/strategy/sessionFigures.ts',
        find: 'startEquity: Number(totals.equity.start)',
        replace: 'startEquity: marks[0]?.equity ?? 0',
      },
    ],
    caughtBy: strategyTests,
  },
  {
    name: 'oldest-decision-first',
    what: 'the page shows the oldest decisions of a strategy, and leaves the latest out',
    edits: [
      {
        file: 'src/page/views/strategy/decisionList.ts',
        find: '    .toReversed();',
        replace: '    .slice();',
      },
    ],
    caughtBy: strategyTests,
  },
  {
    name: 'undone-fill-stays-on-page',
    what: 'a record that is read on keeps a fill that the chain has undone',
    edits: [
      {
        file: 'src/page/views/strategy/strategyRecord.ts',
        find: 'before.fills.filter(({ order }) => !changed.has(order))',
        replace: 'before.fills',
      },
    ],
    caughtBy: { tests: ['test/page/strategyReading.test.ts'] },
  },
];
