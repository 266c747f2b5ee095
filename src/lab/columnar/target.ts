import { price as asPrice, type Price } from '../../core/amount.ts';

/** Decision behind a target. `at`: its time; `price`: that of that time, NaN for none; `session`: the one that it is for. */
export type Decision = Readonly<{
  number: number;
  symbol: number;
  weight: number;
  /** Targets whose orders have to end first: their money pays for this one. */
  after: readonly Target[];
  at: number;
  price: number;
  session: number;
}>;

/** Target on its way: it waits, becomes an order, and fills. Amounts as wads. */
export class Target {
  readonly decision: Decision;
  readonly symbol: number;
  session: number;
  state: 'waiting' | 'ordered' | 'ended' = 'waiting';
  /** Of the order: mUSD of a buy, shares of a sell; and what it may take, fees included. */
  isBuy = false;
  amount = 0n;
  reserve = 0n;
  /** Of the fill: its price, and that of the market. `place`: 3 at the open of bar 3, 4 at its close. */
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
