import { ampleGas } from '../wallet/ampleGas.ts';
import type { TradingRules } from '../../src/domain/limits.ts';
import { z } from 'zod';
import { createVenueClient, type VenueClient } from '../../src/api/client.ts';
import { createOperationTransactions, createOrderTransactions } from '../../src/api/transactions.ts';
import { createVenue } from '../../src/api/venue.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { parseCash } from '../../src/core/amount.ts';
import { epochMs, epochSeconds, toSeconds, type EpochMs } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { DOCUMENTED_FEES } from '../../src/domain/fees.ts';
import type { Journal } from '../../src/domain/journalEvent.ts';
import type { Transfer, TransferPort } from '../../src/domain/transfers/transfer.ts';
import { memoryTransactionLog, transactionsOf } from '../../src/domain/transfers/transactionLog.ts';
import type { Command } from '../../src/emulator/machine/commands.ts';
import { CHAIN_ID, contracts, PRODUCT } from '../../src/emulator/state/constants.ts';
import { openFront, openMachine, openRpcFront } from '../../src/emulator/index.ts';
import { createInProcessTransport } from '../emulator/http/inProcess.ts';
import { createCalldataOperations, withApprovals, withTraces } from '../../src/venue/ownTransfers.ts';
import { createCalldataVenue, withChain } from '../../src/venue/ownOrders.ts';
import type { Notice } from '../../src/engine/state/notice.ts';
import { Runner } from '../../src/engine/runtime/runner.ts';
import { inProcess } from '../../src/engine/strategy/strategyRuntime.ts';
import type { RunnerOptions } from '../../src/engine/runtime/runOptions.ts';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import type { TreasuryPolicies } from '../../src/engine/treasury/policy.ts';
import { memoryJournal } from '../store/memoryJournal.ts';
import {
  defineStrategy,
  type DataNeeds,
  type StrategyHooks,
  type StrategyState,
} from '../../src/strategy/index.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { createChain } from '../../src/wallet/chain.ts';
import { Sender } from '../../src/wallet/sender.ts';
import type { AllowedOrder } from '../../src/engine/strategy/trading.ts';
import { EmulatedNode } from './emulatedNode.ts';

export const MORNING = epochMs(Date.parse('2026-06-15T14:00:00Z'));

/** How money and orders are sent: by the venue alone, by the venue while a node is read, or by the wallet itself. */
export type Submission = 'blind' | 'one-click' | 'calldata';

type WorldOptions = Readonly<{
  start?: EpochMs;
  account?: number;
  lines?: readonly string[];
  submission?: Submission;
}>;

const gas = { ...ampleGas, gasMax: 2_000_000n };

/** The emulator in this process, and runners on it that the test ends. */
export class EmulatedWorld {
  readonly clock: VirtualClock;
  readonly client: VenueClient;
  readonly notices: Notice[] = [];
  lines: string[];
  onNotice: (notice: Notice) => void = () => undefined;
  readonly #kept: ReturnType<typeof openMachine>;
  readonly #account: number;
  readonly submission: Submission;
  readonly node: EmulatedNode;
  runner: Runner | null = null;
  /** Of the latest run. */
  options: RunnerOptions | null = null;
  summary: RunSummary | null = null;

  /** `lines`: a journal to continue. */
  constructor({ start = MORNING, account = 0, lines = [], submission = 'blind' }: WorldOptions = {}) {
    this.clock = new VirtualClock({ start, pace: 'max' });
    this.#kept = openMachine({ start: new Date(start).toISOString(), seed: 1 });
    this.#account = account;
    this.submission = submission;
    this.node = new EmulatedNode(openRpcFront(this.#kept, { clock: this.clock }), this.clock);
    this.lines = [...lines];
    const front = openFront(this.#kept, { clock: this.clock });
    const transport = createInProcessTransport({ front, clock: this.clock });
    const key = this.#kept.machine.state.keys.find(
      ({ userAddress, access }) => access === 'WRITABLE' && userAddress === this.userAddress,
    );
    if (!key) throw new Error('no key');
    this.client = createVenueClient({
      baseUrl: 'http://127.0.0.1:1',
      chainId: CHAIN_ID,
      product: PRODUCT,
      transport,
      clock: this.clock,
      apiKey: key.apiKey,
      secret: key.secret,
      random: seededRandom(1),
      allow:
        submission === 'calldata'
          ? ['calldata', 'record']
          : ['deposits', 'withdrawals', 'stockMoves', 'repay', 'withDeposit'],
    });
  }

  get #own() {
    const found = this.#kept.machine.state.accounts[this.#account];
    if (!found) throw new Error('no account');
    return found;
  }

  get userAddress() {
    return this.#own.userAddress;
  }

  /** Allowance of the router for a token, in whole units. */
  allowanceOf(token: string): bigint {
    const of = (each: Readonly<{ token: string; spender: string }>) =>
      each.token.toLowerCase() === token.toLowerCase() && each.spender === contracts.router;
    return this.#own.allowances.find(of)?.amount ?? 0n;
  }

  /** Sends nothing to its own address with a nonce, like another program with the same key. */
  async sendElsewhere(nonce: number): Promise<void> {
    const raw = await walletOf(this.#own.privateKey).signTransaction({
      chainId: CHAIN_ID,
      to: this.userAddress,
      data: '0x',
      nonce,
      gas: 21_000n,
      maxFeePerGas: gas.maxFeePerGas,
      maxPriorityFeePerGas: 10_000_000_000n,
    });
    await this.node.ask('eth_sendRawTransaction', [raw], z.string());
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

  /** Orders of the account at the venue, oldest first. */
  orders() {
    return this.#kept.machine
      .truth(this.clock.now())
      .orders.filter(({ userAddress }) => userAddress === this.userAddress);
  }

  /** Lets time pass during `work`. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const passing = this.clock.run();
    try {
      return await work();
    } finally {
      this.clock.stop();
      await passing;
    }
  }

  /** Runs one strategy for so many minutes. A second run continues the same journal. */
  async run(
    minutes: number,
    {
      treasury = {},
      hooks = {},
      rules = {},
      bars = [],
      allowOrders,
      quotes = ['AAPL', 'SPY'],
      periods = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 },
      writing = (journal) => journal,
      killed = () => false,
    }: RunOptions,
  ): Promise<Runner> {
    const options: RunnerOptions = {
      ...this.#sending(),
      clock: this.clock,
      journal: writing(memoryJournal(this.lines)),
      treasury,
      calendar: tradingCalendar,
      rules: {
        limits: {},
        ownLimits: new Map(),
        collarBps: 50,
        deadlineMs: 90_000,
        readsChain: this.submission !== 'blind',
        fees: DOCUMENTED_FEES,
        ...rules,
      },
      strategies: [
        {
          id: 'solo',
          capital: parseCash('10000'),
          needs: { quotes, bars },
          ...(allowOrders ? { allowOrders } : {}),
          createRuntime: inProcess(
            defineStrategy({
              name: 'solo',
              description: 'scripted by a test',
              params: z.strictObject({}),
              data: () => ({}),
              create: ({ state }) => (typeof hooks === 'function' ? hooks(state) : hooks),
            }),
            {},
          ),
        },
      ],
      periods,
      until: { kind: 'instant', at: epochMs(this.clock.now() + minutes * 60_000) },
      killed,
      deliver: (notice) => {
        this.notices.push(notice);
        this.onNotice(notice);
      },
    };
    const runner = new Runner(options);
    this.options = options;
    this.runner = runner;
    this.summary = await this.during(() => runner.run());
    return runner;
  }

  /** The sending options, as a run composes them. */
  #sending(): Pick<RunnerOptions, 'venue' | 'transferPort'> {
    const { client, userAddress, clock, node: rpc } = this;
    const { router } = contracts;
    const oneClick = createVenue(client, { userAddress, spender: router });
    if (this.submission === 'blind') return { venue: oneClick, transferPort: oneClick };
    const chain = createChain(rpc);
    const sender = new Sender({
      wallet: walletOf(this.#own.privateKey),
      rpc,
      chain,
      clock,
      gas,
      log: memoryTransactionLog(transactionsOf(memoryJournal(this.lines).entries()).signed),
    });
    const deadline = () => epochSeconds(toSeconds(clock.now()) + 90);
    const sending = { sender, chain, chainId: CHAIN_ID, deadline };
    const approving = (port: TransferPort) =>
      withApprovals(port, { ...sending, spender: router, venue: oneClick });
    if (this.submission === 'one-click')
      return {
        venue: withChain(oneClick, chain),
        transferPort: approving(withTraces(oneClick, chain, sender)),
      };
    const common = { ...sending, router, onUnlinked: () => undefined };
    return {
      venue: createCalldataVenue({
        ...common,
        venue: oneClick,
        transactions: createOrderTransactions(client),
      }),
      transferPort: approving(
        createCalldataOperations({
          ...common,
          port: oneClick,
          transactions: createOperationTransactions(client, userAddress),
        }),
      ),
    };
  }

  get operations(): Transfer[] {
    return [...(this.runner?.kernel.context.accountState.transfers.all.values() ?? [])];
  }

  get alarms(): string[] {
    return this.notices.filter(({ kind }) => kind === 'alarm').map(({ text }) => text);
  }
}

type RunOptions = Readonly<{
  treasury?: TreasuryPolicies;
  quotes?: readonly string[];
  periods?: RunnerOptions['periods'];
  bars?: DataNeeds['bars'];
  allowOrders?: ReadonlySet<AllowedOrder>;
  /** Hooks of the strategy, or a function that creates them from its state. */
  hooks?: StrategyHooks | ((state: StrategyState) => StrategyHooks);
  rules?: Partial<TradingRules>;
  killed?: () => boolean;
  /** Wraps the journal of the run. */
  writing?: (journal: Journal) => Journal;
}>;
