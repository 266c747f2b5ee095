import { epochMs } from '../../core/brand.ts';
import type { FaultRule } from '../faults.ts';
import type { Transaction } from '../state.ts';
import { schedule, type World } from '../world.ts';
import { drop } from './mempool.ts';
import { walletOf } from './wallets.ts';

/** What becomes of the transaction that a request has had sent, when a rule has struck that request. */
export function waylay(world: World, transaction: Transaction, rule: FaultRule): void {
  if (rule.kind === 'unmined') drop(world, transaction);
  if (rule.kind === 'mined-late') putOff(world, transaction, rule.ms);
}

/** Those that its wallet sends after it are mined after it. */
function putOff(world: World, { from, nonce }: Transaction, ms: number): void {
  const { tasks } = world.state;
  const index = tasks.findIndex((task) => task.kind === 'mine' && task.from === from && task.nonce === nonce);
  const [task] = index < 0 ? [] : tasks.splice(index, 1);
  if (!task) return;
  const due = epochMs(task.due + ms);
  walletOf(world, from).lastBlock = due;
  schedule(world.state, { ...task, due });
}
