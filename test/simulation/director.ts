import { formatDecimal } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/random.ts';
import type { Command } from '../../src/emulator/commands.ts';
import type { FaultRule } from '../../src/emulator/faults.ts';
import { balanceOf } from '../../src/emulator/ledger.ts';
import type { ChainFault, Plan, Timed } from './plan.ts';
import type { Simulation } from './simulation.ts';

const STOCKS = ['AAPL', 'NVDA', 'MSFT', 'KO'];
const EVENING_MS = 30 * 60_000;
/** Longer than an order stays unanswered before its fence could open. */
const LOOK_MS = 150_000;

/** Lets happen what the plan says, at its time, and ends it again. */
export class Director {
  readonly #simulation: Simulation;
  readonly #random;

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
    time.at(plan.healAt, () => this.#command({ kind: 'faults', body: { rules: [] } }));
    if (plan.sessions[0]?.early) sometimes.earlyClose++;
    const { action, sessions } = plan;
    const evening = (sessions[0]?.close ?? 0) + EVENING_MS;
    if (action !== null) time.at(epochMs(evening), () => this.#announce(action));
  }

  #command(command: Command): void {
    try {
      this.#simulation.venue.machine.command(command, this.#simulation.time.now());
    } catch {
      // A withdrawal of more than there is: nobody's fault.
    }
  }

  /** Gives what ends it, if it lasts. */
  #begin({ kind, ms }: Timed): (() => void) | null {
    const { sometimes, venue, network, time, disk, judge } = this.#simulation;
    const { userAddress, apiKey } = venue.key;
    const roll = this.#random.next();
    switch (kind) {
      case 'outage':
        network.outageUntil = time.now() + ms;
        return null;
      case 'indexerLag': {
        sometimes.indexerStall++;
        if (ms > LOOK_MS) sometimes.indexerLagBeyondLook++;
        this.#setFaults([], ms);
        return () => this.#setFaults();
      }
      case 'emulatorFaults':
        this.#setFaults([
          { kind: 'lost-response', endpoint: 'POST /api/v1/orders/send', probability: 0.3 },
          { kind: 'delay', ms: 9_000, probability: 0.05 * roll },
          { kind: 'lost-request', probability: 0.05 * roll },
        ]);
        return () => this.#setFaults();
      case 'delegationOff':
        sometimes.delegationOff++;
        this.#command({ kind: 'delegation', body: { userAddress, status: 'disabled' } });
        return () => this.#command({ kind: 'delegation', body: { userAddress, status: 'enable' } });
      case 'keyOff':
        sometimes.keyOff++;
        this.#command({ kind: 'keys', body: { apiKey, active: false } });
        return () => this.#command({ kind: 'keys', body: { apiKey, active: true } });
      case 'foreignOrder':
        judge.isMoneyMoved = true;
        venue.placeForeign(time.now());
        return null;
      case 'foreignMove':
        return this.#move(
          STOCKS[Math.floor(roll * STOCKS.length)] ?? 'KO',
          this.#random.next() < 0.5 ? '3' : '-3',
        );
      case 'withdrawal':
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
        this.#command({
          kind: 'market',
          body: { symbol, price: (20 + 400 * this.#random.next()).toFixed(2) },
        });
        return null;
      }
    }
  }

  /** Those of the venue itself: the chain's, which are always there, come last. */
  #setFaults(rules: readonly FaultRule[] = [], indexerLagMs?: number): void {
    const { chain } = this.#simulation.plan;
    const of = (fault: ChainFault) => ({
      endpoint: 'POST /api/v1/orders/send',
      probability: chain.get(fault) ?? 0,
    });
    const late = (ms: number) => ({ kind: 'mined-late' as const, ms, ...of('minedLate') });
    const all = [...rules, { kind: 'unmined' as const, ...of('neverMined') }, late(20_000), late(110_000)];
    const body = { rules: all, ...(indexerLagMs === undefined ? {} : { indexerLagMs }) };
    this.#command({ kind: 'faults', body });
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
    judge.isMoneyMoved = true;
    this.#command({ kind: 'move', body: { userAddress: venue.key.userAddress, asset, amount } });
    return null;
  }

  /** For the open of the second session, of a stock that an order waits for, if one does. */
  #announce(type: NonNullable<Plan['action']>): void {
    const { plan, sometimes, judge, runner } = this.#simulation;
    const exDate = plan.sessions[1]?.date;
    const [wish] = [...(runner?.kernel.desk.books.wishes.values() ?? [])];
    const symbol = wish?.symbol ?? 'NVDA';
    this.#simulation.tell('director', `${type} of ${symbol} on ${exDate ?? '?'}`);
    judge.isMoneyMoved = true;
    if (type === 'cash_dividend') {
      sometimes.dividend++;
      return this.#command({
        kind: 'corporate-action',
        body: { type, symbol, exDate, cashPerShare: '0.05' },
      });
    }
    if (wish) sometimes.splitWithOpenOrder++;
    const [oldRate, newRate] = type === 'forward_split' ? ['1', '4'] : ['5', '1'];
    this.#command({ kind: 'corporate-action', body: { type, symbol, exDate, oldRate, newRate } });
  }
}
