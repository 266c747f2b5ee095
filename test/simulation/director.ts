import { formatDecimal } from '../../src/core/amount.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { TokenPayment } from '../../src/domain/corporateAction.ts';
import { ticker, type Ticker } from '../../src/domain/instrument.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { parseCommand, type Command } from '../../src/emulator/machine/commands.ts';
import { balanceOf } from '../../src/emulator/state/ledger.ts';
import type { ChainFault, Plan, Timed } from './plan.ts';
import { NODE_RULES, type Struck } from './sometimes.ts';
import { drawnOf, planFrom, sendsOf, type Drawn } from './switches.ts';
import type { Simulation } from './simulation.ts';

const STOCKS = ['AAPL', 'NVDA', 'MSFT', 'KO'];
const EVENING_MS = 30 * 60_000;
/** Time in ms before the end of a phase at which an exit is touched: its sale still leaves, and does not fill before the end. */
const LATE_MS = 45_000;
/** Falls then: after ms, to a part of the stop in thousandths. */
const LATE_FALLS = [
  [1, 998n],
  [LATE_MS - 20_000, 980n],
] as const;
/** Time in ms after a dividend in tokens, until its shares come again. */
const AGAIN_MS = 120_000;
/** Longer than an order stays unanswered before its fence can open. */
const LOOK_MS = 150_000;
const REORG_BLOCKS_MAX = 40;
/** Longest fork: blocks come at least every five seconds. */
const REORG_MS = REORG_BLOCKS_MAX * 5_000;

/** A node refuses some sends of the wallet at any time: each client in its own words. */
const BUSY_NOW_AND_THEN = {
  kind: 'busy-node',
  why: 'overloaded',
  on: 'node',
  endpoint: 'eth_sendRawTransaction',
  probability: 0.02,
} as const;

/** Starts the episodes of a plan at their times, and ends them again. */
export class Director {
  readonly #simulation: Simulation;
  readonly #random;
  /** Faults of the emulator in force now. */
  readonly #drawn = new Set<Drawn>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#random = seededRandom(`director ${simulation.plan.seed}`);
  }

  arm(): void {
    const { plan, time, sometimes } = this.#simulation;
    for (const episode of plan.episodes) {
      const until = epochMs(Math.min(episode.at + episode.ms, plan.healAt));
      time.at(episode.at, () => {
        this.#simulation.tell('director', `${episode.kind} until ${new Date(until).toISOString()}`);
        const undo = this.#begin({ ...episode, ms: until - episode.at });
        if (undo) time.at(until, undo);
      });
    }
    this.#setFaults();
    time.at(plan.healAt, () => this.#heal());
    if (plan.sessions[0]?.early) sometimes.earlyClose++;
    this.#close();
    const { action, sessions } = plan;
    for (const end of plan.nights ? phaseEndsOf(plan) : [])
      time.at(epochMs(end - LATE_MS), () => this.#touchLate());
    const evening = (sessions[0]?.close ?? 0) + EVENING_MS;
    if (action !== null) time.at(epochMs(evening), () => this.#announce(action));
  }

  #command(command: Command): void {
    try {
      this.#simulation.venue.machine.command(command, this.#simulation.time.now());
    } catch {
      // A withdrawal beyond the balance: not an error of the run.
    }
  }

  /** Starts an episode; returns the function that ends it, if it lasts. */
  #begin({ kind, ms }: Timed): (() => void) | null {
    const { sometimes, venue, network, time, disk, judge } = this.#simulation;
    const { userAddress, apiKey } = venue.key;
    const roll = this.#random.next();
    switch (kind) {
      case 'outage':
        network.outageUntil = time.now() + ms;
        return null;
      case 'indexerLag':
        sometimes.indexerStall++;
        if (ms > LOOK_MS) sometimes.indexerLagBeyondLook++;
        return this.#wrong({ indexerLagMs: ms });
      case 'aftermath':
        judge.moved.add('all');
        return this.#drawnWrong(kind);
      case 'venueClock':
        sometimes.venueClock++;
        return this.#drawnWrong(kind);
      case 'rateLimit':
        sometimes.busyVenue++;
        return this.#drawnWrong(kind);
      case 'blocks':
        sometimes.slowBlocks++;
        return this.#drawnWrong(kind);
      case 'messages':
      case 'lists':
      case 'rows':
      case 'forms':
      case 'settling':
      case 'cancelling':
      case 'reverts':
      case 'node':
      case 'falseEnds':
      case 'falseRefusals':
      case 'falseReceipts':
      case 'falseListings':
      case 'falseSettlements':
      case 'falseRows':
      case 'endlessLists':
      case 'busyNode':
      case 'falseAccounts':
      case 'hiddenHashes':
      case 'lateExecution':
      case 'offMarket':
        return this.#drawnWrong(kind);
      case 'falsePrices':
        return this.#lieAboutPrice();
      case 'lateIndexer':
        sometimes.indexerStall++;
        sometimes.indexerLagBeyondLook++;
        this.#touchExits(epochMs(time.now() + ms));
        return this.#wrong({ indexerLagMs: ms });
      case 'oneClickGone':
        sometimes.oneClickGone++;
        this.#command({ kind: 'delegation', body: { userAddress, status: 'disabled' } });
        return () => this.#command({ kind: 'delegation', body: { userAddress, status: 'enable' } });
      case 'diskFullAtStart':
        disk.full = true;
        this.#simulation.life?.die('killed, and the disk is full');
        return () => void (disk.full = false);
      case 'walletElsewhere':
        venue.sendElsewhere(time.now(), roll < 0.6);
        return null;
      case 'reorg':
        return this.#reorg(ms, roll);
      case 'frozenPrices':
        sometimes.frozenPrices++;
        this.#command({ kind: 'quotes', body: { frozen: true } });
        return () => this.#command({ kind: 'quotes', body: { frozen: false } });
      case 'delegationWord':
        sometimes.delegationWord++;
        this.#command({ kind: 'delegation', body: { userAddress, status: 'paused' } });
        return () => this.#command({ kind: 'delegation', body: { userAddress, status: 'enable' } });
      case 'keyMoved':
        sometimes.keyMoved++;
        this.#command({ kind: 'keys', body: { apiKey, ipWhitelist: [] } });
        return () => this.#command({ kind: 'keys', body: { apiKey, ipWhitelist: ['127.0.0.1'] } });
      case 'delegationOff':
        sometimes.delegationOff++;
        this.#command({ kind: 'delegation', body: { userAddress, status: 'disabled' } });
        return () => this.#command({ kind: 'delegation', body: { userAddress, status: 'enable' } });
      case 'keyOff':
        sometimes.keyOff++;
        this.#command({ kind: 'keys', body: { apiKey, active: false } });
        return () => this.#command({ kind: 'keys', body: { apiKey, active: true } });
      case 'foreignOrder':
        judge.moved.add('KO').add('mUSD');
        venue.placeForeign(time.now());
        return null;
      case 'foreignMove':
        return this.#move(
          STOCKS[Math.floor(roll * STOCKS.length)] ?? 'KO',
          this.#random.next() < 0.5 ? '3' : '-3',
        );
      case 'withdrawal':
        // Before the books are opened it leaves strategies without their capital, and a start is rightly refused.
        if (!this.#simulation.runner?.kernel.context.accountState.opened) return null;
        return this.#move('mUSD', roll < 0.3 ? '1000' : `-${formatDecimal((this.#cash() * 97n) / 100n)}`);
      case 'skew': {
        sometimes.clockSkew++;
        const skew = Math.round((roll - 0.5) * (this.#random.next() < 0.5 ? 20_000 : 120_000));
        this.#skew(skew);
        return () => this.#skew(0);
      }
      case 'pause':
        sometimes.paused++;
        this.#simulation.life?.pause(ms);
        return null;
      case 'diskFull':
        disk.full = true;
        return () => void (disk.full = false);
      case 'crash':
        this.#simulation.life?.die('killed at no particular place');
        return null;
      case 'priceJump': {
        const symbol = STOCKS[Math.floor(roll * STOCKS.length)] ?? 'KO';
        judge.jumped(time.now());
        this.#command({
          kind: 'market',
          body: { symbol, price: (20 + 400 * this.#random.next()).toFixed(2) },
        });
        return null;
      }
    }
  }

  /** Shows a false price twice. If it touches an exit, the judge's knowledge of that stock is unsure. */
  #lieAboutPrice(): (() => void) | null {
    const drawn = drawnOf('falsePrices', this.#simulation.plan.submission, this.#random);
    const [rule] = (drawn?.rules ?? []) as { symbol: string }[];
    if (!drawn || !rule) return null;
    this.#simulation.venue.lied.add(ticker(rule.symbol));
    this.#simulation.sometimes.priceLied++;
    return this.#wrong(drawn);
  }

  /** While the indexer is late, has the price fall to the stop of an exit, as soon as one is armed. */
  #touchExits(until: EpochMs): void {
    const { judge, time, sometimes } = this.#simulation;
    const armed = judge.held.live.find(
      ({ isArmed, isEnding, triggeredAt }) => isArmed && !isEnding && triggeredAt === null,
    );
    const { stop = null, order } = armed ?? {};
    const price = order && judge.priceRead(order.symbol);
    if (order && stop !== null && price && price > stop && stop * 100n > price * 90n) {
      sometimes.touchedWhileLate++;
      this.#command({
        kind: 'market',
        body: { symbol: order.symbol, price: formatDecimal((stop * 998n) / 1000n) },
      });
    } else if (time.now() < until) time.at(epochMs(time.now() + 30_000), () => this.#touchExits(until));
  }

  /** Shortly before a phase ends, has the price fall to the stop of an exit of that phase, and then below the limit of its sale. */
  #touchLate(): void {
    const { judge, time } = this.#simulation;
    const armed = judge.held.live.find(
      ({ order, isArmed, isEnding, triggeredAt }) =>
        order.phases !== undefined && isArmed && !isEnding && triggeredAt === null,
    );
    const { stop = null, order } = armed ?? {};
    const price = order && judge.priceRead(order.symbol);
    if (!order || stop === null || !price || price <= stop) return;
    for (const [ms, permille] of LATE_FALLS)
      time.at(epochMs(time.now() + ms), () =>
        this.#command({
          kind: 'market',
          body: { symbol: order.symbol, price: formatDecimal((stop * permille) / 1_000n) },
        }),
      );
  }

  #drawnWrong(kind: Timed['kind']): (() => void) | null {
    const drawn = drawnOf(kind, this.#simulation.plan.submission, this.#random);
    if (drawn) this.#simulation.tell('director', JSON.stringify(drawn));
    return drawn && this.#wrong(drawn);
  }

  /** Starts a fault; returns the function that ends it. */
  #wrong(drawn: Drawn): () => void {
    this.#drawn.add(drawn);
    this.#setFaults();
    return () => {
      if (this.#drawn.delete(drawn)) this.#setFaults();
    };
  }

  #heal(): void {
    this.tally();
    this.#drawn.clear();
    this.#command({ kind: 'faults', body: { rules: [], node: this.#simulation.plan.face } });
  }

  /** Sets the faults of the emulator. Rules of the chain, which are always in force, come last. */
  #setFaults(): void {
    const { plan, time } = this.#simulation;
    if (time.now() >= plan.healAt) return;
    this.tally();
    const of = (fault: ChainFault) => ({
      ...sendsOf(plan.submission),
      probability: plan.chain.get(fault) ?? 0,
    });
    const rules = [
      { kind: 'unmined', ...of('neverMined') },
      { kind: 'mined-late', ms: 20_000, ...of('minedLate') },
      { kind: 'mined-late', ms: 110_000, ...of('minedLate') },
      { kind: 'revert', cause: 'out of gas', ...of('outOfGas') },
      ...(plan.submission === 'calldata' ? [BUSY_NOW_AND_THEN] : []),
    ];
    const body = { ...planFrom([...this.#drawn, { rules }]), node: plan.face };
    this.#command(parseCommand('faults', body));
  }

  /** Counts the requests that triggered the rules in force. */
  tally(): void {
    const { sometimes, venue } = this.#simulation;
    for (const { rule, struck } of venue.machine.state.faults) {
      sometimes[`${rule.on === 'node' && isMessage(rule.kind) ? 'node' : 'rule'} ${rule.kind}` as Struck] +=
        struck;
      if (rule.kind === 'busy-node') sometimes[`busy ${rule.why}`] += struck;
      if (rule.kind === 'list' && rule.how === 'endless') sometimes.endlessList += struck;
      if (rule.kind === 'false-end' && rule.account) sometimes.accountLied += struck;
      if (rule.kind === 'mined-late' && rule.hidden) sometimes.hashHidden += struck;
    }
  }

  /** Forks the chain, unless the branch would outlive the faults. */
  #reorg(ms: number, roll: number): null {
    const { sometimes, judge } = this.#simulation;
    if (ms < REORG_MS) return null;
    sometimes.reorg++;
    judge.moved.add('all');
    const blocks = 1 + Math.floor(roll * REORG_BLOCKS_MAX);
    this.#command({ kind: 'reorg', body: { blocks, returns: this.#random.next() < 0.6 } });
    return null;
  }

  /** Gives the venue hours that no calendar has. */
  #close(): void {
    const { plan, sometimes } = this.#simulation;
    if (plan.closure === null) return;
    sometimes.unknownClosure++;
    this.#command({ kind: 'session', body: { date: plan.sessions[0]?.date ?? '', close: plan.closure } });
  }

  #skew(ms: number): void {
    this.#simulation.skewMs = ms;
    this.#simulation.judge.skewMs = Math.max(Math.abs(ms), this.#simulation.judge.skewMs);
  }

  #cash(): bigint {
    const { machine, key } = this.#simulation.venue;
    return balanceOf(machine.state.balances, { holder: key.userAddress, bucket: 'exchange' }, 'mUSD');
  }

  #move(asset: string, amount: string): null {
    const { venue, sometimes, judge } = this.#simulation;
    sometimes.foreignMove++;
    judge.moved.add(asset);
    this.#command({ kind: 'move', body: { userAddress: venue.key.userAddress, asset, amount } });
    return null;
  }

  /** A stock that the account has; undefined for none. */
  get #owned(): Ticker | undefined {
    const { runner, plan } = this.#simulation;
    const { ledger } = runner?.kernel.context.accountState ?? {};
    const owned = [...(ledger?.assets ?? [])].flatMap((asset) =>
      asset !== 'mUSD' && ledger?.total(asset) ? [asset] : [],
    );
    return owned[plan.seed % owned.length];
  }

  /** Handles a dividend that was booked as shares: some time later as many arrive again, unannounced. */
  grown({ id, parts }: TokenPayment): void {
    const { time, plan, sometimes } = this.#simulation;
    const [symbol = ''] = id.split(' ');
    const came = parts.reduce((sum, [, amount]) => sum + amount, 0n);
    if (!plan.tokens?.comesAgain || came === 0n) return;
    time.at(epochMs(time.now() + AGAIN_MS), () => {
      sometimes.grownUnannounced++;
      this.#move(symbol, formatDecimal(came));
    });
  }

  /** Announces an action for the open of the second session, of a stock with an order that the runner holds, or one that waits, if there is one. */
  #announce(type: NonNullable<Plan['action']>): void {
    const { plan, sometimes, judge, runner } = this.#simulation;
    const exDate = plan.sessions[1]?.date;
    const waiting = [...(runner?.kernel.context.accountState.intents.values() ?? [])];
    const [held] = judge.held.live;
    const symbol = held?.order.symbol ?? waiting[0]?.symbol ?? this.#owned ?? 'NVDA';
    this.#simulation.tell('director', `${type} of ${symbol} on ${exDate ?? '?'}`);
    judge.moved.add(symbol).add('mUSD');
    if (type === 'cash_dividend' || type === 'spin_off') {
      sometimes.dividend++;
      const cashPerShare = plan.nights ? '0.2' : '0.05';
      return this.#command({ kind: 'corporate-action', body: { type, symbol, exDate, cashPerShare } });
    }
    if (waiting.some((intent) => intent.symbol === symbol)) sometimes.splitWithOpenOrder++;
    const [oldRate, newRate] = type === 'forward_split' ? ['1', '4'] : ['5', '1'];
    this.#command({ kind: 'corporate-action', body: { type, symbol, exDate, oldRate, newRate } });
  }
}

/** Ends of the phases between two sessions. */
function phaseEndsOf({ sessions: [first, second] }: Plan): readonly EpochMs[] {
  const ends: EpochMs[] = [];
  if (!first || !second) return ends;
  for (let at = first.close; at < second.open; at = tradingCalendar.phaseAt(at).nextChange) ends.push(at);
  return [...ends.slice(1), second.open];
}

const isMessage = (kind: string): boolean => (NODE_RULES as readonly string[]).includes(kind);
