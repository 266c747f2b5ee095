import { InvalidValueError } from '../../core/errors.ts';

/** Trade with a stop. Prices in mUSD per share. */
export type RiskOfTrade = Readonly<{
  /** Equity in mUSD. */
  equity: number;
  price: number;
  /** Price at which the position is closed at a loss; below `price`. */
  stop: number;
  /** Percentage of the equity to lose there: 1 is 1 %. */
  percent: number;
}>;

/**
 * Shares that lose `percent` of the equity in a fall from `price` to `stop` (Tharp, "Trade your way to financial
 * freedom", 1998): equity · percent / 100 / (price − stop), at most what the equity buys. Excludes fees and gaps.
 * @throws {InvalidValueError} for a stop that is not below the price, and for amounts that are not above 0
 */
export function riskPercent({ equity, price, stop, percent }: RiskOfTrade): number {
  if (!(price > 0) || !(stop >= 0) || !(stop < price))
    throw new InvalidValueError(
      `riskPercent: a stop of ${stop} under a price of ${price}; write a stop below the price`,
    );
  if (!(percent > 0) || !(percent <= 100))
    throw new InvalidValueError(`riskPercent: ${percent} percent; write a number above 0, up to 100`);
  const most = Math.max(equity, 0) / price;
  return Math.min((Math.max(equity, 0) * percent) / 100 / (price - stop), most);
}

/** Results of many trades. `winRate` is a fraction; `payoff`: average win over average loss, positive. */
export type TradeOdds = Readonly<{ winRate: number; payoff: number }>;

/**
 * Fraction of the equity by fractional Kelly (Kelly, "A new interpretation of information rate", 1956): fraction · (p −
 * (1 − p) / payoff), 0 to 1. Half (0.5) gives three quarters of the growth at half the swings; inputs are estimates.
 * @throws {InvalidValueError} for odds or a fraction out of their ranges
 */
export function fractionalKelly({ winRate, payoff }: TradeOdds, fraction: number): number {
  if (!(winRate >= 0 && winRate <= 1))
    throw new InvalidValueError(`fractionalKelly: a win rate of ${winRate}; write a part of 1, such as 0.55`);
  if (!(payoff > 0))
    throw new InvalidValueError(`fractionalKelly: a payoff of ${payoff}; write a number above 0`);
  if (!(fraction > 0 && fraction <= 1))
    throw new InvalidValueError(
      `fractionalKelly: a fraction of ${fraction}; write a number above 0, up to 1`,
    );
  return Math.min(Math.max(fraction * (winRate - (1 - winRate) / payoff), 0), 1);
}
