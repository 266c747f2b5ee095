import { tradingCalendar } from '../../calendar/index.ts';
import { DOCUMENTED_FEES } from '../../domain/fees.ts';
import { Kernel } from '../../engine/kernel/kernel.ts';
import { ConfigError, isVenueFault, SafetyError } from '../../core/errors.ts';
import { systemRandom } from '../../core/random.ts';
import type { JournalEntry, JournalEvent, Journal } from '../../domain/journalEvent.ts';
import type { CommandId, OperatorAnswer, OperatorCommand } from '../../domain/operator/command.ts';
import type { KernelEvent, VenueLook } from '../../engine/state/kernelEvent.ts';
import { listTransfers } from '../../engine/runtime/sweep.ts';
import type { CommandContext } from '../context.ts';
import { journalOf, withJournal } from './journal.ts';
import { withSimulatedVenue, withVenueAccess, type VenueUse } from './environment.ts';
import { sweepOpen, type VenueAccess } from './venueSide.ts';
import { createVenue } from '../../api/venue.ts';
import { withVenue } from './connect.ts';
import type { RunConfig } from '../config/schema.ts';
import type { TradingRules } from '../../domain/limits.ts';
import { userName } from '../userName.ts';

const NO_RULES: TradingRules = {
  limits: {},
  ownLimits: new Map(),
  collarBps: 0,
  deadlineMs: 0,
  fees: DOCUMENTED_FEES,
};

/**
 * The kernel of a run without strategies, for commands that read a journal and the venue: it places nothing. `config`: its limits
 * judge what the venue shows, such as fees and fills.
 */
export const dormantKernel = (config?: RunConfig): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: config ? { ...NO_RULES, limits: config.limits, collarBps: config.orders.collarBps } : NO_RULES,
    strategies: [],
    obstacles: { reason: () => 'only an operator is at work' },
  });

/**
 * Opens the venue of a run with this config while `work` reads it. It needs no wallet. That of mode `emulator` is in the
 * state folder: the caller holds it.
 */
export async function withReadOnlyVenue<T>(
  input: VenueUse,
  work: (access: VenueAccess) => Promise<T>,
): Promise<T> {
  const { mode } = input.loaded.config;
  if (mode === 'emulator') return withVenueAccess(input, work);
  return withVenue(input.context, ({ client, clock, venue: { userAddress } }) => {
    const venue = createVenue(client, { userAddress });
    if (mode === 'live') return work({ venue, transferPort: venue, clock });
    return withSimulatedVenue(input, { market: venue, clock }, (simulated) =>
      work({ venue: simulated, clock }),
    );
  });
}

/** Work of an operator on the journal of a run that has ended, with the venue beside it. */
export type OperatorSession = Readonly<{
  kernel: Kernel;
  /** Passes an event to the kernel. */
  take(event: KernelEvent): void;
  /** Gives a command, which is decided by what the venue shows after it, as beside a run. */
  give(command: OperatorCommand): Promise<OperatorAnswer>;
  /** The same. @throws {ConfigError | SafetyError} when it is refused */
  require(command: OperatorCommand): Promise<Done>;
  /** Commits the commands that were not refused, and what the venue has shown. Nothing is written before. */
  commit(): void;
}>;

type Done = Extract<OperatorAnswer, { kind: 'done' }>;
type SessionUse = Readonly<{ state?: string; reason: string }>;

/**
 * Opens a journal and the venue for commands of an operator.
 * @throws {SafetyError} while a runner holds the state
 */
export function inOperatorSession<T>(
  { reason, ...flags }: SessionUse,
  context: CommandContext,
  work: (session: OperatorSession) => Promise<T>,
): Promise<T> {
  const { loaded, stateDir } = journalOf(flags, context);
  const open: typeof withReadOnlyVenue = loaded.config.mode === 'live' ? withReadOnlyVenue : withVenueAccess;
  return withJournal({ loaded, stateDir, context }, (journal) =>
    open({ loaded, context, stateDir }, (access) =>
      work(new Session(access, journal, { reason, config: loaded.config })),
    ),
  );
}

class Session implements OperatorSession {
  readonly kernel: Kernel;
  readonly #access: VenueAccess;
  readonly #journal: Journal;
  readonly #reason: string;
  #entries: JournalEntry[] = [];
  readonly #answers = new Map<CommandId, OperatorAnswer>();
  #isBegun = false;

  constructor(
    access: VenueAccess,
    journal: Journal,
    { reason, config }: Readonly<{ reason: string; config: RunConfig }>,
  ) {
    this.kernel = dormantKernel(config);
    this.#access = access;
    this.#journal = journal;
    this.#reason = reason;
    this.kernel.recover(journal.entries());
  }

  take(event: KernelEvent): void {
    this.#begin();
    this.#handle(event);
  }

  #handle(event: KernelEvent): void {
    const step = this.kernel.handle(event, this.#access.clock.now());
    this.#entries.push(...step.facts);
    for (const { id, answer } of step.answers ?? []) this.#answers.set(id, answer);
  }

  async give(command: OperatorCommand): Promise<OperatorAnswer> {
    const id = systemRandom.uuid() as CommandId;
    const request = { id, by: userName(), reason: this.#reason, command };
    const refusal = this.#isBegun ? null : this.kernel.operator.refusal(request);
    if (refusal) return refusal;
    this.take({ kind: 'operator', ...request });
    for (;;) {
      const answer = this.#answers.get(id);
      if (answer?.kind === 'refused') this.#entries = this.#entries.filter(({ fact }) => !isOf(fact, id));
      if (answer) return answer;
      const asked = this.#access.clock.now();
      const look = await readVenueOnce(this.#access, this.kernel, (event) => this.take(event));
      this.take({ kind: 'lookedAtAll', id, asked, look });
    }
  }

  async require(command: OperatorCommand): Promise<Done> {
    const answer = await this.give(command);
    if (answer.kind === 'done') return answer;
    throw answer.because === 'usage' ? new ConfigError(answer.text) : new SafetyError(answer.text);
  }

  commit(): void {
    this.#journal.commit(this.#entries);
    this.#entries = [];
  }

  #begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#handle({ kind: 'recovered' });
  }
}

const isOf = (fact: JournalEvent, id: CommandId): boolean =>
  (fact.kind === 'operator' || fact.kind === 'operatorAnswered') && fact.id === id;

/**
 * Reads the venue once, as a start would, and passes it to the kernel.
 * @throws {SafetyError} when the order list could not be read completely
 */
export async function readVenueOnce(
  { venue, transferPort, clock }: VenueAccess,
  kernel: Kernel,
  take: (event: KernelEvent) => void,
): Promise<VenueLook> {
  const { accountState } = kernel.context;
  take({ kind: 'listed', listings: await venue.listings() });
  const asked = clock.now();
  const sweep = await sweepOpen({ venue, clock }, accountState);
  if (!sweep.complete)
    throw new SafetyError('the order list could not be read completely: nothing was changed, try again');
  take({ kind: 'swept', asked, ...sweep });
  if (transferPort) await listTransfers({ kernel, port: transferPort, clock, take });
  const actions = await venue.corporateActions?.(kernel.actions.query).catch(nullIfUnread);
  if (actions) take({ kind: 'actions', asked, actions });
  const askedAccount = clock.now();
  const account = await venue.account();
  const { opened } = accountState.transfers;
  const report = transferPort && opened.debts ? { ...account, debts: await transferPort.debts() } : account;
  take({ kind: 'account', asked: askedAccount, report });
  return { rows: sweep.rows, report, moves: kernel.context.moves };
}

/** Lets the comparison decide alone where the list of corporate actions cannot be read. */
function nullIfUnread(error: unknown): null {
  if (isVenueFault(error)) return null;
  throw error;
}
