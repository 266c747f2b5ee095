import { InvalidValueError } from '../../core/errors.ts';
import type { DataView } from '../../engine/strategy/viewData.ts';
import type { Orders } from '../../strategy/contract.ts';
import type { OrderVerb } from './messages.ts';
import type { ThreadPort } from './threadPort.ts';

/** Id returned for a call outside a hook, which places nothing. */
const IGNORED = 'ignored';

/**
 * The orders of a strategy in a thread: each call goes to the main thread and waits there for what it came to, so that it
 * gives the same id, throws the same error and changes the view as it would without a thread.
 */
export class ThreadOrders implements Orders {
  readonly #port: ThreadPort;
  readonly #view: DataView;
  /** On while a hook runs: the main thread waits for it, and answers. */
  isOpen = false;
  /** A call came while no hook ran. */
  isLate = false;

  constructor(port: ThreadPort, view: DataView) {
    this.#port = port;
    this.#view = view;
  }

  buy(...args: Parameters<Orders['buy']>): string {
    return this.#send('buy', args);
  }

  sell(...args: Parameters<Orders['sell']>): string {
    return this.#send('sell', args);
  }

  limit(...args: Parameters<Orders['limit']>): string {
    return this.#send('limit', args);
  }

  target(...args: Parameters<Orders['target']>): void {
    this.#send('target', args);
  }

  rebalance(...args: Parameters<Orders['rebalance']>): void {
    this.#send('rebalance', args);
  }

  cancel(...args: Parameters<Orders['cancel']>): void {
    this.#send('cancel', args);
  }

  #send(verb: OrderVerb, args: readonly unknown[]): string {
    if (!this.isOpen) {
      this.isLate = true;
      return IGNORED;
    }
    const answer = this.#port.ask({ kind: 'order', verb, args });
    this.#view.take(answer.view);
    if ('refused' in answer) throw errorOf(answer);
    return answer.id;
  }
}

const errorOf = ({ refused, isInvalid }: Readonly<{ refused: string; isInvalid: boolean }>): Error =>
  isInvalid ? new InvalidValueError(refused) : new Error(refused);
