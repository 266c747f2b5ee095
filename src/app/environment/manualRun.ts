import type { Clock } from '../../core/clock.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { DroverError, messageOf, OutcomeUnknownError, UnreachableError } from '../../core/errors.ts';
import { createLog, type Log } from '../../core/log.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import type { Venue } from '../../domain/venue.ts';
import { Runner } from '../../engine/runtime/runner.ts';
import { DaemonClient } from '../../ops/client.ts';
import { commandRead, commandRoutesOf } from '../../ops/control/commandRoutes.ts';
import { localCalls } from '../../ops/localCalls.ts';
import { policiesOf } from '../config/sections.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { CommandContext } from '../../process/context.ts';
import { userName } from '../../process/userName.ts';
import { LockHeldError, makeFolder } from '../../store/stateFolder.ts';
import { withHeldKey } from './connect.ts';
import { runRules, withVenueAccess, type VenueUse } from './environment.ts';
import { withJournal } from './journal.ts';
import { killFilesOf, killFileThere } from './killSwitch.ts';
import { withReadOnlyVenue } from './operatorSession.ts';
import type { VenueAccess } from './venueSide.ts';

/**
 * State folder of a command without a daemon. `needs`: `sends` if it sends, `cancels` if it sends only cancels, `venue` if the result
 * depends on the venue, `journal` if only on the journal, so that it works without key and network. `keeps`: false for a command that
 * only shows what it would do.
 */
export type ManualUse = VenueUse &
  Readonly<{
    needs: 'journal' | 'venue' | 'sends' | 'cancels';
    keeps?: boolean;
    /** Called once the API key is held, before any other request uses it. */
    atKey?: () => Promise<void>;
  }>;

/** A run without strategies for one manual command, accessed like a daemon. */
export type ManualRun = Readonly<{
  client: DaemonClient;
  clock: Clock;
  /** Chain, read through the node of the config; null without one. */
  chain: Chain | null;
  accountState: AccountState;
  /** Symbols that the venue lists. */
  listed: () => readonly string[];
  /** False while One Click is off. */
  isDelegated: () => boolean;
  /** Receives the kill files that exist. */
  killFiles: (there: readonly string[]) => void;
}>;

/**
 * Runs a command on the state folder of a run that is not active, by its own run in this process, without strategies or feeds. A
 * command that sends also holds the API key, and begins once the run has read the venue. A cancel is sent even if a live run's journal
 * is unusable: by a run that keeps none.
 * @throws {LockHeldError} while another process holds the folder or the key
 * @throws the error of a failed read of the venue; no decision was made then
 */
export async function withManualRun<T>(use: ManualUse, work: (run: ManualRun) => Promise<T>): Promise<T> {
  const own = { hasBegun: false };
  const begun = (run: ManualRun): Promise<T> => {
    own.hasBegun = true;
    return work(run);
  };
  try {
    makeFolder(use.stateDir, 'the state folder');
    return await withJournal(use, (journal) => onJournal({ ...use, journal }, begun));
  } catch (error) {
    const isCancel = use.needs === 'cancels' && use.loaded.config.mode === 'live';
    if (own.hasBegun || !isCancel || !(error instanceof DroverError) || error instanceof LockHeldError)
      throw error;
    use.context.terminal.err(`the cancel is sent without the journal of the run: ${messageOf(error)}`);
    return onJournal({ ...use, journal: NO_JOURNAL }, work);
  }
}

const NO_JOURNAL: Journal = {
  commit: () => undefined,
  entries: () => [],
  length: () => 0,
  close: () => undefined,
};

function onJournal<T>(
  use: ManualUse & Readonly<{ journal: Journal }>,
  work: (run: ManualRun) => Promise<T>,
): Promise<T> {
  let runner: Runner | undefined;
  const last = () => runner?.kernel.fold.lastAt ?? epochMs(0);
  const journal = use.keeps === false ? withoutWrites(use.journal) : use.journal;
  return withAccess(use, last, (access) => {
    let ready = (): void => undefined;
    const isSending = use.needs === 'sends' || use.needs === 'cancels';
    const isReady = isSending ? new Promise<void>((resolve) => (ready = resolve)) : null;
    runner = runnerOf({ ...use, journal, access }, () => ready());
    return commanded(runner, { ...use, access, isReady }, work);
  });
}

type Access = VenueAccess & Readonly<{ readsChain: boolean; chain?: Chain | null }>;

/** Opens the parts of the venue that a command needs: for sending, for reading, without a wallet, or only the clock. */
function withAccess<T>(
  use: ManualUse,
  last: () => EpochMs,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  const { loaded, stateDir, context, needs } = use;
  const isLive = loaded.config.mode === 'live';
  if (needs === 'journal')
    return work({
      venue: NO_VENUE,
      clock: clockAfter(last, use),
      readsChain: false,
    });
  const sending = {
    ...use,
    log: (clock: Clock) => shownLog(use.context, clock),
  };
  if (!isLive) return withVenueAccess(sending, work);
  if (needs === 'venue') return withReadOnlyVenue(use, (access) => work({ ...access, readsChain: false }));
  return withHeldKey({ loaded, state: stateDir, context }, async () => {
    await use.atKey?.();
    return withVenueAccess(sending, work);
  });
}

/** Log of a command: shows each of its warnings once. */
function shownLog({ secrets, terminal }: CommandContext, clock: Clock): Log {
  const shown = new Set<string>();
  const write = (line: string): void => {
    const { msg = '', txHash = '' } = JSON.parse(line) as {
      msg?: string;
      txHash?: string;
    };
    const text = [msg, txHash].filter((word) => word !== '').join(': ');
    if (!shown.has(text)) terminal.err(text);
    shown.add(text);
  };
  return createLog({ level: 'warn', clock, secrets, write });
}

const unread = (): Promise<never> =>
  Promise.reject(new UnreachableError('this command reads nothing of the venue'));
const NO_VENUE: Venue = {
  listings: unread,
  bars: unread,
  account: unread,
  orders: unread,
  orderByTx: unread,
  delegation: unread,
  place: unread,
  cancel: unread,
};

/** The machine's clock, but never before the last entry. That of an emulated venue is stopped between its runs. */
const clockAfter = (last: () => EpochMs, { loaded, context: { clock } }: VenueUse): Clock => ({
  now: () => (loaded.config.mode === 'emulator' ? last() : epochMs(Math.max(clock.now(), last()))),
  monotonic: () => clock.monotonic(),
  at: (when, run) => clock.at(when, run),
  after: (ms, run) => clock.after(ms, run),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  hold: (key) => clock.hold(key),
});

const withoutWrites = ({ saved, ...journal }: Journal): Journal => ({
  ...journal,
  ...(saved && { saved: { ...saved, write: () => undefined } }),
  commit: () => undefined,
});

type ManualRunParts = ManualUse & Readonly<{ journal: Journal; access: Access }>;
type Commanding = Pick<ManualRunParts, 'access' | 'context'> & Readonly<{ isReady: Promise<void> | null }>;

async function commanded<T>(
  runner: Runner,
  { access, context, isReady }: Commanding,
  work: (run: ManualRun) => Promise<T>,
): Promise<T> {
  const running = runner.run();
  const ended = running.then(() => {
    throw new OutcomeUnknownError('the run of this command ended before the command: see `drover status`');
  });
  const { clock, chain = null } = access;
  const run: ManualRun = {
    client: clientOf(runner, { clock, context }),
    clock,
    chain,
    accountState: runner.kernel.context.accountState,
    listed: () => [...runner.kernel.context.market.instruments.keys()],
    isDelegated: () => runner.kernel.context.reads.delegated,
    killFiles: (there) => runner.heed({ kind: 'killFiles', there }),
  };
  try {
    if (isReady) await Promise.race([isReady, ended]);
    return await Promise.race([work(run), ended]);
  } finally {
    runner.stop('the command is done');
    // The failure of the run is what made the work fail.
    await running;
  }
}

function runnerOf({ loaded, stateDir, needs, journal, access }: ManualRunParts, ready: () => void): Runner {
  const files = killFilesOf(loaded, stateDir);
  const { venue, transferPort, clock } = access;
  const { byHand } = policiesOf(loaded.config);
  const { rules, ...own } = runRules(loaded, access);
  // Outside the session no price is fresh, and a limit order brings its own.
  const isOutside = needs === 'sends' && own.calendar.sessionAt(clock.now()) === undefined;
  const limits = isOutside ? { ...rules.limits, quoteAgeMs: undefined } : rules.limits;
  return new Runner({
    ...own,
    rules: { ...rules, limits },
    venue,
    clock,
    ...(transferPort ? { transferPort, treasury: byHand ? { byHand } : {} } : {}),
    journal,
    strategies: [],
    until: { kind: 'stopped' },
    killed: () => killFileThere(files) !== undefined,
    deliver: () => undefined,
    manual: needs === 'sends' || needs === 'cancels' ? needs : 'reads',
    ready,
  });
}

type Client = Readonly<{ clock: Clock; context: CommandContext }>;

function clientOf(runner: Runner, { clock, context: { secrets, commandName } }: Client): DaemonClient {
  const { kernel } = runner;
  const daemon = {
    context: kernel.context,
    command: runner.command.bind(runner),
    progress: runner.progress.bind(runner),
    refusal: kernel.operator.against.bind(kernel.operator),
  };
  const routes = [commandRead(daemon), ...commandRoutesOf({ daemon, clock, secrets })];
  const call = localCalls({ routes, secrets, by: userName() });
  return new DaemonClient({ call, client: `drover ${commandName}` }, { clock });
}
