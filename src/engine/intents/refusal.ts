import { InvalidValueError } from '../../core/errors.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';

/**
 * Refusal of a well-formed call of `order`: the account, market, time, config or a number in the call does not allow
 * it. Its strategy is notified by `onOrder`, and continues. Any other `InvalidValueError` of a call is a programming
 * error, and stops the strategy.
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
