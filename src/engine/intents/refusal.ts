import { InvalidValueError } from '../../core/errors.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';

/**
 * Refusal of a call of `order` that has the right form: account, market, time, config or a number in it does not let it be taken.
 * Its strategy hears of it by `onOrder`, and continues. Every other `InvalidValueError` of a call is a mistake of its author, and
 * stops it.
 */
export class OrderRefusal extends InvalidValueError {
  readonly reason: EndReason;

  constructor(reason: EndReason) {
    super(reason.why);
    this.reason = reason;
  }
}

/** @throws {OrderRefusal} always */
export const refuse = (code: EndCode, why: string): never => {
  throw new OrderRefusal({ code, why });
};

/** The refusal that was thrown. @throws anything else again */
export function refusalOf(thrown: unknown): OrderRefusal {
  if (thrown instanceof OrderRefusal) return thrown;
  throw thrown;
}
