import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { STAMP_SLACK_MS } from '../../domain/orders/reportMatching.ts';
import {
  isUnseen,
  transferTxHash,
  type ListedKind,
  type Transfer,
  type TransferGate,
  type TransferId,
  type TransferPage,
  type TransferPort,
} from '../../domain/transfers/transfer.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import { unwritten } from './commitLoop.ts';

export type TransferManagerOptions = Readonly<{
  kernel: Kernel;
  port: TransferPort;
  clock: Clock;
  take: (event: KernelEvent) => void;
}>;

/** `late`: takes what is heard of a send that had been given up. */
type CarryOptions = TransferManagerOptions & Readonly<{ late: (event: KernelEvent) => void }>;

/** Carries a transfer to the venue and hands the answer back as an event. */
export async function sendTransfer(
  { kernel, port, clock, take, late }: CarryOptions,
  id: TransferId,
): Promise<void> {
  const gate: TransferGate = {
    open: () => kernel.permitOperating(id, clock.now()),
    commit: (request) => take({ kind: 'operationSent', id, request }),
    late(outcome) {
      if (outcome.kind === 'accepted') late({ kind: 'operated', id, outcome });
    },
  };
  const { terms } = kernel.context.accountState.operations.operation(id);
  const outcome = await port.operate(terms, gate).catch(unwritten);
  take({ kind: 'operated', id, outcome });
}

const PAGE = 50;
const PAGES_MAX = 50;

/**
 * Reads the lists of all kinds that have an operation under way; nothing when there is none. Gives the hashes of those that the
 * chain has no trace of.
 */
export async function listTransfers(options: TransferManagerOptions): Promise<readonly string[]> {
  const { kernel, port, clock, take } = options;
  const live = [...kernel.context.accountState.operations.live.values()];
  const untraced = await traceOperations(options);
  for (const kind of new Set(live.map(({ terms }) => terms.kind))) {
    if (kind === 'repay' || kind === 'approve') continue;
    const asked = clock.now();
    const since = oldestOf(live.filter(({ terms }) => terms.kind === kind));
    if (since === null) continue;
    take({ kind: 'operations', operation: kind, asked, ...(await readBack(port, kind, since)) });
  }
  return untraced;
}

/** Asks the chain, where it can be read, about what the venue does not show. It goes before the lists: it knows causes. */
async function traceOperations({ kernel, port, take }: TransferManagerOptions): Promise<readonly string[]> {
  const untraced: string[] = [];
  for (const transfer of [...kernel.context.accountState.operations.live.values()]) {
    const txHash = transferTxHash(transfer);
    if (!isUnseen(transfer) || txHash === null) continue;
    // A question that fails answers nothing; the next look asks again.
    const nonce = kernel.context.accountState.nonces.get(txHash);
    const trace = (await port.trace?.(transfer.terms, txHash, nonce).catch(() => null)) ?? null;
    if (trace !== null) take({ kind: 'operationTraced', id: transfer.id, trace });
    if (trace?.kind === 'absent') untraced.push(txHash);
  }
  return untraced;
}

/**
 * Gives the nonces of what was closed without proof to what is sent next: at most one of the two is ever mined. It goes before
 * every send, which would offer the closed one again otherwise.
 */
export function giveUpClosed(kernel: Kernel, port: TransferPort | undefined): void {
  if (!port?.giveUp) return;
  for (const { state } of kernel.context.accountState.operations.all.values())
    if (state.kind === 'neverExisted' && state.txHash !== undefined) port.giveUp(state.txHash);
}

/** Offers again what the chain has lost, while operations may be sent: nothing that the wallet sends later is mined before it. */
export async function offerUntraced(
  { kernel, port, clock }: TransferManagerOptions,
  untraced: readonly string[],
): Promise<void> {
  const { all, byTx } = kernel.context.accountState.operations;
  for (const txHash of untraced) {
    const id = byTx.get(txHash);
    const transfer = id === undefined ? undefined : all.get(id);
    if (transfer && isUnseen(transfer) && kernel.mayOperate(clock.now())) await port.offerAgain?.(txHash);
  }
}

/** When the oldest of them was sent; null when none was. */
function oldestOf(operations: readonly Transfer[]): EpochMs | null {
  const sent = operations.flatMap(({ state }) => ('at' in state ? [state.at] : []));
  return sent.length === 0 ? null : epochMs(Math.min(...sent));
}

type List = Readonly<{ rows: TransferPage['rows']; complete: boolean }>;

/** From the newest until a page ends with what is older than the oldest that is looked for. */
async function readBack(port: TransferPort, kind: ListedKind, since: EpochMs): Promise<List> {
  const rows: TransferPage['rows'][number][] = [];
  for (let page = 1; page <= PAGES_MAX; page++) {
    const part = await port.operations(kind, { page, limit: PAGE });
    rows.push(...part.rows);
    const last = part.rows.at(-1);
    if (!last || rows.length >= part.total) return { rows, complete: true };
    if (!('unreadable' in last) && last.createdAt < since - STAMP_SLACK_MS) return { rows, complete: true };
  }
  return { rows, complete: false };
}
