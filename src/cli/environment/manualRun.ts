import type { Clock } from '../../core/clock.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { OutcomeUnknownError, UnreachableError } from '../../core/errors.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import type { Venue } from '../../domain/venue.ts';
import { Runner } from '../../engine/runtime/runner.ts';
import { DaemonClient } from '../../ops/client.ts';
import { commandRoutesOf } from '../../ops/control/commandRoutes.ts';
import { localCalls } from '../../ops/localCalls.ts';
import { calendarOf } from '../config/fields.ts';
import type { CommandContext } from '../context.ts';
import { userName } from '../userName.ts';
import { withVenueAccess, type VenueUse } from './environment.ts';
import { withJournal } from './journal.ts';
import { killFilesOf, killFileThere } from './killSwitch.ts';
import { withReadOnlyVenue } from './operatorSession.ts';
import { sendingRules } from './plan.ts';
import type { VenueAccess } from './venueSide.ts';

/**
 * State folder of a command without a daemon. `needs`: `venue` where the venue decides, `journal` where the journal alone does, so
 * that it works without key and network. `keeps`: false for a command that only shows what it would do.
 */
export type ManualUse = VenueUse & Readonly<{ needs: 'journal' | 'venue'; keeps?: boolean }>;

/** A run without strategies for one command by hand, reached as a daemon is. */
export type ManualRun = Readonly<{
  client: DaemonClient;
  accountState: AccountState;
  /** Takes the kill files that exist. */
  killFiles: (there: readonly string[]) => void;
}>;

/**
 * Runs a command on the state folder of a run that is not on: by a run of its own, in this process, with neither strategies nor feeds.
 * @throws {LockHeldError} while another process holds the folder
 * @throws what a failed read of the venue throws: nothing was decided then
 */
export function withManualRun<T>(use: ManualUse, work: (run: ManualRun) => Promise<T>): Promise<T> {
  return withJournal(use, (opened) => {
    let last = epochMs(0);
    const journal = {
      ...opened,
      *entries() {
        for (const entry of opened.entries()) {
          last = entry.at;
          yield entry;
        }
      },
      ...(use.keeps === false ? { commit: () => undefined } : {}),
    };
    const run = (access: VenueAccess) => commanded({ ...use, journal, access }, work);
    return use.needs === 'venue'
      ? withVenue(use, run)
      : run({ venue: NO_VENUE, clock: clockAfter(() => last, use) });
  });
}

/** Opens the venue that a command reads; the real one only for reads, so that it needs no wallet. */
const withVenue = <T>(use: VenueUse, work: (access: VenueAccess) => Promise<T>): Promise<T> =>
  use.loaded.config.mode === 'live' ? withReadOnlyVenue(use, work) : withVenueAccess(use, work);

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

/** The clock of the machine, never before the last entry. That of an emulated venue stands still between its runs. */
const clockAfter = (last: () => EpochMs, { loaded, context: { clock } }: VenueUse): Clock => ({
  now: () => (loaded.config.mode === 'emulator' ? last() : epochMs(Math.max(clock.now(), last()))),
  monotonic: () => clock.monotonic(),
  at: (when, run) => clock.at(when, run),
  sleep: (ms, signal) => clock.sleep(ms, signal),
  hold: (key) => clock.hold(key),
});

type Opened = ManualUse & Readonly<{ journal: Journal; access: VenueAccess }>;

async function commanded<T>(opened: Opened, work: (run: ManualRun) => Promise<T>): Promise<T> {
  const runner = runnerOf(opened);
  const { accountState } = runner.kernel.context;
  const running = runner.run();
  const ended = running.then(() => {
    throw new OutcomeUnknownError('the run of this command has ended before it: see `drover status`');
  });
  const run: ManualRun = {
    client: clientOf(runner, opened.context),
    accountState,
    killFiles: (there) => runner.heed({ kind: 'killFiles', there }),
  };
  try {
    return await Promise.race([work(run), ended]);
  } finally {
    runner.stop('the command is done');
    // The failure of the run is the reason why the work has failed.
    await running;
  }
}

function runnerOf({ loaded, stateDir, journal, access }: Opened): Runner {
  const { config } = loaded;
  const files = killFilesOf(loaded, stateDir);
  return new Runner({
    ...access,
    journal,
    calendar: calendarOf(config),
    rules: sendingRules(config, { readsChain: false }),
    periods: config.polling,
    strategies: [],
    until: { kind: 'stopped' },
    killed: () => killFileThere(files) !== undefined,
    deliver: () => undefined,
    manual: 'reads',
  });
}

function clientOf(runner: Runner, { clock, secrets, commandName }: CommandContext): DaemonClient {
  const { kernel } = runner;
  const daemon = {
    context: kernel.context,
    command: runner.command.bind(runner),
    progress: runner.progress.bind(runner),
    refusal: kernel.operator.against.bind(kernel.operator),
  };
  const routes = commandRoutesOf({ daemon, clock, secrets });
  const call = localCalls({ routes, secrets, by: userName() });
  return new DaemonClient({ call, client: `drover ${commandName}` }, { clock });
}
