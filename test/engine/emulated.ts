import { z } from 'zod';
import { createVenueClient, type VenueClient } from '../../src/api/client.ts';
import { createVenue } from '../../src/api/venue.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { cash, parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/random.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Operation } from '../../src/domain/operation.ts';
import type { Command } from '../../src/emulator/commands.ts';
import { CHAIN_ID, PRODUCT } from '../../src/emulator/deployment.ts';
import { createInProcessTransport, openFront, openMachine } from '../../src/emulator/index.ts';
import type { TradingRules } from '../../src/engine/desk.ts';
import type { Notice } from '../../src/engine/notice.ts';
import { Runner } from '../../src/engine/runner.ts';
import type { RunSummary } from '../../src/engine/summary.ts';
import type { TreasuryPolicies } from '../../src/engine/treasuryPolicy.ts';
import { buyCost } from '../../src/sim/fees.ts';
import { memoryJournal } from '../../src/store/memoryJournal.ts';
import { defineStrategy, type StrategyHooks } from '../../src/strategy/index.ts';

export const MORNING = epochMs(Date.parse('2026-06-15T14:00:00Z'));

/** The emulator in this process, and runners on it that end when told. */
export class EmulatedWorld {
  readonly clock = new VirtualClock({ start: MORNING, pace: 'max' });
  readonly client: VenueClient;
  readonly notices: Notice[] = [];
  lines: string[];
  readonly #kept = openMachine({ start: new Date(MORNING).toISOString(), seed: 1 });
  readonly #account: number;
  runner: Runner | null = null;
  summary: RunSummary | null = null;

  /** `lines`: a journal to go on from. */
  constructor({ account = 0, lines = [] }: Readonly<{ account?: number; lines?: readonly string[] }> = {}) {
    this.#account = account;
    this.lines = [...lines];
    const front = openFront(this.#kept, { clock: this.clock });
    const transport = createInProcessTransport({ front, clock: this.clock });
    const key = this.#kept.machine.state.keys.find(
      ({ userAddress, access }) => access === 'WRITABLE' && userAddress === this.userAddress,
    );
    if (!key) throw new Error('no key');
    this.client = createVenueClient({
      ...{ baseUrl: 'http://127.0.0.1:1', chainId: CHAIN_ID, product: PRODUCT, transport, clock: this.clock },
      ...{ apiKey: key.apiKey, secret: key.secret, random: seededRandom(1) },
      allow: ['deposits', 'stockMoves', 'repay'],
    });
  }

  get userAddress() {
    const found = this.#kept.machine.state.accounts[this.#account];
    if (!found) throw new Error('no account');
    return found.userAddress;
  }

  command(command: Command): void {
    this.#kept.machine.command(command, this.clock.now());
  }

  truth() {
    const { accounts } = this.#kept.machine.truth(this.clock.now());
    const own = accounts.find(({ userAddress }) => userAddress === this.userAddress);
    if (!own) throw new Error('no account');
    return own;
  }

  /** Lets time pass while `work` goes on. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const passing = this.clock.run();
    try {
      return await work();
    } finally {
      this.clock.stop();
      await passing;
    }
  }

  /** Runs one strategy for so many minutes. A second run goes on from the same journal. */
  async run(minutes: number, { treasury, hooks = {}, rules = {} }: RunOptions): Promise<Runner> {
    const venue = createVenue(this.client, { userAddress: this.userAddress });
    const runner = new Runner({
      ...{ clock: this.clock, venue, operations: venue, journal: memoryJournal(this.lines), treasury },
      calendar: tradingCalendar,
      rules: {
        ...{ limits: {}, ownLimits: new Map(), collarBps: 50, deadlineMs: 90_000 },
        costOf: (notional) => buyCost(cash(notional)).total,
        ...rules,
      },
      strategies: [
        {
          ...{ id: 'solo', capital: parseCash('10000'), params: {}, needs: { quotes: ['AAPL', 'SPY'] } },
          definition: defineStrategy({
            ...{ name: 'solo', description: 'scripted by a test', params: z.strictObject({}) },
            ...{ data: () => ({}), create: () => hooks },
          }),
        },
      ],
      periods: { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 },
      until: { kind: 'instant', at: epochMs(this.clock.now() + minutes * 60_000) },
      killed: () => false,
      tell: (notice) => void this.notices.push(notice),
    });
    this.runner = runner;
    this.summary = await this.during(() => runner.run());
    return runner;
  }

  get operations(): Operation[] {
    return [...(this.runner?.kernel.desk.books.operations.all.values() ?? [])];
  }

  get alarms(): string[] {
    return this.notices.filter(({ kind }) => kind === 'alarm').map(({ text }) => text);
  }
}

type RunOptions = Readonly<{
  treasury: TreasuryPolicies;
  hooks?: StrategyHooks;
  rules?: Partial<TradingRules>;
}>;
