import type { Indicator, Pair } from './indicator.ts';

/**
 * 1 with the bar on which `value` comes above `reference`: it is above, and at the bar before it was not. Else 0. Both are NaN while one of
 * the four is, and neither NaN nor 0 passes an `if`. It needs no seed; the first answer comes with pair number 2.
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
 * 1 with the bar on which `value` comes below `reference`: it is below, and at the bar before it was not. Else 0; NaN as `crossedAbove`. It
 * needs no seed; the first answer comes with pair number 2.
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
