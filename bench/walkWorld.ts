import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createVenueClient } from '../src/api/client.ts';
import type { Transport } from '../src/api/transport.ts';
import { createVenue } from '../src/api/venue.ts';
import { runBacktest } from '../src/backtest/runBacktest.ts';
import { tradingCalendar } from '../src/calendar/index.ts';
import { parseCash } from '../src/core/amount.ts';
import { epochMs } from '../src/core/brand.ts';
import { machine } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { Secrets } from '../src/core/secrets.ts';
import { seededRandom } from '../src/core/seededRandom.ts';
import { VirtualClock } from '../src/core/virtualClock.ts';
import { DOCUMENTED_FEES } from '../src/domain/fees.ts';
import { openFront, openMachine } from '../src/emulator/index.ts';
import { createInProcessTransport } from '../test/emulator/http/inProcess.ts';
import { CHAIN_ID, contracts, PRODUCT } from '../src/emulator/state/constants.ts';
import { Runner } from '../src/engine/runtime/runner.ts';
import { inProcess } from '../src/engine/strategy/strategyRuntime.ts';
import { EventStream } from '../src/ops/control/events.ts';
import { JournalPages } from '../src/ops/control/journalPages.ts';
import { routesOf } from '../src/ops/control/routes.ts';
import { createControlServer } from '../src/ops/control/server.ts';
import type { Route } from '../src/ops/control/route.ts';
import type { Daemon, DaemonEvent } from '../src/ops/daemon.ts';
import { differencesOf, statusOf } from '../src/ops/model/statusOf.ts';
import { Readiness } from '../src/ops/readiness.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';
import { defineStrategy } from '../src/strategy/index.ts';
import smaCross from '../strategies/sma-cross.ts';
import { z } from 'zod';
import { d10 } from './bars.ts';
import { ENTERED } from './entries.ts';

/** Function entries between two moments, `FILE:NAME` each. */
type Walk = readonly string[];

let entries: string[] = [];
Object.assign(globalThis, { [ENTERED]: (place: string) => void entries.push(place) });

/** Entries since the last call. The emulator is excluded. */
function taken(): Walk {
  const walk = entries.filter((place) => !place.startsWith('src/emulator/'));
  entries = [];
  return walk;
}

/** Walk of median length. */
function middle(walks: readonly Walk[]): Walk {
  const walk = walks.toSorted((a, b) => a.length - b.length)[Math.floor(walks.length / 2)];
  if (walk === undefined) throw new Error('nothing of the kind happened');
  return walk;
}

/** Events that occur in every session. */
const QUIET: ReadonlySet<string> = new Set(['session', 'plotted']);

/** Sessions of daily bars: one in which an order fills, and one in which nothing happens while the stock is held. */
async function sessions(): Promise<Record<string, Walk>> {
  const { columns } = d10(42, 400);
  const [filled, quiet]: [Walk[], Walk[]] = [[], []];
  let [orders, fills] = [0, 0];
  let isHolding = false;
  await runBacktest({
    strategy: smaCross as never,
    params: { symbol: 'X' },
    cash: '100000',
    bars: [{ symbol: 'X', interval: '1d', ...columns }],
    onFact: ({ fact }) => {
      if (QUIET.has(fact.kind)) return;
      orders++;
      if (fact.kind === 'order' && fact.event.kind === 'reported' && fact.event.report.status === 'filled')
        fills++;
    },
    onProgress: () => {
      const walk = taken();
      if (orders === 0 && isHolding) quiet.push(walk);
      if (fills === 1) filled.push(walk);
      if (fills === 1) isHolding = !isHolding;
      [orders, fills] = [0, 0];
    },
  });
  return { 'bar with a fill': middle(filled), 'quiet bar': middle(quiet) };
}

const START = epochMs(Date.parse('2026-06-15T14:00:00Z'));
const MINUTES = 5;

/** The emulator in this process, and its venue over `through`. */
function emulatedVenue(clock: VirtualClock, through: (transport: Transport) => Transport) {
  const kept = openMachine({ start: new Date(START).toISOString(), seed: 1 });
  const [account] = kept.machine.state.accounts;
  const key = kept.machine.state.keys.find(
    ({ userAddress, access }) => access === 'WRITABLE' && userAddress === account?.userAddress,
  );
  if (!account || !key) throw new Error('the emulator has no account');
  const client = createVenueClient({
    baseUrl: 'http://127.0.0.1:1',
    chainId: CHAIN_ID,
    product: PRODUCT,
    transport: through(createInProcessTransport({ front: openFront(kept, { clock }), clock })),
    clock,
    apiKey: key.apiKey,
    secret: key.secret,
    random: seededRandom(1),
    allow: [],
  });
  return createVenue(client, { userAddress: account.userAddress, spender: contracts.router });
}

/** A strategy that buys once, a minute after the start. */
const buysOnce = defineStrategy({
  name: 'bench',
  description: 'buys once',
  params: z.strictObject({}),
  data: () => ({}),
  create: () => ({
    onTimer({ order }) {
      taken();
      order.buy('AAPL', { notional: '1000' });
    },
  }),
});
const strategies = [
  {
    id: 'bench',
    capital: parseCash('10000'),
    needs: { quotes: ['AAPL'], timers: [{ name: 'buy', at: '10:01' }] },
    createRuntime: inProcess(buysOnce, {}),
  },
];

const rules = {
  limits: { orderNotional: parseCash('5000'), positionNotional: parseCash('9000') },
  ownLimits: new Map(),
  collarBps: 50,
  deadlineMs: 90_000,
  readsChain: false,
  fees: DOCUMENTED_FEES,
};

/** One order of a run on the emulator: to its first byte, and from its fill to the page. Then a request for the status of that run. */
async function emulated(folder: string): Promise<Record<string, Walk>> {
  const walks: Record<string, Walk> = {};
  const keep = (name: string) => void (walks[name] ??= taken());
  const clock = new VirtualClock({ start: START, pace: 'max' });
  let isFilled = false;
  const venue = emulatedVenue(clock, (transport) => ({
    async send(request) {
      if (request.uri.startsWith('/api/v1/orders/send')) keep('intent to first byte');
      const response = await transport.send(request);
      if (!isFilled && response.body.includes('"Filled"')) {
        isFilled = true;
        taken();
      }
      return response;
    },
  }));
  const file = join(folder, 'journal.sqlite');
  const listeners = new Set<(event: DaemonEvent) => void>();
  let length = 0;
  const runner = new Runner({
    venue,
    transferPort: venue,
    clock,
    journal: openSqliteJournal(file),
    calendar: tradingCalendar,
    treasury: {},
    rules,
    strategies,
    periods: { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 },
    until: { kind: 'instant', at: epochMs(START + MINUTES * 60_000) },
    killed: () => false,
    deliver: () => undefined,
    committed: (batch) => {
      const first = length + 1;
      length += batch.length;
      listeners.forEach((listener) => listener({ kind: 'committed', first, entries: batch }));
    },
  });
  const daemon = daemonOf(runner, { clock, listeners });
  const host = {
    monotonic: () => clock.monotonic(),
    after: (ms: number, run: () => void) => clock.at(epochMs(clock.now() + ms), run),
    turn: machine.turn,
  };
  const shared = { daemon, pages: new JournalPages(file, host), secrets: new Secrets() };
  const stream = new EventStream({ ...shared, host });
  const page = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (isFilled && chunk.includes('"settlement"')) keep('fill to the page');
      done();
    },
  });
  stream.add(Object.assign(page, { writeHead: () => page }) as unknown as ServerResponse, 0, {
    door: 'socket',
  });
  const finished = runner.run();
  const passing = clock.run();
  await finished;
  clock.stop();
  await passing;
  stream.close();
  const past = { ask: never, close: never };
  return { ...walks, status: await statusWalk(routesOf({ ...shared, stream, clock, past }), clock) };
}

/** A request for the status. The first one also prepares what later ones share. */
async function statusWalk(routes: readonly Route[], clock: VirtualClock): Promise<Walk> {
  const server = createControlServer({
    routes,
    identity,
    hasBegun: () => true,
    door: { kind: 'socket', user: 'bench', allowsMoney: () => false },
    clock,
    secrets: new Secrets(),
    log: silentLog,
  });
  const ask = () => server.inject({ url: '/v1/status', headers: { host: 'localhost' } });
  await ask();
  taken();
  const { statusCode } = await ask();
  const walk = taken();
  await server.close();
  if (statusCode !== 200) throw new Error(`the status was answered with ${statusCode}`);
  return walk;
}

const identity = {
  mode: 'emulator',
  account: 'bench',
  version: '0',
  stateDir: '/nowhere',
  pid: 1,
  startedAt: '2026-06-15T14:00:00Z',
  killFiles: [],
} as const;

const never = (): never => {
  throw new Error('nobody asks');
};

type RunParts = Readonly<{ clock: VirtualClock; listeners: Set<(event: DaemonEvent) => void> }>;

/** A run as its control API sees it. */
function daemonOf(runner: Runner, { clock, listeners }: RunParts): Daemon {
  const { context, reconciliation } = runner.kernel;
  const readiness = new Readiness({
    context,
    run: () => ({ obstacles: runner.obstacles, phase: runner.phase }),
  });
  return {
    identity,
    context,
    alarms: runner.alarms,
    health: () => readiness.look(clock.now()),
    status() {
      const now = clock.now();
      return statusOf({
        identity,
        isRunning: true,
        context,
        now,
        strategies,
        differences: differencesOf(reconciliation),
        dust: reconciliation.dust.all,
        alarms: [],
        health: readiness.look(now),
      });
    },
    standstill: never,
    metrics: never,
    command: never,
    refusal: never,
    progress: never,
    journalLength: never,
    notices: never,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const folder = mkdtempSync(join(tmpdir(), 'drover-walks-'));
try {
  const walks = { ...(await emulated(folder)), ...(await sessions()) };
  process.stdout.write(JSON.stringify(walks));
} finally {
  rmSync(folder, { recursive: true });
}
