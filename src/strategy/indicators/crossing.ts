import type { Indicator, Pair } from './indicator.ts';

/**
 * 1 at the bar where `value` crosses above `reference`: it is above, and at the bar before it was not. Otherwise 0, or
 * NaN if one of the inputs is NaN; neither passes an `if`. It needs no seed; the first output comes with pair number 2.
 *
 *     const crossed = crossedAbove();                                       // in create()
 *     if (crossed.next({ value: rsi.next(bar.close), reference: 30 })) …    // in onBar, at every bar
 *
 * Source: as `ta.crossover` of TradingView.
 */
export function crossedAbove(): Indicator<Pair> {
  const last = { distance: NaN };
  return {
    warmUp: 2,
    next({ value, reference }) {
      const before = last.distance;
      const now = (last.distance = value - reference);
      if (Number.isNaN(before) || Number.isNaN(now)) return NaN;
      return before <= 0 && now > 0 ? 1 : 0;
    },
  };
}

/**
 * 1 at the bar where `value` crosses below `reference`: it is below now, and was not at the bar before. Otherwise 0;
 * NaN as for `crossedAbove`. It needs no seed; the first output comes with pair number 2.
 *
 * Source: as `ta.crossunder` of TradingView.
 */
export function crossedBelow(): Indicator<Pair> {
  const above = crossedAbove();
  const turned = { value: NaN, reference: NaN };
  return {
    warmUp: 2,
    next({ value, reference }) {
      turned.value = reference;
      turned.reference = value;
      return above.next(turned);
    },
  };
}
