import type { EpochSeconds } from '../../core/brand.ts';
import { InvariantError, isVenueFault } from '../../core/errors.ts';
import type { TransferGate, TransferId, TransferPort } from '../../domain/transfers/transfer.ts';
import type { ExternalCancelEvent } from '../../domain/journalEvent.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import { txHashOf, type OrderId } from '../../domain/orders/order.ts';
import type { Absence, OrderReport, SendGate, SendOutcome, SignedSend, Venue } from '../../domain/venue.ts';
import type { Clock } from '../../core/clock.ts';
import type { Permit } from '../risk/gate.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { KernelEvent, VenueEffect, ReadRequest } from '../state/kernelEvent.ts';
import type { TransferListOptions } from './sweep.ts';
import { unwritten } from './commitLoop.ts';

export type OrderManagerOptions = Readonly<{
  kernel: Kernel;
  venue: Venue;
  transferPort?: TransferPort | undefined;
  clock: Clock;
  take: (event: KernelEvent) => void;
  read: (effect: ReadRequest) => Promise<void>;
  /** Called for a failure that no outcome describes, above all one of the journal: trading must stop. */
  onFatal: (error: unknown) => void;
}>;

/** Carries the kernel's order effects to the venue and returns the responses as events. */
export class OrderManager {
  readonly #options: OrderManagerOptions;
  readonly #underWay = new Set<Promise<void>>();
  #ended = false;

  constructor(options: OrderManagerOptions) {
    this.#options = options;
  }

  carry(effect: VenueEffect): void {
    giveUpClosed(this.#options.kernel, this.#options.transferPort);
    const work = this.#carry(effect).catch(this.#options.onFatal);
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  /** Stops accepting late responses to sends that timed out. */
  end(): void {
    this.#ended = true;
  }

  /** Resolves when every send under way has its outcome. */
  async settle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #carry(effect: VenueEffect): Promise<void> {
    switch (effect.kind) {
      case 'place':
        return this.#place(effect.id);
      case 'cancel':
        return this.#cancel(effect.id);
      case 'cancelExternal':
        return this.#cancelExternal(effect.txHash);
      case 'look':
        return this.#look(effect.id);
      case 'readAccount':
      case 'readActions':
      case 'readTransfers':
      case 'rewarm':
      case 'readWitness':
        return this.#options.read(effect);
      case 'operate': {
        const { transferPort: port } = this.#options;
        if (port)
          return sendTransfer({ ...this.#options, port, late: (event) => this.#late(event) }, effect.id);
      }
    }
  }

  /** Applies a late response; ignored after the end of the run, since the next start finds the outcome in the lists. */
  #late(event: KernelEvent): void {
    if (this.#ended) return;
    try {
      this.#options.take(event);
    } catch (error) {
      this.#options.onFatal(error);
    }
  }

  async #place(id: OrderId): Promise<void> {
    const { kernel, venue, clock, take } = this.#options;
    const gate = gateOf((prepared) => kernel.permitPlacing(id, clock.now(), prepared), {
      sent: (deadline, request) => take({ kind: 'sent', id, deadline, request }),
      late: (outcome) => this.#late({ kind: 'late', what: 'place', id, outcome }),
    });
    const outcome = await venue.place(kernel.context.accountState.order(id).terms, gate).catch(unwritten);
    take({ kind: 'placed', id, outcome: withCode(outcome, gate.code) });
  }

  async #cancel(id: OrderId): Promise<void> {
    const { kernel, venue, clock, take } = this.#options;
    const { state } = kernel.context.accountState.order(id);
    if (state.kind !== 'working') return;
    const gate = gateOf((prepared) => kernel.permitCancelling(id, clock.now(), prepared), {
      sent: (deadline, request) => take({ kind: 'cancelSent', id, deadline, request }),
      late: (outcome) => this.#late({ kind: 'late', what: 'cancel', id, outcome }),
    });
    const outcome = await venue.cancel(state.venueId, gate).catch(unwritten);
    take({ kind: 'cancelled', id, outcome });
  }

  async #cancelExternal(txHash: string): Promise<void> {
    const { kernel, venue, clock, take } = this.#options;
    const orderId = kernel.context.accountState.externals.open.get(txHash)?.orderId ?? null;
    if (orderId === null) return;
    const gate = gateOf((prepared) => kernel.permitCancelling(null, clock.now(), prepared), {
      sent: (_deadline, request) =>
        take({ kind: 'externalCancel', txHash, event: { kind: 'sent' }, request }),
      late: () => undefined,
    });
    const outcome = await venue.cancel(orderId, gate).catch(unwritten);
    take({ kind: 'externalCancel', txHash, event: externalCancelEvent(outcome) });
  }

  async #look(id: OrderId): Promise<void> {
    const { kernel, clock, take } = this.#options;
    const txHash = txHashOf(kernel.context.accountState.order(id));
    if (txHash === null) return;
    const asked = clock.now();
    const [report, absence] = await this.#trace(txHash);
    if (report === undefined) return;
    take({ kind: 'looked', asked, id, report, absence });
  }

  /** Result of a read; undefined if it failed, in which case the next sweep reads again. */
  async #trace(
    txHash: string,
  ): Promise<readonly [OrderReport | null | undefined, Absence | null | undefined]> {
    const { kernel, venue } = this.#options;
    const nonce = kernel.context.accountState.nonces.get(txHash);
    try {
      const report = await venue.orderByTx(txHash);
      const isOpen = report !== null && report.status !== 'pending';
      return [report, isOpen || !venue.absence ? null : await venue.absence(txHash, nonce)];
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      return [undefined, null];
    }
  }
}

const externalCancelEvent = (outcome: SendOutcome): ExternalCancelEvent =>
  outcome.kind === 'accepted'
    ? { kind: 'accepted', txHash: outcome.txHash }
    : { kind: outcome.kind === 'unknown' ? 'lost' : outcome.kind, reason: outcome.reason };

type SendCallbacks = Readonly<{
  sent: (deadline: EpochSeconds, request: SignedSend) => void;
  late: (outcome: SendOutcome) => void;
}>;

/** Gate of a send, with the code of its latest refusal. */
type CodedGate = SendGate & Readonly<{ code: EndCode | null }>;

const withCode = (outcome: SendOutcome, code: EndCode | null): SendOutcome =>
  outcome.kind === 'stopped' && code !== null ? { ...outcome, code } : outcome;

/** Joins the two halves of a gate: the deadline from the permit is journaled with the request that carries it. */
function gateOf(permit: (prepared?: EpochSeconds) => Permit, { sent, late }: SendCallbacks): CodedGate {
  let deadline: EpochSeconds | null = null;
  let code: EndCode | null = null;
  return {
    get code() {
      return code;
    },
    open(prepared) {
      const answer = permit(prepared);
      deadline = 'deadline' in answer ? answer.deadline : null;
      code = 'stop' in answer ? answer.code : null;
      return answer;
    },
    commit(request) {
      if (deadline === null) throw new InvariantError('a send must pass its gate before it is committed');
      sent(deadline, request);
    },
    late,
  };
}

/** `late`: receives the late response to a send that timed out. */
type CarryOptions = TransferListOptions & Readonly<{ late: (event: KernelEvent) => void }>;

/** Sends a transfer to the venue and returns the response as an event. */
export async function sendTransfer(
  { kernel, port, clock, take, late }: CarryOptions,
  id: TransferId,
): Promise<void> {
  const gate: TransferGate = {
    open: () => kernel.permitTransfer(id, clock.now()),
    commit: (request) => take({ kind: 'operationSent', id, request }),
    late(outcome) {
      if (outcome.kind === 'accepted') late({ kind: 'operated', id, outcome });
    },
  };
  const { terms } = kernel.context.accountState.transfers.of(id);
  const outcome = await port.submit(terms, gate).catch(unwritten);
  take({ kind: 'operated', id, outcome });
}

/**
 * Gives the nonces of transactions that were closed without proof to the next ones, so that at most one of the two is
 * ever mined. This runs before every send; otherwise the send would offer the closed transaction again.
 */
export function giveUpClosed(kernel: Kernel, port: TransferPort | undefined): void {
  if (!port?.giveUp) return;
  for (const { state } of kernel.context.accountState.transfers.all.values())
    if (state.kind === 'neverExisted' && state.txHash !== undefined) port.giveUp(state.txHash);
}
