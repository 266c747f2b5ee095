import { z } from 'zod';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { takeIn } from './mempool.ts';
import type { Fork, State, Task } from '../state/state.ts';
import { rebuild, schedule, type VenueState } from '../state/venueState.ts';

/**
 * Forks the chain now: the next `blocks` blocks are built on a branch that is abandoned afterwards, with everything in
 * them. Transactions sent meanwhile are mined again later (`returns`) or lost.
 */
export const reorg = z.strictObject({
  blocks: z.int().min(1).max(3600),
  returns: z.boolean().default(true),
});

/** True for tasks that do not depend on the chain. */
const isOffChain = ({ kind }: Task): boolean => kind === 'arrival' || kind === 'step' || kind === 'reorg';

/** Begins the fork. @throws {InvalidValueError} when the chain is already forked, or a corporate action falls into the branch */
export function fork(state: State, { blocks, returns }: z.output<typeof reorg>, now: EpochMs): void {
  if (state.fork) throw new InvalidValueError('the chain forks already: wait for the end of that branch');
  const until = epochMs((Math.floor(now / 1000) + blocks) * 1000);
  if (state.tasks.some(({ kind, due }) => kind === 'corporateAction' && due <= until))
    throw new InvalidValueError('a corporate action happens on that branch: choose fewer blocks');
  const { balances, transactions, mined, wallets, orders, operations, cashier } = state;
  state.fork = structuredClone({
    from: now,
    returns,
    tasks: state.tasks,
    kept: { balances, transactions, mined, wallets, orders, operations, cashier },
    allowances: state.accounts.map(({ allowances }) => allowances),
  });
  schedule(state, { due: until, kind: 'reorg' });
}

/** Ends the fork: restores the state before it, and resubmits its transactions. */
export function endFork(venue: VenueState, at: EpochMs): void {
  const { state } = venue;
  const { fork: branch } = state;
  if (!branch) return;
  const { kept, from, returns } = branch;
  const before = new Set(kept.transactions.map(({ hash }) => hash));
  const since = state.transactions.filter(({ hash, user }) => !before.has(hash) && user !== 'venue');
  restore(state, branch);
  state.tasks = tasksAfter(state.tasks, branch.tasks, at);
  state.fork = null;
  state.reorgs.push({ from, until: at });
  rebuild(venue);
  if (returns)
    for (const transaction of since) takeIn(venue, { ...transaction, minedAt: null, receipt: null }, at);
}

function restore(state: State, { kept, allowances }: Fork): void {
  Object.assign(state, kept);
  for (const [index, account] of state.accounts.entries())
    account.allowances.splice(0, account.allowances.length, ...(allowances[index] ?? []));
}

/** Tasks after the branch: everything done on it is due again. */
function tasksAfter(now: readonly Task[], then: readonly Task[], at: EpochMs): Task[] {
  const again = then
    .filter((task) => !isOffChain(task))
    .map((task) => ({ ...task, due: epochMs(Math.max(task.due, at)) }));
  return [...now.filter(isOffChain), ...again].sort((a, b) => a.due - b.due);
}
