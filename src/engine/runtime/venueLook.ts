import { DAY_MS, epochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import type { Venue } from '../../domain/venue.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent, VenueLook } from '../state/kernelEvent.ts';
import { delegationEvent, type Polling } from './polling.ts';
import type { GapRecovery } from './recovery.ts';
import { clocksApart } from '../state/freshness.ts';
import type { RunnerOptions } from './runOptions.ts';
import type { Span } from './shutdown.ts';

/** Longest lifetime of an order in ms: one session, which may start before a long weekend and end after it. */
export const ORDER_LIFE_MS = 5 * DAY_MS;
/** Maximum number of account reads to get one during which no order or transfer moves. */
const READS_MAX = 5;

export type VenueLookOptions = Readonly<{
  kernel: Kernel;
  venue: Venue;
  polling: Polling;
  recovery: GapRecovery;
  clock: Clock;
  take: (event: KernelEvent) => void;
  /** True when the ledger is open: until then there is nothing to compare an account with. */
  isOpened: () => boolean;
}>;

/**
 * Reads everything that commands are decided on: listings, corporate actions, the order list as far back as an open
 * order can be in it, transfers under way, and then the account. Null if the list was incomplete, or the program stood
 * still meanwhile.
 */
export async function lookWhole(options: VenueLookOptions): Promise<VenueLook | null> {
  const { kernel, venue, polling, recovery, clock, take } = options;
  const { gaps } = recovery;
  take({ kind: 'listed', listings: await venue.listings() });
  await polling.readActions();
  take(delegationEvent(await venue.delegation()));
  const asked = clock.now();
  const { rows, complete } = await polling.sweep(epochMs(asked - ORDER_LIFE_MS));
  await polling.readTransfers();
  const account = options.isOpened()
    ? await readAccount(options)
    : { report: null, moves: kernel.context.moves };
  recovery.check();
  const isWhole = complete && (kernel.context.reads.sweptAt ?? -Infinity) >= asked;
  return isWhole && recovery.gaps === gaps ? { rows, ...account } : null;
}

/** Value of `VenueLook.moves` for an account read while orders or transfers moved. */
const MIXTURE = -1;

/** Reads the account until no order or transfer has moved meanwhile, within a few tries. */
async function readAccount({
  kernel,
  polling,
  clock,
  take,
}: VenueLookOptions): Promise<Pick<VenueLook, 'report' | 'moves'>> {
  const { context, treasury } = kernel;
  for (let read = 1; ; read++) {
    const { moves } = context;
    const asked = clock.now();
    const report = await polling.account(treasury.wantsDebts || context.accountState.transfers.opened.debts);
    const isStill = context.moves === moves;
    take({ kind: 'account', asked, report });
    if (isStill || read === READS_MAX) return { report, moves: isStill ? context.moves : MIXTURE };
  }
}

/**
 * Clock difference that blocks the start of a run, or null. With a wrong clock, sessions would begin and timers fire
 * too early. The venue is asked again if its last answer showed a difference; the span of the run then begins with its
 * actual start. A manual command does not wait.
 */
export async function lookAtClocks(
  { venue, manual }: Pick<RunnerOptions, 'venue' | 'manual'>,
  span: Span,
  take: VenueLookOptions['take'],
): Promise<string | null> {
  if (manual !== undefined || clocksApart(venue.offsetMs?.() ?? null) === null) return null;
  span.isDoubted = true;
  return compareClocks(venue, take);
}

/** Asks the venue for its time. Returns the clock difference in words if it is too large to send anything; null otherwise. */
export async function compareClocks(venue: Venue, take: VenueLookOptions['take']): Promise<string | null> {
  await venue.listings();
  const offsetMs = venue.offsetMs?.() ?? null;
  if (offsetMs !== null) take({ kind: 'skew', offsetMs });
  return clocksApart(offsetMs);
}
