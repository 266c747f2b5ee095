import type { Mutant } from './mutant.ts';

const ACCESS = 'src/ops/control/access.ts';
const SERVER = 'src/ops/control/server.ts';
const accessTests = { tests: ['test/ops/control/access.test.ts'] };
const boundTests = { tests: ['test/ops/control/bounds.test.ts'] };

/** Bugs in who may use the control API of a run, for what, and how much. */
export const controlMutants: readonly Mutant[] = [
  {
    name: 'read-role-steers',
    what: 'the read token gives commands',
    edits: [
      {
        file: SERVER,
        find: "if (caller.role !== 'operate')",
        replace: 'if (caller === NOBODY)',
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'any-host-over-control',
    what: 'a page whose name leads to this machine reaches the control API',
    edits: [
      {
        file: ACCESS,
        find: 'if (!isOwnHost(host, door) && !isProxied(host, door))',
        replace: "if (!isOwnHost(host, door) && !isProxied(host, door) && host === '')",
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'host-that-begins-like-ours',
    what: 'a host whose name begins with localhost counts as this machine',
    edits: [{ file: 'src/core/loopback.ts', find: '\\[::1\\])$/;', replace: '\\[::1\\])/;' }],
    caughtBy: accessTests,
  },
  {
    name: 'any-origin-over-control',
    what: 'a page of another site may call the control API',
    edits: [
      {
        file: ACCESS,
        find: "valuesOf('origin', rawHeaders).every((origin) => own.includes(origin))",
        replace:
          "valuesOf('origin', rawHeaders).every((origin) => own.includes(origin) || origin.length > 0)",
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'money-over-tcp',
    what: 'orders and transfers over TCP need no `control.money`',
    edits: [
      {
        file: SERVER,
        find: 'if (route.isMoney && !caller.money)',
        replace: 'if (route.isMoney && caller === NOBODY)',
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'token-by-its-beginning',
    what: 'the beginning of a token is taken for all of it, so that it can be guessed letter by letter',
    edits: [
      {
        file: ACCESS,
        find: "timingSafeEqual(given, digestOf(known ?? '')) && known !== undefined;",
        replace:
          "(timingSafeEqual(given, digestOf(known ?? '')) || (known ?? '').startsWith(token)) && known !== undefined;",
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'token-that-is-not-set',
    what: 'a role without a token takes the empty one',
    edits: [
      {
        file: ACCESS,
        find: "timingSafeEqual(given, digestOf(known ?? '')) && known !== undefined;",
        replace: "timingSafeEqual(given, digestOf(known ?? 'undefined'));",
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'command-for-another-account',
    what: 'a command that names another mode or account is carried out',
    edits: [
      {
        file: SERVER,
        find: 'if (identity !== null) checkAddressee(request, identity);',
        replace: 'void [identity, checkAddressee];',
      },
    ],
    caughtBy: accessTests,
  },
  {
    name: 'id-of-another-command',
    what: 'a command with the id of another one gets the answer of that one',
    edits: [
      { file: 'src/ops/control/commandRoutes.ts', find: '  requireSame(request, daemon);\n', replace: '' },
    ],
    caughtBy: { tests: ['test/ops/control/control.test.ts'] },
  },
  {
    name: 'body-without-bound',
    what: 'the body of a command may be as long as the library lets it',
    edits: [{ file: SERVER, find: '    bodyLimit: BODY_MAX_BYTES,\n', replace: '' }],
    caughtBy: { tests: ['test/ops/control/refusals.test.ts'] },
  },
  {
    name: 'refused-body-read-to-its-end',
    what: 'the body of a request that was refused is read to its end',
    edits: [
      {
        file: SERVER,
        find: "if (!raw.complete) reply.header('connection', 'close');",
        replace: 'void [raw, reply];',
      },
    ],
    caughtBy: boundTests,
  },
  {
    name: 'strangers-keep-places',
    what: 'connections that say nothing keep every place of a listener',
    edits: [
      {
        file: 'src/ops/control/server.ts',
        find: 'oldest && this.#strangers.size >= STRANGERS_MAX',
        replace: 'oldest && this.#strangers.size > CONNECTIONS_MAX',
      },
      {
        file: 'src/ops/control/server.ts',
        find: 'CONNECTIONS_MAX = 200',
        replace: 'CONNECTIONS_MAX = 100',
      },
    ],
    caughtBy: boundTests,
  },
  {
    name: 'health-by-rate',
    what: 'whoever asks for the page uses up the questions of a supervisor',
    edits: [{ file: SERVER, find: '      !isHealth &&\n', replace: '' }],
    caughtBy: { tests: ['test/ops/control/health.test.ts'] },
  },
  {
    name: 'headers-without-end',
    what: 'a connection that sends its headers byte by byte keeps its place',
    edits: [{ file: SERVER, find: '      headersTimeout: HEADERS_MS,\n', replace: '' }],
    caughtBy: boundTests,
  },
  {
    name: 'events-over-tcp-fill-the-socket',
    what: "readers of the events over TCP take the places of the operator's socket",
    edits: [
      {
        file: 'src/ops/control/events.ts',
        find: '.filter((reader) => reader.door === door).length;',
        replace: '.filter((reader) => reader.door !== undefined || door).length;',
      },
    ],
    caughtBy: { tests: ['test/ops/control/tcp.test.ts'] },
  },
  {
    name: 'socket-in-an-open-folder',
    what: 'others can open the socket of a run before it is made private',
    edits: [
      {
        file: 'src/ops/control/socket.ts',
        find: "  makePrivate(stateDir, 'the state folder');\n",
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/ops/control/openControl.test.ts'] },
  },
  {
    name: 'link-to-a-socket',
    what: 'a link in the place of the socket leads commands to another process',
    edits: [
      {
        file: 'src/ops/control/socket.ts',
        find: 'existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;',
        replace: 'existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isSocket() === true;',
      },
      { file: 'src/ops/control/socket.ts', find: '  rmSync,\n', replace: '  rmSync,\n  statSync,\n' },
    ],
    caughtBy: { tests: ['test/ops/control/socket.test.ts'] },
  },
  {
    name: 'events-with-a-gap',
    what: 'a reader that has missed many entries follows what happens before it has got them all',
    edits: [
      {
        file: 'src/store/readJournal.ts',
        find: 'return { lines, isEnd: false };',
        replace: 'return { lines, isEnd: true };',
      },
    ],
    caughtBy: { tests: ['test/ops/control/journalPages.test.ts'] },
  },
  {
    name: 'lost-command-given-again',
    what: 'a command whose answer was lost on the way is given again',
    edits: [
      {
        file: 'src/ops/client.ts',
        find: 'throw unconnected(error);\n      return null;',
        replace: "throw unconnected(error);\n      return this.#ask('POST', `/v1/${verb}`, body);",
      },
    ],
    caughtBy: { tests: ['test/ops/client.test.ts'] },
  },
  {
    name: 'tokens-that-others-read',
    what: 'a file of tokens that others can read is taken',
    edits: [
      {
        file: 'src/app/config/controlTokens.ts',
        find: "readPrivateFile(file, { whole: true }).split('\\n')",
        replace: "(readPrivateFile.length > 9 ? '' : readFileSync(file, 'utf8')).split('\\n')",
      },
      {
        file: 'src/app/config/controlTokens.ts',
        find: 'import { ConfigError } from',
        replace: "import { readFileSync } from 'node:fs';\nimport { ConfigError } from",
      },
    ],
    caughtBy: { tests: ['test/app/config/controlTokens.test.ts'] },
  },
  {
    name: 'late-answer-to-the-next-question',
    what: 'a thread that was given up answers a later question about the past with an earlier answer',
    edits: [
      {
        file: 'src/ops/past/pastReads.ts',
        find: 'if (this.#worker === worker) this.#settle(answer);',
        replace: 'this.#settle(answer);',
      },
    ],
    caughtBy: { tests: ['test/ops/past/pastReads.test.ts'] },
  },
  {
    name: 'quotes-after-the-close',
    what: 'the equity of a day goes on with prices of after its close',
    edits: [
      {
        file: 'src/ops/past/dayEquity.ts',
        find: 'const isDue = this.#isOpen && at',
        replace: 'const isDue = at',
      },
    ],
    caughtBy: { tests: ['test/ops/past/answers.test.ts'] },
  },
];
