import type { Clock } from '../../core/clock.ts';
import { DroverError, InvariantError } from '../../core/errors.ts';
import { epochSeconds, type EpochSeconds } from '../../core/brand.ts';
import type { OperatorCommand } from '../../domain/operator/command.ts';
import type { OrderId } from '../../domain/orders/order.ts';
import type { IntentTerms } from '../../domain/orders/orderIntent.ts';
import type { OrderTerms } from '../../domain/venue.ts';
import { Deadlines } from '../../engine/risk/gate.ts';
import type { LoadedConfig } from '../config/load.ts';
import { readVenueOnce } from '../environment/operatorSession.ts';
import type { VenueAccess } from '../environment/venueSide.ts';
import { byHand, HandJournal, refusalError, type JournaledSend, type Send } from './handJournal.ts';

/** Order by hand. `strategyId`: strategy whose money and shares it uses, else unallocated ones; `reason`: for the journal. */
export type HandOrder = Readonly<{ terms: OrderTerms; strategyId?: string | undefined; reason: string }>;
type Parts = Readonly<{ loaded: LoadedConfig; clock: Clock }> & Omit<VenueAccess, 'clock'>;

/**
 * Opens the journal of the config's state for an order that is sent without a run; null where there is none, or no run has opened its
 * ledger yet. The caller holds the folder. What earlier orders have come to is read first, and the account after them.
 * @throws {SafetyError} when journal or venue speak against the order; nothing was written or sent
 * @throws {ConfigError} for a strategy without money, or when the folder is of another mode or another account
 */
export const openOrderJournal = (
  order: HandOrder,
  { loaded, ...access }: Parts,
): Promise<OrderJournal | null> =>
  HandJournal.open(
    { loaded, clock: access.clock },
    ({ opened }) => opened !== null,
    async (journal) => {
      const opened = new OrderJournal(order, journal, access);
      await opened.begin();
      return opened;
    },
  );

/** An order by hand in the journal of a run that has ended. The next start follows it as its own. */
export class OrderJournal implements JournaledSend {
  readonly #order: HandOrder;
  readonly #journal: HandJournal;
  readonly #access: VenueAccess;

  constructor(order: HandOrder, journal: HandJournal, access: VenueAccess) {
    this.#order = order;
    this.#journal = journal;
    this.#access = access;
  }

  /** Reads the venue whole, as a start does. @throws {SafetyError | ConfigError} when that or the journal speaks against the order */
  async begin(): Promise<void> {
    this.#journal.take({ kind: 'recovered' });
    await this.#look();
    const { operator } = this.#journal.kernel;
    const refusal = operator.againstAlone({ command: this.#command, terms: this.#order.terms });
    if (refusal) throw refusalError(refusal);
  }

  through(send: Send): Send {
    return async (gate) => {
      const id = this.#plan();
      let deadline: EpochSeconds | null = null;
      const outcome = await send({
        ...gate,
        open: (prepared) => {
          const permit = gate.open(prepared);
          if (!('deadline' in permit)) return permit;
          deadline = prepared ?? this.#free(permit.deadline);
          return { ...permit, deadline };
        },
        commit: (request) => {
          if (deadline === null) throw new InvariantError('a send must pass its gate before it is committed');
          this.#journal.take({ kind: 'sent', id, deadline, request });
          this.#journal.commit();
          gate.commit(request);
        },
      }).catch((error: unknown) => {
        this.#abandon(id, error);
        throw error;
      });
      this.#journal.take({ kind: 'placed', id, outcome });
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

  get #command(): Extract<OperatorCommand, { kind: 'order' }> {
    const { terms, strategyId } = this.#order;
    const command = { kind: 'order', symbol: terms.symbol, terms: intentTermsOf(terms) } as const;
    return strategyId === undefined ? command : { ...command, strategyId };
  }

  #plan(): OrderId {
    const { terms, reason } = this.#order;
    this.#journal.take({ kind: 'sendAlone', ...byHand(), reason, command: this.#command, terms });
    const planned = this.#journal.pending('planned');
    if (!planned) throw new InvariantError('an order by hand is planned');
    this.#journal.commit();
    return planned.order.id;
  }

  /** The latest deadline until this one that no order under way has: it tells them apart on chain. */
  #free(deadline: EpochSeconds): EpochSeconds {
    const taken = new Deadlines(this.#journal.kernel.context).taken();
    let free: number = deadline;
    while (taken.has(free)) free--;
    return epochSeconds(free);
  }

  /** Notes that nothing was sent, where the gate has stopped it. A request that could not be journaled is left to the next start. */
  #abandon(id: OrderId, error: unknown): void {
    const { state } = this.#journal.kernel.context.accountState.order(id);
    if (state.kind !== 'planned' || !(error instanceof DroverError)) return;
    this.#journal.take({ kind: 'placed', id, outcome: { kind: 'stopped', reason: error.message } });
    this.#journal.commitLater();
  }

  async #look(): Promise<void> {
    const { kernel, take } = this.#journal;
    await readVenueOnce(this.#access, kernel, take);
  }
}

/** Terms of the intent that an order carries out. */
function intentTermsOf(terms: OrderTerms): IntentTerms {
  if (terms.type === 'limit') {
    const { side, quantity, price } = terms;
    return { kind: 'limit', side, quantity, price, goodTill: 'day' };
  }
  if (terms.side === 'sell') return { kind: 'sell', quantity: terms.quantity };
  if (terms.quantity !== undefined) return { kind: 'buyShares', quantity: terms.quantity };
  return { kind: 'buy', notional: terms.notional };
}
