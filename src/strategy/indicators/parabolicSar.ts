import { InvalidValueError } from '../../core/errors.ts';
import type { Candle, Indicator } from './indicator.ts';
import { requireMultiple } from './require.ts';

type Input = Pick<Candle, 'high' | 'low'>;

/**
 * Parabolic SAR (stop and reverse), in the unit of the price: a stop below a rising and above a falling trend. Per bar
 * it moves by `pace × (extreme − stop)`, never beyond the low (high) of this bar and the one before. `extreme` is the
 * highest high (lowest low) of the trend; `pace` starts at `step` and grows by it with each new extreme, up to `limit`.
 * A bar that touches the stop reverses the trend: the stop is then the extreme, or the high (low) of this bar or the
 * last if that is beyond it. The output is the stop in force during the bar; at a reversal, the new one.
 *
 * Seed: the trend of bar 2 falls if its low fell by more than its high rose. Its stop is the low (high) of bar 1, its
 * extreme the high (low) of bar 2, which may reverse it. The first output comes with bar number 2.
 *
 * Source: J. W. Wilder, New Concepts in Technical Trading Systems, 1978, with the seed of TA-Lib.
 * @throws {InvalidValueError} unless both are numbers above 0, and `limit` is not below `step`
 */
export function parabolicSar(step = 0.02, limit = 0.2): Indicator<Input> {
  requireMultiple('parabolicSar', step, 'step');
  requireMultiple('parabolicSar', limit, 'limit');
  if (limit < step)
    throw new InvalidValueError(`parabolicSar needs a limit not below its step, not ${limit} and ${step}`);
  // Prices are multiplied by `side`, so that a fall is a rise of negative prices. `far`: the direction of the trend.
  const trend = { side: NaN, stop: NaN, extreme: NaN, pace: step };
  const last = { high: NaN, low: NaN };

  const begin = ({ high, low }: Input): void => {
    const fall = last.low - low;
    trend.side = fall > 0 && fall > high - last.high ? -1 : 1;
    trend.stop = trend.side > 0 ? last.low : -last.high;
    trend.extreme = trend.side > 0 ? high : -low;
    last.high = high;
    last.low = low;
  };

  const turn = ({ high, low }: Input): void => {
    const far = trend.side > 0 ? Math.max(high, last.high) : -Math.min(low, last.low);
    trend.stop = -Math.max(trend.extreme, far);
    trend.side = -trend.side;
    trend.extreme = trend.side > 0 ? high : -low;
    trend.pace = step;
  };

  return {
    warmUp: 2,
    next(bar) {
      const { high, low } = bar;
      if (Number.isNaN(trend.side) && !Number.isNaN(last.high)) begin(bar);
      const touched = (trend.side > 0 ? low : -high) <= trend.stop;
      if (touched) turn(bar);
      const answer = trend.side * trend.stop;
      const far = trend.side > 0 ? high : -low;
      if (far > trend.extreme) {
        trend.extreme = far;
        trend.pace = Math.min(trend.pace + step, limit);
      }
      const near = trend.side > 0 ? Math.min(low, last.low) : -Math.max(high, last.high);
      trend.stop = Math.min(trend.stop + trend.pace * (trend.extreme - trend.stop), near);
      last.high = high;
      last.low = low;
      return answer;
    },
  };
}
