import { tradingCalendar } from '../../calendar/index.ts';
import { DOCUMENTED_FEES } from '../../domain/fees.ts';
import { Kernel } from '../../engine/kernel/kernel.ts';
import { isVenueFault, SafetyError } from '../../core/errors.ts';
import { compareAccount, type Mismatch } from '../../domain/account/comparison.ts';
import type { JournalEntry, JournalEvent, Journal } from '../../domain/journalEvent.ts';
import type { AccountReport, OrderReport } from '../../domain/venue.ts';
import type { KernelEvent } from '../../engine/state/kernelEvent.ts';
import { type Sweep, listTransfers } from '../../engine/runtime/sweep.ts';
import type { CommandContext } from '../context.ts';
import { journalOf, withJournal } from './journal.ts';
import { withSimulatedVenue, withVenueAccess, type VenueUse } from './environment.ts';
import { sweepOpen, type VenueAccess } from './venueSide.ts';
import { createVenue } from '../../api/venue.ts';
import { externalOrdersIn, unshownIn } from '../../domain/account/hiddenAmounts.ts';
import { withVenue } from './connect.ts';

/** The kernel of a run without strategies, for commands that read a journal and the venue: it places nothing. */
export const dormantKernel = (): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: {
      limits: {},
      ownLimits: new Map(),
      collarBps: 0,
      deadlineMs: 0,
      fees: DOCUMENTED_FEES,
    },
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

/** Journal and venue side by side, for a decision of an operator. */
export type OperatorSession = Readonly<{
  kernel: Kernel;
  mismatches: readonly Mismatch[];
  /** Open orders that the journal does not know. */
  others: readonly OrderReport[];
  /** The comparison without the external orders that lock an asset by the journal and that the venue no longer shows. */
  withoutUnshown(asset: string): ComparisonWithout;
  /** Assets that journal or venue know: mUSD, tokens by address in lower case, symbols that are held or listed. */
  assets: ReadonlySet<string>;
  /** Commits the operator's entries, after those of what the venue has shown. */
  commit(facts: readonly JournalEvent[]): void;
}>;

/** `facts`: entries that remove those orders from the account state, one each. */
type ComparisonWithout = Readonly<{ facts: readonly JournalEvent[]; mismatches: readonly Mismatch[] }>;

/** `word`: makes the operator's decision by the journal alone; the venue is read twice afterwards, to confirm it. */
type SessionUse = Readonly<{ state?: string; word?: (kernel: Kernel) => KernelEvent }>;

/**
 * Takes in what the venue shows now, as a start would, and compares. Nothing is written before `commit`.
 * @throws {SafetyError} while a runner holds the state, or when the order list could not be read completely
 */
export function inOperatorSession<T>(
  { word, ...flags }: SessionUse,
  context: CommandContext,
  work: (session: OperatorSession) => T,
): Promise<T> {
  const { loaded, stateDir } = journalOf(flags, context);
  const open: typeof withReadOnlyVenue = loaded.config.mode === 'live' ? withReadOnlyVenue : withVenueAccess;
  return withJournal({ loaded, stateDir, context }, async (journal) =>
    work(await open({ loaded, context, stateDir }, (access) => openSession(access, journal, word))),
  );
}

async function openSession(
  access: VenueAccess,
  journal: Journal,
  word: SessionUse['word'],
): Promise<OperatorSession> {
  const { venue, clock } = access;
  const kernel = dormantKernel();
  kernel.recover(journal.entries());
  const seen: JournalEntry[] = [];
  const take = (event: KernelEvent) => void seen.push(...kernel.handle(event, clock.now()).facts);
  const given = word?.(kernel);
  take({ kind: 'recovered' });
  const listings = await venue.listings();
  take({ kind: 'listed', listings });
  if (given) {
    take(given);
    await readVenueOnce(access, kernel, take);
  }
  const { sweep, report } = await readVenueOnce(access, kernel, take);
  return {
    kernel,
    mismatches: compareAccount(kernel.context.accountState, report),
    others: externalOrdersIn(sweep, kernel.context.accountState),
    withoutUnshown(asset) {
      const { accountState } = kernel.context;
      const facts = unshownIn(sweep, accountState, asset).map(({ txHash }): JournalEvent => ({
        kind: 'external',
        txHash,
        report: null,
        why: 'no longer shown',
      }));
      for (const fact of facts) accountState.apply({ at: clock.now(), fact });
      return { facts, mismatches: compareAccount(accountState, report) };
    },
    assets: new Set<string>([
      ...kernel.context.accountState.ledger.assets,
      ...kernel.context.accountState.ledger.tokens,
      ...listings.map(({ instrument }) => instrument.symbol),
      ...[report.holdings, report.tokens, report.debts].flatMap((held) => [...(held?.keys() ?? [])]),
    ]),
    commit(facts) {
      const at = clock.now();
      journal.commit([...seen, ...facts.map((fact) => ({ at, fact }))]);
    },
  };
}

/** Reads orders, transfers under way and the account once, and passes them to the kernel. */
async function readVenueOnce(
  { venue, transferPort, clock }: VenueAccess,
  kernel: Kernel,
  take: (event: KernelEvent) => void,
): Promise<Readonly<{ sweep: Sweep; report: AccountReport }>> {
  const { accountState } = kernel.context;
  const asked = clock.now();
  const sweep = await sweepOpen({ venue, clock }, accountState);
  if (!sweep.complete)
    throw new SafetyError('the order list could not be read completely: nothing was changed, try again');
  take({ kind: 'swept', asked, ...sweep });
  if (transferPort) await listTransfers({ kernel, port: transferPort, clock, take });
  const actions = await venue.corporateActions?.(kernel.actions.query).catch(nullIfUnread);
  if (actions) take({ kind: 'actions', asked, actions });
  const askedAccount = clock.now();
  const account = kernel.stockTerms.counted(await venue.account());
  const { opened } = accountState.transfers;
  const report = transferPort && opened.debts ? { ...account, debts: await transferPort.debts() } : account;
  take({ kind: 'account', asked: askedAccount, report });
  return { sweep, report };
}

/** Lets the comparison decide alone where the list of corporate actions cannot be read. */
function nullIfUnread(error: unknown): null {
  if (isVenueFault(error)) return null;
  throw error;
}
