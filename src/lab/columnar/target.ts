import { price as asPrice, type Price } from '../../core/amount.ts';

/** Decision behind a target, at `at` for a session. `price`: price at that time, NaN for none. */
export type Decision = Readonly<{
  number: number;
  symbol: number;
  weight: number;
  /** Targets whose orders must end first, because their proceeds pay for this one. */
  after: readonly Target[];
  at: number;
  price: number;
  session: number;
}>;

/** Target in progress: it waits, becomes an order, and fills. Amounts as wads. */
export class Target {
  readonly decision: Decision;
  readonly symbol: number;
  session: number;
  state: 'waiting' | 'ordered' | 'ended' = 'waiting';
  /** Order fields: side; then the amount, mUSD of a buy or shares of a sell, and its reserve, fees included. */
  isBuy = false;
  amount = 0n;
  reserve = 0n;
  /** Fill fields: its price, and the market price. `place`: 3 at the open of bar 3, 4 at its close. */
  isFilled = false;
  filledAt = NaN;
  place = NaN;
  filled: Price = asPrice(0n);
  market: Price = asPrice(0n);

  constructor(decision: Decision) {
    this.decision = decision;
    this.symbol = decision.symbol;
    this.session = decision.session;
  }
}

export function without(list: Target[], target: Target): void {
  if (list.length === 1) list.pop();
  else list.splice(list.indexOf(target), 1);
}
