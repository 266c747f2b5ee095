import { formatDecimal } from '../core/amount.ts';
import {
  moveOperation,
  operationHasEnded,
  type Operation,
  type OperationEvent,
  type OperationId,
} from '../domain/operation.ts';
import type { OperationBook } from '../domain/operationBook.ts';
import type { SignedSend } from '../domain/venue.ts';
import { describeOperation } from './describe.ts';
import type { Desk } from './desk.ts';

/** Moves operations in the books, and tells of it. */
export class TreasuryMoves {
  readonly #desk: Desk;
  /** How many have ended: what was read of the account before is old. */
  ended = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get book(): OperationBook {
    return this.#desk.books.operations;
  }

  /** An impossible event stops the treasury and changes nothing else. */
  move(id: OperationId, event: OperationEvent, request?: SignedSend): void {
    const result = moveOperation(this.book.operation(id), event);
    if (result.kind === 'stale') return;
    if (result.kind === 'illegal') return this.stop(`operation ${id}: ${result.rule}`);
    this.#desk.record({ kind: 'operation', id, event, ...(request ? { request } : {}) });
    if (result.alarm !== undefined) this.stop(`operation ${id}: ${result.alarm}`);
    const { operation } = result;
    if (operationHasEnded(operation)) this.ended++;
    this.#narrate(operation);
  }

  stop(why: string): void {
    if (this.book.stopped !== null) return;
    this.#desk.record({ kind: 'treasuryStopped', why });
    this.#desk.tell('alarm', `the treasury has stopped: ${why}`);
  }

  #narrate(operation: Operation): void {
    const { state, terms } = operation;
    const text = describeOperation(operation);
    if (state.kind === 'sent') this.#desk.tell('sent', text);
    if (state.kind === 'settled') {
      const received = terms.kind === 'approve' ? '' : `, ${formatDecimal(state.received)} received`;
      this.#desk.tell('account', `${text}: done${received}`);
    }
    if (state.kind === 'failed') this.#desk.tell('alarm', `${text}: failed on chain, ${state.reason}`);
  }
}
