import type { Mutant } from './mutant.ts';

const signInTests = { tests: ['test/ops/page/signIn.test.ts'] };
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
        find: 'return this.#parts.clock.now() < session.expires ? session : null;',
        replace: 'return session;',
      },
    ],
    caughtBy: sessionTests,
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
];
