import { createVenueClient } from '../../src/api/client.ts';
import { createVenue } from '../../src/api/venue.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { cash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { machine, type Host } from '../../src/core/clock.ts';
import { isVenueFault, messageOf } from '../../src/core/errors.ts';
import { seededRandom } from '../../src/core/random.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { CHAIN_ID, PRODUCT } from '../../src/emulator/deployment.ts';
import { createFront } from '../../src/emulator/front.ts';
import { createInProcessTransport } from '../../src/emulator/inProcess.ts';
import type { Notice } from '../../src/engine/notice.ts';
import { Runner } from '../../src/engine/runner.ts';
import { buyCost } from '../../src/sim/fees.ts';
import { Disk } from './disk.ts';
import { Director } from './director.ts';
import { EventLog } from './eventLog.ts';
import { Judge, LIMITS, type Violation } from './judge.ts';
import { Life } from './life.ts';
import { Network } from './network.ts';
import { planOf, type Plan, type PlanOptions } from './plan.ts';
import { noneYet, type Counters } from './sometimes.ts';
import { strategiesFor } from './strategies.ts';
import { judgeEnd } from './verdict.ts';
import { VenueSide } from './venueSide.ts';

export type Simulated = Readonly<{
  seed: number;
  violations: readonly Violation[];
  sometimes: Counters;
  virtualMs: number;
  digest: string;
  lines: readonly string[];
  orders: number;
  requests: number;
}>;

const PERIODS = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 };
const LATENCY = { minMs: 15, maxMs: 60 };
const RESTART_MS = 20_000;

/** Nothing here waits for a socket or a file, so what can be ready is ready without a turn of the event loop. */
const host: Host = { ...machine, turn: () => new Promise((resolve) => process.nextTick(resolve)) };

export type SimulateOptions = PlanOptions & Readonly<{ keepLog?: boolean }>;

/** One run of the whole runner against the emulated venue, both in this process, as one seed decides it. */
export const simulate = (seed: number, options: SimulateOptions = {}): Promise<Simulated> =>
  new Simulation(planOf(seed, options), options).run();

export class Simulation {
  readonly plan: Plan;
  readonly time: VirtualClock;
  readonly log: EventLog;
  readonly sometimes = noneYet();
  readonly venue: VenueSide;
  readonly judge: Judge;
  readonly disk: Disk;
  readonly network: Network;
  readonly alarms: string[] = [];
  life: Life | null = null;
  runner: Runner | null = null;
  skewMs = 0;
  #lives = 0;
  #ended = false;
  /** Died within its recovery, so that the next one recovers from a recovery. */
  #bornAt = -Infinity;

  constructor(plan: Plan, { keepLog = false }: SimulateOptions) {
    this.plan = plan;
    this.time = new VirtualClock({ start: plan.start, pace: 'max', host });
    this.log = new EventLog(keepLog);
    const random = (what: string) => seededRandom(`${what} ${plan.seed}`);
    this.venue = new VenueSide(plan, random('chain'), this.sometimes);
    this.judge = new Judge(this.venue);
    this.disk = new Disk((batch) => {
      this.judge.committed(batch);
      for (const { fact } of batch)
        if (fact.kind === 'order') this.tell('journal', `${fact.id} ${fact.event.kind}`);
    });
    const front = createFront({
      ...{ machine: this.venue.machine, clock: this.time, latency: LATENCY },
      keep: () => undefined,
    });
    this.network = new Network({
      ...{ plan, time: this.time, random: random('network'), sometimes: this.sometimes },
      wire: createInProcessTransport({ front, clock: this.time }),
      isAccepted: (nonce) => this.venue.acceptedNonces.has(nonce),
      tell: (text) => this.tell('network', text),
      onSend: (request) => {
        this.tell('network', `${request.method} ${request.uri} ${request.body}`);
        this.judge.leaves(request, this.time.now());
      },
      onAnswer: (request, answer) => this.judge.answered(request, answer, this.time.now()),
    });
    this.venue.onHandled = (nonce, { method }) => {
      if (this.venue.acceptedNonces.has(nonce)) this.life?.passes('afterAcceptance', method !== 'GET');
    };
    this.venue.onOrder = (nonce, order, now) => {
      this.tell('venue', `takes ${order.side} ${order.symbol} ${order.txHash.slice(0, 10)}`);
      this.judge.accepted(nonce, order, now);
    };
  }

  tell(who: string, text: string): void {
    this.log.add(this.time.now(), who, text);
  }

  async run(): Promise<Simulated> {
    const { plan, time } = this;
    new Director(this).arm();
    this.start();
    await time.advanceTo(plan.endAt);
    this.#ended = true;
    this.runner?.stop('the simulation is over');
    await time.advanceBy(120_000);
    judgeEnd(this);
    const { requests } = this.venue.machine.state;
    return {
      ...{ seed: plan.seed, violations: this.judge.violations, sometimes: this.sometimes },
      virtualMs: plan.sessions.reduce((sum, { open, close }) => sum + close - open, 0),
      orders: this.judge.sends.size,
      requests: Object.values(requests).reduce((sum, { received }) => sum + received, 0),
      ...{ digest: this.#digest(), lines: this.log.lines },
    };
  }

  #digest(): string {
    for (const line of this.disk.lines) this.log.add(this.plan.endAt, 'line', line);
    return this.log.digest();
  }

  /** A new process on the same disk. */
  start(): void {
    const { time, plan } = this;
    const crash = time.now() < plan.healAt ? (plan.crashes[this.#lives] ?? null) : null;
    this.#lives++;
    this.#bornAt = time.now();
    const life = new Life({ time, skewMs: () => this.skewMs, crash, onDeath: (why) => this.#died(why) });
    this.life = life;
    this.judge.born();
    this.tell('process', 'starts');
    const runner = this.#runner(life);
    this.runner = runner;
    runner.run().then(
      () => this.#exited(life, null),
      (error: unknown) => this.#exited(life, error),
    );
    const { books } = runner.kernel.desk;
    const kinds = new Set([...books.live.values()].map(({ state }) => state.kind));
    if (kinds.has('unknown')) this.sometimes.restartWithUnknown++;
    if (kinds.has('working')) this.sometimes.restartWithWorking++;
  }

  #runner(life: Life): Runner {
    const { plan, venue } = this;
    const clock = life.clock();
    const client = createVenueClient({
      ...{ baseUrl: 'http://127.0.0.1', chainId: CHAIN_ID, product: PRODUCT, clock },
      ...{ apiKey: venue.key.apiKey, secret: venue.key.secret },
      random: seededRandom(`nonces ${plan.seed} ${this.#lives}`),
      transport: this.network.transport(life),
    });
    const strategies = strategiesFor(plan.seed);
    return new Runner({
      ...{ clock, strategies, calendar: tradingCalendar, periods: PERIODS, until: { kind: 'stopped' } },
      venue: createVenue(client, { userAddress: venue.key.userAddress }),
      journal: this.disk.journal(life, () => this.sometimes.diskFull++),
      rules: {
        limits: LIMITS,
        ownLimits: new Map(),
        ...{ collarBps: 50, deadlineMs: 90_000 },
        costOf: (notional) => buyCost(cash(notional)).total,
        ...(plan.assumeGoneAfterMs === null ? {} : { assumeGoneAfterMs: plan.assumeGoneAfterMs }),
      },
      killed: () => false,
      tell: (notice) => this.#noticed(life, notice),
    });
  }

  #noticed(life: Life, { kind, owner, text }: Notice): void {
    if (!life.alive) return;
    this.tell(owner ?? 'runner', `${kind}: ${text}`);
    if (kind === 'alarm') this.alarms.push(text);
    if (text.startsWith('stopped by its own error')) this.judge.accuse('crash', text);
  }

  #died(why: string): void {
    this.tell('process', why);
    this.sometimes.crash++;
    if (why.includes('Commit')) this.sometimes.crashAtCommit++;
    if (why.includes('afterAcceptance')) this.sometimes.crashAfterAcceptance++;
    if (this.time.now() - this.#bornAt < 1_000) this.sometimes.recoveryTwice++;
    this.#again();
  }

  /** Ended by itself: in order, because the journal failed, or because the venue did not answer at the start. */
  #exited(life: Life, error: unknown): void {
    if (!life.alive || this.#ended) return;
    life.alive = false;
    this.tell('process', `exits: ${error === null ? 'in order' : messageOf(error)}`);
    const isExpected = isVenueFault(error) || messageOf(error) === 'disk full';
    if (!isExpected)
      this.judge.accuse('crash', error instanceof Error ? (error.stack ?? '') : 'ended by itself');
    this.#again();
  }

  #again(): void {
    if (!this.#ended) this.time.at(epochMs(this.time.now() + RESTART_MS), () => this.start());
  }
}
