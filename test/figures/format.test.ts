import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wadFromNumber } from '../../src/core/amount.ts';
import { priceText, sharesText } from '../../src/domain/amountText.ts';
import { written } from '../../src/figures/format.ts';

const plain = (text: string) => text.replaceAll(',', '');

test.each([0.889885500001, 0.889886, 0.29, 1.005, 45.980349450655825, 3, 1_234.0000019])(
  'figures show %d shares as every other text does',
  (value) => {
    expect(plain(written(value, 'shares'))).toBe(sharesText(wadFromNumber(value)));
  },
);

test('figures and texts round any number of shares and any price in the same way', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 1e6 }), (whole, parts) => {
      const shares = (whole % 1_000) + parts / 1e6;
      expect(plain(written(shares, 'shares'))).toBe(sharesText(wadFromNumber(shares)));
      const price = whole / 1e4;
      const shown = Number(priceText(wadFromNumber(price)));
      expect(Number(plain(written(price, 'price')))).toBeCloseTo(shown, price < 1 ? 4 : 2);
    }),
  );
});
