import { aboutOrder } from '../state/alarmCodes.ts';
import { restrictionText } from '../risk/restrictions.ts';
import { restrictionName, resumeCommand } from '../../domain/operator/tradingState.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { SendOutcome } from '../../domain/venue.ts';
import { describeTerms } from '../../domain/describe.ts';
import type { EndCode } from '../../domain/orders/endCode.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { EndClaims } from './endClaims.ts';
import type { LateEvent } from '../state/kernelEvent.ts';
import { doubtCalendar } from '../state/market.ts';
import { gasIsWithin, reportGas, unknownOf } from '../state/notice.ts';
import { acceptance, otherHolder, restartEvent } from '../state/submissions.ts';
import type { Freshness } from '../state/freshness.ts';

type Refusal = Extract<SendOutcome, { kind: 'refused' }>;

/** Applies the venue's responses to sends and cancels. */
export class Responses {
  readonly #context: EngineContext;
  readonly #freshness: Freshness;
  readonly #ends: EndClaims;
  /** Reason why a cancel could not be sent, as last reported. */
  #reportedCancel: string | null = null;

  constructor(context: EngineContext, freshness: Freshness, ends: EndClaims) {
    this.#context = context;
    this.#freshness = freshness;
    this.#ends = ends;
  }

  /** Settles orders that were under way in the last run: sent without a response means unknown, planned means never sent. */
  recovered(): void {
    for (const restriction of this.#context.accountState.trading.all)
      this.#context.alarm(
        restrictionName(restriction),
        `${restrictionText(restriction)} (by ${restriction.by}). \`${resumeCommand(restriction.scope)}\` ends that`,
        { code: 'HALTED', ...restriction.scope },
      );
    for (const { id, state, cancel, claim } of [...this.#context.accountState.live.values()]) {
      const event = claim ? null : restartEvent(state);
      if (event?.kind === 'abandoned') this.#context.move(id, abandoned(event.reason, 'RESTARTED'));
      else if (event) this.#context.move(id, event);
      if (cancel.kind === 'sent') this.#context.move(id, { kind: 'cancelLost' });
    }
  }

  placed(id: OrderId, outcome: SendOutcome): void {
    const order = this.#context.accountState.order(id);
    switch (outcome.kind) {
      case 'accepted':
        gasIsWithin(this.#context);
        return this.#accepted(id, outcome.txHash);
      case 'refused':
        this.#failed(order, outcome, 'refused');
        return this.#refused(id, outcome);
      case 'unknown':
        // An order whose transaction is known here may have been shown before.
        if (order.state.kind === 'sent')
          this.#context.alarm(
            unknownOf(id),
            `${describeTerms(order.terms)}: no usable response (${outcome.reason}), reading what became of it`,
            aboutOrder('ORDER_UNKNOWN', order),
          );
        this.#context.move(id, { kind: 'lost', reason: outcome.reason });
        return;
      case 'stopped':
        if (outcome.code === 'GAS') reportGas(this.#context, describeTerms(order.terms), outcome.reason);
        else this.#failed(order, outcome, 'not sent');
        this.#context.move(id, abandoned(outcome.reason, outcome.code));
    }
  }

  /** Reports an order that failed: as an alarm if a person has to look. */
  #failed(order: Order, { alarm, reason }: Pick<Refusal, 'alarm' | 'reason'>, how: string): void {
    const text = `${describeTerms(order.terms)}: ${how}, ${reason}`;
    this.#context.notify(alarm ? 'alarm' : 'end', text, aboutOrder('ORDER_FAILED', order));
  }

  #accepted(id: OrderId, txHash: string): void {
    this.#context.move(id, acceptance(this.#context, this.#context.accountState.order(id), txHash));
  }

  /** Applies a refusal. If any bytes were sent, it is only the venue's claim, and the account has to agree. */
  #refused(id: OrderId, { reason, unproven = false, unsent = false, session }: Refusal): void {
    if (unproven) this.#freshness.sendUnauthorized();
    if (session !== undefined) doubtCalendar(this.#context, session);
    if (this.#neverLeft(id)) this.#context.move(id, abandoned(reason, 'VENUE_REFUSED'));
    else if (unsent) this.#context.move(id, { kind: 'refused', reason });
    else this.#ends.take(id, { kind: 'refused', reason, ...(unproven ? { unproven } : {}) });
  }

  #neverLeft(id: OrderId): boolean {
    return this.#context.accountState.order(id).state.kind === 'planned';
  }

  cancelled(id: OrderId, outcome: SendOutcome): void {
    switch (outcome.kind) {
      case 'accepted':
        gasIsWithin(this.#context);
        return this.#cancelAccepted(id, outcome.txHash);
      case 'unknown':
        this.#context.move(id, { kind: 'cancelLost' });
        return;
      case 'refused':
        this.#reportCancelRefused(id, outcome);
        this.#context.move(id, { kind: 'cancelRefused', reason: outcome.reason, at: this.#context.now });
        this.#context.ask({ kind: 'look', id });
        return;
      case 'stopped':
        // The cancel stays wanted: the next sweep retries it if it is still needed.
        if (outcome.alarm) this.#alarmOfCancel(id, outcome);
    }
  }

  /** Records the progress of an external order's cancel. It is not retried: whoever requested it sees the result. */
  externalCancel(fact: JournalEventOf<'externalCancel'>): void {
    const { event } = fact;
    const other = event.kind === 'accepted' ? otherHolder(this.#context, null, event.txHash) : null;
    if (other === null) return this.#context.record(fact);
    const reason = `the venue answered with a transaction that belongs to ${other}`;
    this.#context.record({ ...fact, event: { kind: 'lost', reason } });
  }

  /** Raises one alarm per reason: a cancel is retried at every sweep. */
  #alarmOfCancel(id: OrderId, { reason, code }: Extract<SendOutcome, { kind: 'stopped' }>): void {
    if (reason === this.#reportedCancel) return;
    this.#reportedCancel = reason;
    const order = this.#context.accountState.order(id);
    const text = describeTerms(order.terms);
    if (code === 'GAS') return reportGas(this.#context, `cancel of ${text}`, reason);
    this.#context.notify(
      'alarm',
      `${text}: its cancel is not sent, ${reason}`,
      aboutOrder('CANCEL_REFUSED', order),
    );
  }

  /** Records the transaction of a cancel. If it were an order's, that order's rows would count as the cancel's and be missed. */
  #cancelAccepted(id: OrderId, txHash: string): void {
    const { accountState } = this.#context;
    const other = otherHolder(this.#context, null, txHash);
    if (other === null) return void this.#context.move(id, { kind: 'cancelAccepted', txHash });
    const reason = `the venue answered the cancel of ${id} with a transaction that belongs to ${other}`;
    this.#context.notify('alarm', reason, {
      code: 'ORDER_CONTRADICTED',
      strategyId: accountState.order(id).strategyId,
    });
    this.#context.move(id, { kind: 'cancelLost' });
  }

  #reportCancelRefused(id: OrderId, { reason, alarm }: Refusal): void {
    const order = this.#context.accountState.order(id);
    const text = `${describeTerms(order.terms)}: the venue refused the cancel, ${reason}`;
    this.#context.notify(alarm ? 'alarm' : 'cancel', text, aboutOrder('CANCEL_REFUSED', order));
  }

  /** Applies a late response: it identifies an order that is still unknown. A late refusal changes nothing, and reads continue. */
  late({ id, what, outcome }: LateEvent): void {
    const { cancel, terms, strategyId } = this.#context.accountState.order(id);
    this.#context.notify(
      'info',
      `${describeTerms(terms)}: the answer to its ${what} came late: ${outcome.kind}`,
      strategyId,
    );
    if (outcome.kind !== 'accepted') return;
    if (what === 'place') this.#accepted(id, outcome.txHash);
    else if (cancel.kind === 'unknown') this.#cancelAccepted(id, outcome.txHash);
  }
}

const abandoned = (reason: string, code: EndCode = 'NOT_SENT') =>
  ({ kind: 'abandoned', reason, code }) as const;
