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

/** Longest life of an order in ms: a session, which may begin before a long weekend and end after it. */
export const ORDER_LIFE_MS = 5 * DAY_MS;
/** Reads of the account, of which one must not be crossed by a change of orders or transfers. */
const READS_MAX = 5;

export type VenueLookOptions = Readonly<{
  kernel: Kernel;
  venue: Venue;
  polling: Polling;
  recovery: GapRecovery;
  clock: Clock;
  take: (event: KernelEvent) => void;
  /** True when the ledger is open: an account cannot be compared with another one. */
  isOpened: () => boolean;
}>;

/**
 * Reads the venue whole for commands that are decided by it: listings, corporate actions, the order list as far back as an open
 * order can be in it, transfers under way, and then the account. Null when the list was cut short, or the program stood still
 * meanwhile.
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

/** Value of `VenueLook.moves` for an account that shows a mixture. */
const MIXTURE = -1;

/** Reads the account until no order or transfer has moved meanwhile, a few times at most. */
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
 * Difference of the clocks that keeps a run from its start: by a wrong one, sessions would begin and timers fire that are still to
 * come. It is asked for again if the last answer showed one; the span of the run then begins with its start. A manual command does
 * not wait.
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

/** Asks the venue for its time. Returns the difference of the clocks in words if it is too large to send anything; null otherwise. */
export async function compareClocks(venue: Venue, take: VenueLookOptions['take']): Promise<string | null> {
  await venue.listings();
  const offsetMs = venue.offsetMs?.() ?? null;
  if (offsetMs !== null) take({ kind: 'skew', offsetMs });
  return clocksApart(offsetMs);
}
