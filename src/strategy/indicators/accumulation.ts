import { fold } from './fold.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireLength } from './require.ts';

type Input = Pick<Candle, 'high' | 'low' | 'close' | 'volume'>;

/** Volume of a bar, weighted from +1 for a close at the high to −1 for a close at the low; 0 without a range. */
const flowOf = ({ high, low, close, volume }: Input): number =>
  high === low ? 0 : ((close - low - (high - close)) / (high - low)) * volume;

/**
 * Accumulation/distribution line, in shares: `Σ ((close − low) − (high − close)) / (high − low) × volume`, 0 for a bar
 * without a range. It starts with bar number 1, as does the output, so only its changes are meaningful.
 *
 * Source: M. Chaikin, Chaikin Accumulation/Distribution, 1981.
 */
export function accumulationDistribution(): Indicator<Input> {
  const state = { balance: 0 };
  return {
    warmUp: 1,
    next: (bar) => (state.balance += flowOf(bar)),
  };
}

/**
 * Chaikin money flow, −1 to 1: change of `accumulationDistribution` over the last `length` bars, divided by their
 * volume. NaN if nothing was traded in them. It needs no seed; the first output comes with bar number `length`.
 *
 * Source: M. Chaikin, 1982; the default length is that of most charts.
 * @throws {InvalidValueError} unless `length` is a whole number above 0
 */
export function cmf(length = 20): Indicator<Input> {
  requireLength('cmf', length);
  const [flow, volume] = [fold(length, 'total'), fold(length, 'total')];
  return {
    warmUp: length,
    next: (bar) => flow.next(flowOf(bar)) / volume.next(bar.volume),
  };
}
