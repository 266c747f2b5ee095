import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { floorOf, importsOf, IN_THE_BROWSER, wrongImport } from './floors.ts';

type Effect = Readonly<{
  what: string;
  /** Globals of the language or the runtime, as written in the code. */
  globals: RegExp;
  /** Modules imported for their values. */
  modules: RegExp;
  /** The files that may use them, each with its reason. A name that ends in `/` is a folder. */
  in: Readonly<Record<string, string>>;
}>;
/** Uses of the outside world. */
const EFFECTS: readonly Effect[] = [
  {
    what: 'time and timers',
    globals: /^(Date|Date\.now|new Date\(\)|performance|set(Timeout|Interval|Immediate))$/,
    modules: /^node:(timers|perf_hooks)/,
    in: {
      'src/core/clock.ts': 'the one clock',
      'src/app/realm/compartment.ts': 'takes the clock from strategies',
      'src/ops/eventLoop.ts': 'measures how late the event loop is',
      'src/page/browser.ts': 'the clock of the browser',
    },
  },
  {
    what: 'chance',
    globals: /^(Math\.random|(crypto\.)?(randomUUID|getRandomValues|randomBytes|randomInt))$/,
    modules: /^$/,
    in: {
      'src/core/random.ts': 'the one source of chance',
      'src/page/browser.ts': 'ids of the commands of the page',
    },
  },
  {
    what: 'the network',
    globals: /^(fetch|WebSocket|EventSource)$/,
    modules: /^(undici|fastify|nodemailer|node:(net|https?|http2|tls|dgram|dns)(\/.*)?)$/,
    in: {
      'src/api/undiciTransport.ts': 'carries every request to the venue, and to the node of the chain',
      'src/emulator/http/server.ts': 'listens as the venue',
      'src/emulator/http/control.ts': 'listens for whoever sets its clock and faults',
      'src/ops/control/server.ts': 'listens for operators',
      'src/ops/control/socket.ts': 'asks whether a daemon answers',
      'src/ops/client.ts': 'asks a daemon',
      'src/ops/page/forwarder.ts': 'carries requests of a page to daemons',
      'src/ops/notify/http.ts': 'carries messages to people',
      'src/ops/notify/mail.ts': 'carries mails to people',
      'src/page/browser.ts': 'asks whoever serves the page',
      'src/process/': 'the process and its files',
      'src/app/': 'the composition root',
      'src/cli/': 'commands, and the files that they name',
    },
  },
  {
    what: 'files and databases',
    globals: /^$/,
    modules: /^(esbuild|pg|pg-boss|node:(fs|os|child_process|worker_threads)(\/.*)?)$/,
    in: {
      'src/store/readJournal.ts': 'the journal, for whoever looks on',
      'src/store/migrateJournal.ts': 'the journal of an older version',
      'src/store/integrity.ts': 'the note of how far the journal goes, and the traces of one that is gone',
      'src/store/sqliteJournal.ts': 'the journal, and whether it is where it was',
      'src/store/archives.ts': 'closed years of the journal',
      'src/store/pruneJournal.ts': 'closed years as they are moved out of the journal',
      'src/store/reserve.ts': 'room on the disk of the journal',
      'src/store/documents.ts': 'the account of a dry run',
      'src/store/copies.ts': 'copies of these while a run goes on',
      'src/store/transactionFile.ts': 'the transactions that a wallet has signed',
      'src/store/stateFolder.ts': 'the folders of all these, and their lock',
      'src/store/trust.ts': 'who else may change them',
      'src/store/sqlite/sqliteErrors.ts': 'what their disk says',
      'src/market/barStore.ts': 'market data',
      'src/lab/queue/connection.ts': 'the queue of trials',
      'src/emulator/machine/store.ts': 'the state of the emulator',
      'src/ops/control/socket.ts': 'the socket of a daemon',
      'src/ops/registry.ts': 'the daemons of this user',
      'src/ops/past/pastReads.ts': 'the thread that reads the past',
      'src/ops/past/pastThread.ts': 'that thread',
      'src/ops/past/savedRecords.ts': 'the folder of saved records',
      'src/ops/page/files.ts': 'the files of the page',
      'src/ops/page/sessionStore.ts': 'the key of its sessions, and which have ended',
      'src/ops/control/tcp.ts': 'the port that a page knows',
      'src/ops/notify/outboxFile.ts': 'the messages that wait',
      'src/process/': 'the process and its files',
      'src/app/': 'the composition root',
      'src/cli/': 'commands, and the files that they name',
    },
  },
  {
    what: 'the process and its terminal',
    globals: /^(process|console)$/,
    modules: /^node:(process|tty|readline)/,
    in: {
      'src/cli/entry.ts': 'asks which Node.js this is',
      'src/cli/main.ts': 'hands them to the rest as a context',
      'src/process/debuggerPort.ts': 'takes the signal that would open the debugger',
      'src/store/trust.ts': 'asks which user this is',
      'src/store/sqlite/prebuiltSqlite.ts': 'names the system for which there is no SQLite',
      'src/store/sqlite/sqlite.ts': 'asks whether this Node.js has SQLite',
      'src/cli/commands/backtest/backtest.ts': 'asks which flags this Node.js has',
      'src/app/isolation/isolatedStrategy.ts': 'reads how much memory the process uses',
      'src/app/run/machineUse.ts': 'reads the same, and its processor time, for the metrics',
      'src/app/isolation/strategyThread.ts': 'ends its thread',
      'src/app/isolation/threadEnd.ts': 'ends the process where a thread cannot be ended',
      'src/app/lab/trialThread.ts': 'shows what strategies print',
    },
  },
];

const LINES_MAX = 400;
const FILES_MAX = 20;
/** Folders of many similar files that a reader finds by name. */
const LISTS = ['src/strategy/indicators'];

const files = ['src', 'strategies']
  .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => join(root, file)))
  .filter((file) => /\.tsx?$/.test(file));

/** Files that need each other's values: each list leads from a file back to itself. */
function circlesIn(valuesOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) return void circles.push([...path.slice(at), file]);
    if (done.has(file)) return;
    for (const next of valuesOf.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of valuesOf.keys()) walk(file, []);
  return circles;
}

const trees = new Map<string, ts.SourceFile>();

/** Syntax tree of a text, which is parsed once. */
function treeOf(file: string, source: string): ts.SourceFile {
  const tree = trees.get(source) ?? ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  trees.set(source, tree);
  return tree;
}

/** The sources whose values a source imports when it is loaded. */
function valueImportsOf(file: string, source: string): string[] {
  const { statements } = treeOf(file, source);
  return statements.flatMap((statement) => {
    const target = moduleOf(statement);
    return target && ts.isStringLiteral(target) && target.text.startsWith('.') && !isTypesOnly(statement)
      ? [join(dirname(file), target.text)]
      : [];
  });
}

function isTypesOnly(statement: ts.Statement): boolean {
  if (!ts.isImportDeclaration(statement)) return false;
  const clause = statement.importClause;
  const named = clause?.namedBindings;
  if (!clause || clause.name || !named || !ts.isNamedImports(named)) return false;
  return named.elements.every(({ isTypeOnly }) => isTypeOnly);
}

/** The globals that a source uses, as `Date.now`, `fetch` or `new Date()`, and the modules whose values it imports. */
function usesOf(source: string, file = 'source.ts') {
  const [globals, modules]: [string[], string[]] = [[], []];
  const visit = (node: ts.Node): void => {
    const target = moduleOf(node);
    if (target && ts.isStringLiteral(target)) modules.push(target.text);
    if (ts.isNewExpression(node) && !node.arguments?.length)
      globals.push(`new ${node.expression.getText()}()`);
    if (ts.isPropertyAccessExpression(node)) globals.push(node.getText());
    if (ts.isIdentifier(node) && mayBeGlobal(node)) globals.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(treeOf(file, source));
  return { globals, modules };
}

/** Module that a node imports for its value: type imports have no effect. */
function moduleOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node))
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword ? undefined : node.moduleSpecifier;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly ? undefined : node.moduleSpecifier;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isImport ? node.arguments[0] : undefined;
}

/** True if a name may refer to a global: not that of a property, a member or a type, nor `Date` used harmlessly. */
function mayBeGlobal(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return parent.expression.getText() === 'globalThis';
  if (node.text === 'Date' && (ts.isPropertyAccessExpression(parent) || ts.isNewExpression(parent)))
    return false;
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node;
  return !(ts.isTypeElement(parent) || ts.isClassElement(parent) || ts.isTypeNode(parent));
}

const touches = ({ globals, modules }: Effect, uses: ReturnType<typeof usesOf>): string[] => [
  ...uses.globals.filter((name) => globals.test(name)),
  ...uses.modules.filter((name) => modules.test(name)),
];

const mayUse = (file: string, places: Effect['in']) =>
  Object.keys(places).some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place));

test('every folder of src has a floor', () => {
  const folders = new Set(
    files
      .map((file) => file.split('/'))
      .flatMap(([root, folder, ...inside]) =>
        root === 'src' && inside.length > 0 && folder !== undefined ? [folder] : [],
      ),
  );
  expect([...folders].filter((folder) => floorOf(folder) < 0)).toEqual([]);
});

test('no file imports a value in a circle', () => {
  const values = files.map((file) => [file, valueImportsOf(file, readFileSync(file, 'utf8'))] as const);
  expect(circlesIn(new Map(values))).toEqual([]);
});

test('the page imports no module of Node, and only its own packages', () => {
  const reached = new Set(files.filter((file) => file.startsWith('src/page/')));
  for (const file of reached)
    for (const next of valueImportsOf(file, readFileSync(file, 'utf8')))
      if (/\.tsx?$/.test(next)) reached.add(next);
  const strange = [...reached].flatMap((file) =>
    usesOf(readFileSync(file, 'utf8'), file)
      .modules.filter((module) => !module.startsWith('.') && !IN_THE_BROWSER.includes(module))
      .map((module) => `${file}: ${module}`),
  );
  expect(strange).toEqual([]);
});

test('no folder has too many files', () => {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([folder, count]) => count > FILES_MAX && !LISTS.includes(folder))).toEqual([]);
});

describe.each(files)('%s', (file) => {
  const source = readFileSync(file, 'utf8');

  test('imports only what its floor allows', () => {
    const wrong = importsOf(source).flatMap(
      (target) => wrongImport(file, target)?.concat(`: ${target}`) ?? [],
    );
    expect(wrong).toEqual([]);
  });

  test('uses time, network, files and the like only where that is its task', () => {
    const uses = usesOf(source, file);
    for (const effect of EFFECTS)
      if (!mayUse(file, effect.in)) expect(touches(effect, uses), effect.what).toEqual([]);
  });

  test('has at most 400 lines, and no TODO', () => {
    expect(source.split('\n').length - 1).toBeLessThanOrEqual(LINES_MAX);
    expect(source).not.toMatch(/TODO|FIXME|XXX/);
  });
});

describe('the rules of the architecture', () => {
  test.each<[file: string, target: string, allowed: boolean]>([
    ['src/core/clock.ts', './brand.ts', true],
    ['src/core/clock.ts', '../domain/order.ts', false],
    ['src/domain/orders/order.ts', '../../core/brand.ts', true],
    ['src/domain/orders/order.ts', '../../calendar/index.ts', false],
    ['src/engine/kernel/kernel.ts', '../../api/venue.ts', true],
    ['src/engine/kernel/kernel.ts', '../../venue/ownOrders.ts', false],
    ['src/engine/kernel/kernel.ts', '../../emulator/state/world.ts', false],
    ['src/engine/kernel/kernel.ts', '../orders/tracker.ts', true],
    ['src/engine/orders/tracker.ts', '../kernel/kernel.ts', false],
    ['src/engine/loose.ts', './kernel/kernel.ts', false],
    ['src/emulator/state/world.ts', '../../sim/slippage.ts', true],
    ['src/emulator/routes/fields.ts', '../../api/endpoints/orders.ts', true],
    ['src/emulator/routes/fields.ts', '../state/state.ts', true],
    ['src/emulator/state/state.ts', '../routes/fields.ts', false],
    ['src/emulator/state/state.ts', '../emulator.ts', false],
    ['src/emulator/emulator.ts', './machine/machine.ts', true],
    ['src/store/codec.ts', '../market/feed.ts', false],
    ['src/app/environment/plan.ts', '../isolation/isolatedStrategy.ts', true],
    ['src/app/isolation/isolatedStrategy.ts', '../environment/plan.ts', false],
    ['src/app/run/daemon.ts', '../../cli/main.ts', false],
    ['src/process/context.ts', '../app/config/load.ts', false],
    ['src/cli/main.ts', '../index.ts', false],
    ['src/cli/main.ts', '../../test/core/fakeHost.ts', false],
    ['src/cli/main.ts', 'drover/strategy', false],
    ['src/cli/main.ts', '../page/main.tsx', false],
    ['src/page/main.tsx', '../cli/main.ts', false],
    ['src/page/main.tsx', '../ops/model/status.ts', true],
    ['src/page/main.tsx', 'preact', true],
    ['src/page/main.tsx', 'zod', false],
    ['src/index.ts', './cli/main.ts', true],
    ['src/core/log.ts', 'pino', true],
    ['src/core/log.ts', './brand', false],
    ['strategies/dca.ts', 'drover/strategy', true],
    ['strategies/dca.ts', 'zod', true],
    ['strategies/dca.ts', 'node:fs', false],
    ['strategies/dca.ts', './sma-cross.ts', false],
  ])('%s importing %s: %s', (file, target, allowed) => {
    expect(wrongImport(file, target) === null).toBe(allowed);
  });

  test('find a circle of values, and allow one of types', () => {
    const [a, b] = [
      valueImportsOf('src/a.ts', "import { b } from './b.ts';"),
      valueImportsOf('src/b.ts', "import { c } from './c.ts'; import type { D } from './d.ts';"),
    ];
    const c = valueImportsOf('src/c.ts', "import { type A } from './a.ts'; export { b } from './b.ts';");
    expect(
      circlesIn(
        new Map([
          ['src/a.ts', a],
          ['src/b.ts', b],
          ['src/c.ts', c],
        ]),
      ),
    ).toEqual([['src/b.ts', 'src/c.ts', 'src/b.ts']]);
  });

  test('find every kind of import', () => {
    const source = `
      import a from './a.ts'; import type { b } from './b.ts'; export * from './c.ts'; import './d.ts';
      export type { e } from './e.ts'; const f = await import('./f.ts'); type G = import('./g.ts').G;
      // import h from './h.ts'
    `;
    expect(importsOf(source).sort()).toEqual('abcdefg'.split('').map((name) => `./${name}.ts`));
  });

  test.each([
    ['Date.now()', 'time and timers'],
    ['new Date()', 'time and timers'],
    ['new Date', 'time and timers'],
    ['const { now } = Date', 'time and timers'],
    ['Date()', 'time and timers'],
    ['setTimeout(run, 1)', 'time and timers'],
    ['globalThis.setTimeout(run, 1)', 'time and timers'],
    ['const later = setImmediate', 'time and timers'],
    [`import { setTimeout as wait } from 'node:timers/promises'`, 'time and timers'],
    ['performance.now()', 'time and timers'],
    ['Math.random()', 'chance'],
    [`import { randomUUID } from 'node:crypto'; randomUUID()`, 'chance'],
    ['crypto.randomUUID()', 'chance'],
    [`await fetch('/')`, 'the network'],
    [`const { request } = await import('undici')`, 'the network'],
    [`import { createServer } from 'node:http'`, 'the network'],
    [`import { readFileSync } from 'node:fs'`, 'files and databases'],
    [`await import('node:fs/promises')`, 'files and databases'],
    ['process.env', 'the process and its terminal'],
    [`console.log('x')`, 'the process and its terminal'],
    ['send({ env: process })', 'the process and its terminal'],
  ])('find %s as %s', (source, what) => {
    const seen = EFFECTS.filter((effect) => touches(effect, usesOf(source)).length > 0);
    expect(seen.map((effect) => effect.what)).toEqual([what]);
  });

  test.each([
    'new Date(clock.now()).toISOString()',
    'Date.parse(text)',
    'venue.fetch(need)',
    'class Feed { fetch() { return this.fetch(); } }',
    'type Clock = { setTimeout: number; process(): void }',
    `const text = 'Date.now() and process.env'; // console.log(fetch)`,
    'Math.max(1, 2)',
    `import { createHash } from 'node:crypto'`,
    `import type { FastifyInstance } from 'fastify'`,
  ])('allow %s', (source) => {
    expect(EFFECTS.flatMap((effect) => touches(effect, usesOf(source)))).toEqual([]);
  });

  test('name only existing files', () => {
    const named = EFFECTS.flatMap((effect) => Object.keys(effect.in));
    for (const place of named)
      expect(
        files.some((file) => file.startsWith(place)),
        place,
      ).toBe(true);
  });
});
