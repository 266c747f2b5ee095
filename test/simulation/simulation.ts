import { ampleGas } from '../wallet/ampleGas.ts';
import type { TokenPayment } from '../../src/domain/corporateAction.ts';
import type { TradingRules } from '../../src/domain/limits.ts';
import { createVenueClient } from '../../src/api/client.ts';
import { createOrderTransactions } from '../../src/api/transactions.ts';
import { createVenue } from '../../src/api/venue.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { Clock } from '../../src/core/clock.ts';
import { isVenueFault, messageOf } from '../../src/core/errors.ts';
import { machineWatchdog, type ClockWatchdog } from '../../src/core/clockWatchdog.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { isUnanswered } from '../../src/domain/orders/order.ts';
import {
  memoryTransactionLog,
  transactionsOf,
  type TransactionLog,
} from '../../src/domain/transfers/transactionLog.ts';
import type { Venue } from '../../src/domain/venue.ts';
import { CHAIN_ID, contracts, PRODUCT } from '../../src/emulator/state/constants.ts';
import { createFront } from '../../src/emulator/http/front.ts';
import { createInProcessTransport } from '../emulator/http/inProcess.ts';
import { createRpcFront, type RpcFront } from '../../src/emulator/http/rpcFront.ts';
import { createCalldataVenue, withChain } from '../../src/venue/ownOrders.ts';
import type { Notice } from '../../src/engine/state/notice.ts';
import { Runner } from '../../src/engine/runtime/runner.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import { createRpc } from '../../src/wallet/rpc.ts';
import { Sender } from '../../src/wallet/sender.ts';
import { judgeBooks } from './checkpoints.ts';
import { Disk } from './disk.ts';
import { Director } from './director.ts';
import { EventLog } from './eventLog.ts';
import { FaceWitness } from './faceWitness.ts';
import { PERIODS } from './reloading.ts';
import { host } from './host.ts';
import { Judge, type Violation } from './judge.ts';
import { Life } from './life.ts';
import { Network } from './network.ts';
import { Multipliers } from './multipliers.ts';
import { inPhase } from './nightCounters.ts';
import { nodeCarrier } from './node.ts';
import { NotifiedRuns } from './notified.ts';
import { OperatorSide } from './operatorSide.ts';
import { planOf, type Plan, type PlanOptions } from './plan.ts';
import { PhaseWatch } from './phaseWatch.ts';
import { rulesOf } from './rules.ts';
import { noneYet, type Counters } from './sometimes.ts';
import { watchExits } from './watching.ts';
import { judgeEnd, judgeFlattened, judgeHealed } from './verdict.ts';
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

const LATENCY = { minMs: 15, maxMs: 60 };
const RESTART_MS = 20_000;
/** Why a run ends that an operator has stopped. */
const NIGHT_LIMITS = /\((orderNotional|positionNotional|grossExposure)\)/;
const STOPPED = /^asked to stop by /;
const SAMPLE_MS = 30_000;
/** Milliseconds after the last fault by which responses are found or fences pass, and alarms are raised about the rest. */
const HEALED_MS = 25 * 60_000;
const GAS = { ...ampleGas, gasMax: 2_000_000n };

export type SimulateOptions = PlanOptions & Readonly<{ keepLog?: boolean }>;

/** One run of the whole runner against the emulated venue, both in this process, determined by a seed. */
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
  readonly notified: NotifiedRuns;
  readonly network: Network;
  readonly director: Director;
  readonly #multipliers: Multipliers;
  readonly operator: OperatorSide;
  readonly #node: RpcFront;
  readonly #faceWitness: FaceWitness;
  readonly alarms: string[] = [];
  rules: TradingRules;
  life: Life | null = null;
  runner: Runner | null = null;
  skewMs = 0;
  #lives = 0;
  #ended = false;
  /** Time at which the present process started, to recognise one that dies in its recovery. */
  #bornAt = -Infinity;

  constructor(plan: Plan, { keepLog = false }: SimulateOptions) {
    this.plan = plan;
    this.time = new VirtualClock({ start: plan.start, pace: 'max', host });
    this.log = new EventLog(keepLog);
    const random = (what: string) => seededRandom(`${what} ${plan.seed}`);
    this.venue = new VenueSide(plan, random('chain'), this.sometimes);
    this.judge = new Judge(this.venue, plan, this.sometimes);
    this.rules = rulesOf(plan);
    const isFull = () => this.disk.full;
    const { sometimes, time } = this;
    const { seed, start } = plan;
    this.notified = new NotifiedRuns({ seed, start, sometimes, isFull, now: () => time.now() });
    const phases = new PhaseWatch((detail) => this.judge.accuse('P1', detail), sometimes);
    this.disk = new Disk((batch) => {
      this.notified.committed(batch);
      this.judge.committed(batch, this.time.now());
      for (const entry of batch) phases.take(entry);
      for (const { fact } of batch)
        if (fact.kind === 'paidInTokens') this.#grown(fact);
        else if (fact.kind === 'order') this.tell('journal', `${fact.id} ${fact.event.kind}`);
        else if (fact.kind === 'planned') this.operator.planned();
        else if (fact.kind === 'flattened' && fact.why.startsWith('nothing is left'))
          judgeFlattened(this, fact.id);
    });
    const way = { machine: this.venue.machine, clock: this.time, latency: LATENCY, keep: () => undefined };
    const front = createFront(way);
    this.#node = createRpcFront(way);
    this.#faceWitness = new FaceWitness({
      face: plan.face,
      state: this.venue.machine.state,
      time: this.time,
      sometimes: this.sometimes,
    });
    this.#multipliers = new Multipliers({
      lie: plan.tokens?.lie ?? null,
      random: random('multipliers'),
      sometimes,
      isHealed: () => time.now() >= plan.healAt,
    });
    this.network = new Network({
      plan,
      time: this.time,
      random: random('network'),
      sometimes: this.sometimes,
      wire: createInProcessTransport({ front, clock: this.time }),
      isAccepted: (nonce) => this.venue.acceptedMarks.has(nonce),
      tell: (text) => this.tell('network', text),
      onSend: (request) => {
        this.tell('network', `${request.method} ${request.uri} ${request.body}`);
        this.judge.leaves(request, this.time.now());
      },
      onAnswer: (request, answer, begun) =>
        this.judge.answered(request, answer, { begun, now: this.time.now() }),
    });
    this.venue.onHandled = (mark, isSend) => {
      if (this.venue.acceptedMarks.has(mark)) this.life?.passes('afterAcceptance', isSend);
    };
    this.venue.onTransaction = (txHash) => this.#faceWitness.taken(txHash);
    this.venue.onMined = (now) => this.#moved(now);
    this.director = new Director(this);
    this.operator = new OperatorSide(this);
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
    this.director.arm();
    this.operator.arm();
    this.#sample();
    if (plan.bounded) time.at(plan.healAt, () => this.#expectHealing());
    this.start();
    await time.advanceTo(plan.endAt);
    this.#ended = true;
    this.runner?.stop('the simulation is over');
    await time.advanceBy(120_000);
    this.director.tally();
    judgeEnd(this);
    const { requests } = this.venue.machine.state;
    return {
      seed: plan.seed,
      violations: this.judge.violations,
      sometimes: this.sometimes,
      virtualMs: plan.sessions.reduce((sum, { open, close }) => sum + close - open, 0),
      orders: this.judge.sends.size,
      requests: Object.values(requests).reduce((sum, { received }) => sum + received, 0),
      digest: this.#digest(),
      lines: this.log.lines,
    };
  }

  /** Lets the judge check the money whenever it may have moved. */
  #moved(now: EpochMs): void {
    const { judge, venue, life, runner } = this;
    judge.mined(now);
    if (life?.alive && runner) judge.standing.sample(venue, runner.kernel.context.accountState, now);
  }

  /** Repeats this check, so that moves without a block are not missed. */
  #sample(): void {
    const { time } = this;
    this.#moved(time.now());
    watchExits(this);
    time.at(epochMs(time.now() + SAMPLE_MS), () => this.#sample());
  }

  /** Schedules the check that everything unknown at the end of the faults is resolved. */
  #expectHealing(): void {
    const live = [...(this.runner?.kernel.context.accountState.live.values() ?? [])];
    const unanswered = live.filter(isUnanswered).map(({ id }) => id);
    this.time.at(epochMs(this.time.now() + HEALED_MS), () => judgeHealed(this, unanswered));
  }

  #digest(): string {
    for (const line of this.disk.lines) this.log.add(this.plan.endAt, 'line', line);
    return this.log.digest();
  }

  /** Starts a new process on the same disk. */
  start(): void {
    const { time, plan } = this;
    const crash = time.now() < plan.healAt ? (plan.crashes[this.#lives] ?? null) : null;
    this.#lives++;
    this.#bornAt = time.now();
    const life = new Life({ time, skewMs: () => this.skewMs, crash, onDeath: (why) => this.#died(why) });
    this.life = life;
    this.judge.born();
    this.tell('process', 'starts');
    judgeBooks(this);
    const runner = this.#runner(life);
    this.runner = runner;
    runner.run().then(
      ({ stop }) => this.#exited(life, null, stop.why),
      (error: unknown) => this.#exited(life, error),
    );
    this.notified.begin(runner, life.clock());
    this.operator.born();
    const { accountState } = runner.kernel.context;
    this.judge.believes(accountState);
    const kinds = new Set([...accountState.live.values()].map(({ state }) => state.kind));
    if (kinds.has('unknown')) this.sometimes.restartWithUnknown++;
    if (kinds.has('working')) this.sometimes.restartWithWorking++;
  }

  #runner(life: Life): Runner {
    const { plan } = this;
    const clock = life.clock();
    const { strategies } = plan;
    return new Runner({
      clock,
      strategies,
      calendar: tradingCalendar,
      periods: PERIODS,
      until: { kind: 'stopped' },
      venue: this.#venueOf(life, clock),
      journal: this.disk.journal(life, () => this.sometimes.diskFull++, plan.checkpoints),
      ...(plan.checkpoints && { checkpointEvery: plan.checkpoints.every }),
      rules: this.rules,
      killed: () => this.operator.killFiles.size > 0,
      ...(this.#standsStill ? { watchdog: pulseOf(clock) } : {}),
      deliver: (notice) => this.#noticed(life, notice),
      alarms: this.notified.born(life, clock),
      committed: (entries) => this.notified.take({ kind: 'committed', first: 0, entries }),
    });
  }

  /** True when a run needs the clock watchdog, because its clock or process stands still at some time. */
  get #standsStill(): boolean {
    return this.plan.episodes.some(({ kind }) => kind === 'pause' || kind === 'skew');
  }

  /** Composes the venue adapter as `drover run` does. */
  #venueOf(life: Life, clock: Clock): Venue {
    const { plan, venue, time } = this;
    const { userAddress, apiKey, secret } = venue.key;
    const client = createVenueClient({
      baseUrl: 'http://127.0.0.1',
      chainId: CHAIN_ID,
      product: PRODUCT,
      clock,
      apiKey,
      secret,
      random: seededRandom(`nonces ${plan.seed} ${this.#lives}`),
      transport: this.network.transport(life),
      ...(plan.submission === 'calldata' ? { allow: ['calldata', 'record'] as const } : {}),
    });
    const oneClick = createVenue(client, { userAddress });
    if (plan.submission === 'one-click') return oneClick;
    const carrier = nodeCarrier({
      front: this.#node,
      time,
      life,
      multipliers: this.#multipliers,
      name: `life ${this.#lives}`,
      isOut: () => time.now() < this.network.outageUntil,
      onSend: (txHash) => this.#offered(txHash),
      onAnswer: (body, answer) => this.#faceWitness.answered(body, answer),
    });
    const rpc = createRpc({ url: 'http://127.0.0.1', clock, carrier });
    const chain = createChain(rpc);
    if (plan.submission === 'watched') return withChain(oneClick, chain);
    const wallet = walletOf(venue.privateKey);
    return createCalldataVenue({
      venue: oneClick,
      transactions: createOrderTransactions(client),
      chain,
      chainId: CHAIN_ID,
      sender: new Sender({ wallet, rpc, chain, clock, gas: GAS, log: this.#signed() }),
      router: contracts.router,
      onUnlinked: () => undefined,
    });
  }

  /** Transactions signed by earlier processes, read from their journal. */
  #signed(): TransactionLog {
    return memoryTransactionLog(transactionsOf(this.disk.entries()).signed);
  }

  #grown(payment: TokenPayment): void {
    this.sometimes.dividendInTokens++;
    this.director.grown(payment);
  }

  #offered(txHash: string): void {
    this.tell('network', `transaction ${txHash}`);
    const isAgain = this.judge.offered(txHash, this.time.now());
    this.sometimes[isAgain ? 'sameBytesAgain' : 'ownTransaction']++;
  }

  #noticed(life: Life, notice: Notice): void {
    const { kind, strategyId, text, about } = notice;
    if (!life.alive) return;
    this.notified.take({ kind: 'notice', notice });
    this.tell(strategyId ?? 'runner', `${kind}: ${text}`);
    if (kind === 'alarm') this.alarms.push(text);
    if (about !== undefined && kind !== 'info') this.judge.exits.told(about, kind === 'clear');
    if (/\((positionNotional|grossExposure)\)/.test(text)) this.sometimes.capReached++;
    const isOutside = tradingCalendar.phaseAt(epochMs(this.time.now())).phase !== 'regular';
    if (isOutside && NIGHT_LIMITS.test(text)) this.sometimes.nightLimitReached++;
    if (kind === 'alarm' && about?.startsWith('dividend ') && this.#multipliers.hasLied)
      this.sometimes.multiplierRefused++;
    if (kind === 'alarm' && text.includes('limits.fillBandBps')) this.sometimes.fillOffMarket++;
    if (text.startsWith('stopped by its own error')) this.judge.accuse('crash', text);
  }

  #died(why: string): void {
    this.tell('process', why);
    this.judge.held.died();
    this.sometimes.crash++;
    const crashed = inPhase('crash', tradingCalendar.phaseAt(epochMs(this.time.now())).phase);
    if (crashed) this.sometimes[crashed]++;
    if (why.includes('Commit')) this.sometimes.crashAtCommit++;
    if (why.includes('checkpoint')) this.sometimes.crashAtCheckpoint++;
    if (why.includes('afterAcceptance')) this.sometimes.crashAfterAcceptance++;
    if (this.time.now() - this.#bornAt < 1_000) this.sometimes.recoveryTwice++;
    this.operator.died();
    this.#again();
  }

  /**
   * Handles a process that ended by itself: in order, because the journal failed, or because the venue did not answer
   * at the start.
   */
  #exited(life: Life, error: unknown, why = ''): void {
    if (!life.alive || this.#ended) return;
    life.alive = false;
    this.operator.died();
    if (messageOf(error) === 'disk full' && this.time.now() - this.#bornAt < 1_000)
      this.sometimes.diskFullAtStart++;
    this.tell('process', `exits: ${error === null ? 'in order' : messageOf(error)}`);
    const isExpected =
      isVenueFault(error) || messageOf(error) === 'disk full' || (error === null && STOPPED.test(why));
    if (!isExpected)
      this.judge.accuse('crash', error instanceof Error ? (error.stack ?? '') : 'ended by itself');
    this.#again();
  }

  #again(): void {
    if (!this.#ended) this.time.at(epochMs(this.time.now() + RESTART_MS), () => this.start());
  }
}

const pulseOf = (clock: Clock): ClockWatchdog =>
  machineWatchdog({
    monotonic: () => clock.monotonic(),
    wall: () => clock.now(),
    after: (ms, run) => clock.at(epochMs(clock.now() + ms), run),
  });
