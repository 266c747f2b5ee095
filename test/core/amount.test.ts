import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bpsOf,
  cash,
  formatDecimal,
  notionalOf,
  parseDecimal,
  price,
  roundTo,
  sharesFor,
  shares,
  stepOf,
  toNumber,
  toTokenUnits,
  WAD,
  wadFromNumber,
  type DecimalRule,
} from '../../src/core/amount.ts';
import { InvalidValueError } from '../../src/core/errors.ts';
import { runs } from '../runs.ts';

/** Every wad whose text the grammar still reads. */
const anyWad = fc.bigInt({ min: -(10n ** 57n), max: 10n ** 57n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
const rounding = fc.constantFrom('down' as const, 'up' as const);
const signed: DecimalRule = { signed: true };

describe('parseDecimal', () => {
  test.each<[name: string, text: string, wad: bigint, rule?: DecimalRule]>([
    ['zero', '0', 0n],
    ['a whole number', '12', 12n * WAD],
    ['a fraction', '0.5', WAD / 2n],
    ['trailing zeros', '1.50', (3n * WAD) / 2n],
    ['all decimals', '0.000000000000000001', 1n],
    ['eighty digits', '9'.repeat(80), (10n ** 80n - 1n) * WAD],
    ['a negative one where signed', '-3.25', (-13n * WAD) / 4n, signed],
    ['a negative zero where signed', '-0', 0n, signed],
    ['as many decimals as the unit has', '1.23', (123n * WAD) / 100n, { places: 2 }],
    ['a whole number of a unit without decimals', '7', 7n * WAD, { places: 0 }],
  ])('reads %s: %s', (...[, text, wad, rule]) => {
    expect(parseDecimal(text, rule)).toBe(wad);
  });

  test.each<[name: string, text: string, rule?: DecimalRule]>([
    ['nothing', ''],
    ['an exponent', '1e-7'],
    ['a plus', '+1', signed],
    ['spaces', ' 1 '],
    ['a newline at its end', '1\n'],
    ['separators', '1,000'],
    ['an underscore', '1_000'],
    ['a leading zero', '01'],
    ['a leading zero behind the sign', '-01', signed],
    ['no digit before the point', '.5'],
    ['no digit after the point', '5.'],
    ['two points', '1.2.3'],
    ['hex', '0x10'],
    ['Arabic digits', '١٢'],
    ['special number words', 'Infinity'],
    ['81 digits', '9'.repeat(81)],
    ['a minus where a sign is not allowed', '-1'],
    ['a negative zero where a sign is not allowed', '-0'],
    ['two minuses', '--1', signed],
    ['nineteen decimals', '0.0000000000000000001'],
    ['more decimals than the unit has', '1.234', { places: 2 }],
    ['superfluous zeros beyond the decimals', '1.230', { places: 2 }],
    ['a point in a unit without places', '7.0', { places: 0 }],
  ])('refuses %s: %j', (_name, text, rule) => {
    expect(() => parseDecimal(text, rule)).toThrow(InvalidValueError);
  });

  test('names the refused text and what is wrong with it, and only the length of a very long one', () => {
    expect(() => parseDecimal('1.234', { places: 2 })).toThrow(
      '"1.234" has 3 decimal places, at most 2 are possible',
    );
    expect(() => parseDecimal('-1')).toThrow('"-1" must not be negative');
    expect(() => parseDecimal('9'.repeat(1e6))).toThrow(
      'a text of 1000000 characters is not a plain decimal number such as 1000 or 0.5',
    );
  });

  test('reads back what formatDecimal prints', () => {
    fc.assert(
      fc.property(anyWad, (wad) => {
        expect(parseDecimal(formatDecimal(wad), signed)).toBe(wad);
      }),
    );
  });

  test('either refuses any text or returns exactly the number it writes', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'0 1 2 3 4 5 6 7 8 9 . - + e ,'.split(' '), ' ') }),
    );
    fc.assert(
      fc.property(text, (any) => {
        const wad = (() => {
          try {
            return parseDecimal(any, signed);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidValueError);
            return null;
          }
        })();
        if (wad !== null) expect(Number(any)).toBeCloseTo(toNumber(wad), 6);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

test.each<[bigint, string]>([
  [0n, '0'],
  [1n, '0.000000000000000001'],
  [-1n, '-0.000000000000000001'],
  [-WAD / 2n, '-0.5'],
  [120n * WAD, '120'],
  [10n ** 60n, `1${'0'.repeat(42)}`],
])('formatDecimal prints %s as %s', (wad, text) => {
  expect(formatDecimal(wad)).toBe(text);
});

describe('wadFromNumber', () => {
  test.each<[number, string]>([
    [0.1 + 0.2, '0.3'],
    [1.005, '1.005'],
    [-2.5, '-2.5'],
    [0, '0'],
    [-0, '0'],
    [431.2, '431.2'],
    [1e21, '1000000000000000000000'],
    [1e-18, '0.000000000000000001'],
    [1.9e-18, '0.000000000000000001'],
    [-1.9e-18, '-0.000000000000000001'],
    [5e-324, '0'],
    [2 ** 53, '9007199254740990'],
    [123_456_789.123_456, '123456789.123456'],
  ])('%s is %s', (value, text) => {
    expect(formatDecimal(wadFromNumber(value))).toBe(text);
  });

  test.each([NaN, Infinity, -Infinity])('%s is refused', (value) => {
    expect(() => wadFromNumber(value)).toThrow(InvalidValueError);
  });

  test('agrees with the printed decimal of every number of at most 15 digits', () => {
    const digits = fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 18 }), (number, places) => {
        const wad = BigInt(number) * stepOf(places);
        expect(wadFromNumber(Number(formatDecimal(wad)))).toBe(wad);
      }),
    );
  });
});

describe('toNumber(wad)', () => {
  test('gives the float64 nearest to the decimal', () => {
    const short = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }).map((units) => units * stepOf(4));
    fc.assert(
      fc.property(fc.oneof(anyWad, short), (wad) => {
        expect(toNumber(wad)).toBe(Number(formatDecimal(wad)));
      }),
    );
  });
});

describe('rounding of amounts', () => {
  test.each<[wad: bigint, step: bigint, down: bigint, up: bigint]>([
    [7n, 5n, 5n, 10n],
    [-7n, 5n, -10n, -5n],
    [10n, 5n, 10n, 10n],
    [-10n, 5n, -10n, -10n],
    [0n, 5n, 0n, 0n],
    [1n, WAD, 0n, WAD],
  ])('roundTo: %s to a multiple of %s is %s down and %s up', (...[wad, step, down, up]) => {
    expect([roundTo(wad, step, 'down'), roundTo(wad, step, 'up')]).toEqual([down, up]);
  });

  test('roundTo gives the nearest multiple on the chosen side, for either sign', () => {
    fc.assert(
      fc.property(anyWad, positive, (wad, step) => {
        const [down, up] = [roundTo(wad, step, 'down'), roundTo(wad, step, 'up')];
        expect([down % step, up % step]).toEqual([0n, 0n]);
        expect(down <= wad && wad < down + step).toBe(true);
        expect(up >= wad && wad > up - step).toBe(true);
      }),
    );
  });

  /** `result` is the quotient on its side: no whole step away, and on the right side. */
  const expectQuotient = (dividend: bigint, divisor: bigint, [down, up]: [bigint, bigint]) => {
    expect(down * divisor <= dividend && dividend < (down + 1n) * divisor).toBe(true);
    expect(up * divisor >= dividend && dividend > (up - 1n) * divisor).toBe(true);
  };

  test('notionalOf is off by less than one unit, towards minus or plus infinity', () => {
    fc.assert(
      fc.property(anyWad, positive, (quantity, at) => {
        const of = (side: 'down' | 'up') => notionalOf(shares(quantity), price(at), side);
        expectQuotient(quantity * at, WAD, [of('down'), of('up')]);
      }),
    );
  });

  test('sharesFor is off by less than one unit, and rounded down never buys more than the amount', () => {
    fc.assert(
      fc.property(anyWad, positive, (amount, at) => {
        const of = (side: 'down' | 'up') => sharesFor(cash(amount), price(at), side);
        expectQuotient(amount * WAD, at, [of('down'), of('up')]);
        expect(notionalOf(of('down'), price(at), 'up') <= amount).toBe(true);
      }),
    );
  });

  test('bpsOf is off by less than one unit, for negative amounts and negative bps too', () => {
    fc.assert(
      fc.property(anyWad, fc.integer({ min: -20_000, max: 20_000 }), (amount, bps) => {
        const of = (side: 'down' | 'up') => bpsOf(cash(amount), bps, side);
        expectQuotient(amount * BigInt(bps), 10_000n, [of('down'), of('up')]);
      }),
    );
  });

  test('notionalOf and bpsOf give the same result down and up when the division is exact', () => {
    fc.assert(
      fc.property(anyWad, rounding, (wad, side) => {
        expect(notionalOf(shares(wad), price(WAD), side)).toBe(wad);
        expect(bpsOf(cash(wad), 10_000, side)).toBe(wad);
      }),
    );
  });
});

describe('toTokenUnits', () => {
  test('gives whole units of a token with fewer decimals', () => {
    expect(toTokenUnits(parseDecimal('12.34'), 6)).toBe(12_340_000n);
    expect(toTokenUnits(parseDecimal('-0.000001', signed), 6)).toBe(-1n);
    expect(toTokenUnits(7n, 18)).toBe(7n);
  });

  test('refuses an amount that has more digits than the token', () => {
    expect(() => toTokenUnits(parseDecimal('0.0000001'), 6)).toThrow(
      '0.0000001 has more than the 6 places of the token',
    );
  });
});
