import type { Indicator } from './indicator.ts';

/** Value `length` values ago; NaN until there is one. Base of indicators that compare with an earlier bar. */
export function past(length: number): Indicator {
  const values = new Float64Array(length + 1).fill(NaN);
  let slot = 0;
  return {
    warmUp: length + 1,
    next(value) {
      values[slot] = value;
      slot = slot === length ? 0 : slot + 1;
      return values[slot] ?? NaN;
    },
  };
}
