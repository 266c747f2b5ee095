import type { Clock } from '../../core/clock.ts';
import { InvariantError, NotSentError } from '../../core/errors.ts';
import type { EpochSeconds } from '../../core/brand.ts';
import { bareId, hasEnded, type Order, type OrderId } from '../../domain/orders/order.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readVenueOnce } from '../environment/operatorSession.ts';
import type { VenueAccess } from '../environment/venueSide.ts';
import { byHand, HandJournal, type JournaledSend, type Send } from './handJournal.ts';

/** Cancel by hand. `venueId`: id of the order at the venue; `reason`: for the journal. */
export type HandCancel = Readonly<{ venueId: string; reason: string }>;
type Parts = Readonly<{ loaded: LoadedConfig; clock: Clock }> & Omit<VenueAccess, 'clock'>;

/**
 * Opens the journal of the config's state for a cancel that is sent without a run; null where there is none, or where the order is
 * none of its own. The caller holds the folder.
 * @throws {NotSentError} when the order has ended, or is being cancelled; nothing was sent
 * @throws {DroverError} when the journal cannot follow it: a cancel may leave all the same
 */
export const openCancelJournal = (
  cancel: HandCancel,
  { loaded, ...access }: Parts,
): Promise<CancelJournal | null> =>
  HandJournal.open(
    { loaded, clock: access.clock },
    ({ live }) => live.size > 0,
    async (journal) => {
      const opened = new CancelJournal(cancel, journal, access);
      return (await opened.begin()) ? opened : null;
    },
  );

/** A cancel by hand in the journal of a run that has ended. The next start goes on with what is left of it. */
export class CancelJournal implements JournaledSend {
  readonly #cancel: HandCancel;
  readonly #journal: HandJournal;
  readonly #access: VenueAccess;

  constructor(cancel: HandCancel, journal: HandJournal, access: VenueAccess) {
    this.#cancel = cancel;
    this.#journal = journal;
    this.#access = access;
  }

  /**
   * Reads the venue whole, as a start does; false when the order is none of the journal's.
   * @throws {NotSentError} when it has ended, or is being cancelled
   */
  async begin(): Promise<boolean> {
    this.#journal.take({ kind: 'recovered' });
    await this.#look();
    const order = this.#order;
    if (!order) return false;
    if (hasEnded(order)) throw new NotSentError('the order has ended. Nothing was sent');
    if (order.cancel.kind === 'sent' || order.cancel.kind === 'accepted')
      throw new NotSentError(`order ${order.id} is being cancelled already. Nothing was sent`);
    return true;
  }

  through(send: Send): Send {
    return async (gate) => {
      const id = this.#want();
      let deadline: EpochSeconds | null = null;
      const outcome = await send({
        ...gate,
        open(prepared) {
          const permit = gate.open(prepared);
          if ('deadline' in permit) deadline = permit.deadline;
          return permit;
        },
        commit: (request) => {
          if (deadline === null)
            throw new InvariantError('a cancel must pass its gate before it is committed');
          this.#journal.take({ kind: 'cancelSent', id, deadline, request });
          this.#journal.commit();
          gate.commit(request);
        },
      });
      this.#journal.take({ kind: 'cancelled', id, outcome });
      this.#journal.commitLater();
      return outcome;
    };
  }

  followed(): Promise<void> {
    return this.#journal.follow(() => this.#look());
  }

  close(): void {
    this.#journal.close();
  }

  /** Journals the operator's word: a cancel that does not leave now is sent by the next start. */
  #want(): OrderId {
    const order = this.#order;
    if (!order) throw new InvariantError('an order to be cancelled is of the journal');
    const command = { kind: 'cancel', scope: {}, orders: [order.id] } as const;
    this.#journal.take({ kind: 'operator', ...byHand(), reason: this.#cancel.reason, command });
    this.#journal.commit();
    return order.id;
  }

  get #order(): Order | null {
    const { byVenueId, orders } = this.#journal.kernel.context.accountState;
    return orders.get(byVenueId.get(bareId(this.#cancel.venueId)) ?? ('' as OrderId)) ?? null;
  }

  async #look(): Promise<void> {
    const { kernel, take } = this.#journal;
    await readVenueOnce(this.#access, kernel, take);
  }
}
