import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecimal, WAD } from '../../src/core/amount.ts';
import { moneyText, priceText, sharesText } from '../../src/domain/amountText.ts';

const wad = (text: string) => parseDecimal(text, { signed: true });

test.each([
  ['5000.25', ['5000.25', '5000.25', '5000.25']],
  ['5000', ['5000.00', '5000.00', '5000.00']],
  ['100.110001', ['100.11', '100.11', '100.12']],
  ['100.115', ['100.12', '100.11', '100.12']],
  ['0.004', ['0.00', '<0.01', '0.01']],
  ['-0.004', ['0.00', '-0.01', '>-0.01']],
])('moneyText shows %s rounded to the cent, down and up: %j', (amount, texts) => {
  const at = wad(amount);
  expect([moneyText(at), moneyText(at, 'down'), moneyText(at, 'up')]).toEqual(texts);
});

test.each([
  ['2.5', '2.5', '2.5'],
  ['1.234567891', '1.234567', '1.234568'],
  ['0.0000001', '<0.000001', '0.000001'],
  ['0.000000000000000307', '<0.000001', '0.000001'],
  ['45.980349450655824984', '45.980349', '45.98035'],
  ['3', '3', '3'],
])('sharesText shows %s shares as %s rounded down and as %s rounded up', (amount, down, up) => {
  expect([sharesText(wad(amount)), sharesText(wad(amount), 'up')]).toEqual([down, up]);
});

test.each([
  ['200.5', '200.50'],
  ['200.123456', '200.12'],
  ['0.12345', '0.1235'],
  ['0.5', '0.50'],
])('priceText shows a price of %s as %s', (amount, text) => {
  expect(priceText(wad(amount))).toBe(text);
});

test('amounts rounded up never show less than they are, and amounts rounded down never more', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 9n * WAD), (amount) => {
      for (const text of [moneyText, sharesText]) {
        expect(wad(text(amount, 'up'))).toBeGreaterThanOrEqual(amount);
        const least = text(amount, 'down');
        if (least.startsWith('<')) expect(wad(least.slice(1))).toBeGreaterThan(amount);
        else expect(wad(least)).toBeLessThanOrEqual(amount);
      }
    }),
  );
});
