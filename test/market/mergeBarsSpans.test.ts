import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinedSpans, missingSpans, type Span } from '../../src/market/mergeBars.ts';

const SIZE = 30;
const span = fc
  .tuple(fc.nat(SIZE), fc.nat(SIZE))
  .map(([a, b]): Span => ({ from: Math.min(a, b), to: Math.max(a, b) }));

const pointsOf = (spans: readonly Span[]): number[] =>
  Array.from({ length: SIZE }, (_, at) => at).filter((at) =>
    spans.some(({ from, to }) => from <= at && at < to),
  );

test('joined spans hold the same instants, separate and in order', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 8 }), (spans) => {
      const joined = joinedSpans(spans);
      expect(pointsOf(joined)).toEqual(pointsOf(spans));
      joined.forEach(({ from }, index) => expect(from).toBeGreaterThan(joined[index - 1]?.to ?? -1));
    }),
  );
});

test('missing spans are those wanted but not held', () => {
  fc.assert(
    fc.property(span, fc.array(span, { maxLength: 8 }), (wanted, held) => {
      const heldPoints = new Set(pointsOf(held));
      expect(pointsOf(missingSpans(wanted, held))).toEqual(
        pointsOf([wanted]).filter((at) => !heldPoints.has(at)),
      );
    }),
  );
});
