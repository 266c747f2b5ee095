import { describe, expect, test } from 'vitest';
import { toTokenQuote } from '../../src/api/convert.ts';
import { ticker } from '../../src/domain/instrument.ts';

const AAPL = ticker('AAPL');
const WAD = 10n ** 18n;

const quoteOf = (onChain: Readonly<Record<string, unknown>> | null) =>
  toTokenQuote(AAPL, { basicInfo: { symbol: 'AAPL', price: 200, lastUpdateTimestamp: 1_000 }, onChain });

describe('the price of a token', () => {
  test('is read with that of the share, and with their time', () => {
    expect(quoteOf({ price: 200.48, multiplier: '1.0024' })).toEqual({
      symbol: AAPL,
      share: 200n * WAD,
      price: (20_048n * WAD) / 100n,
      ratio: (10_024n * WAD) / 10_000n,
      at: 1_000_000,
    });
  });

  test.each([
    null,
    {},
    { price: null },
    { price: 0 },
    { price: -1 },
    { price: 'soon' },
    { price: [1] },
    { price: '' },
  ])('is unknown when the venue reports %j', (onChain) => {
    expect(quoteOf(onChain)).toMatchObject({ price: null, ratio: null });
  });

  test.each([
    [0, 0n],
    [-2, -2n * WAD],
    ['-2', -2n * WAD],
    ['many', 0n],
    [{}, 0n],
    [1e6, 1_000_000n * WAD],
    [null, null],
  ])('has the stated multiplier %j, or 0', (multiplier, ratio) => {
    expect(quoteOf({ price: 1, multiplier })).toMatchObject({ ratio });
  });
});
