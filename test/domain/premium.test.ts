import { describe, expect, test } from 'vitest';
import { parseDecimal, parsePrice } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { premiumOf, TOKEN_AGE_MS, type PerToken, type TokenRatio } from '../../src/domain/premium.ts';

const AAPL = ticker('AAPL');
const NOW = epochMs(1_000_000_000);

type Shown = readonly [token: string | null, share: string, ratio: string | null];

const premium = ([token, share, ratio]: Shown, ageMs = 0) =>
  premiumOf(
    AAPL,
    {
      symbol: AAPL,
      share: parsePrice(share, { signed: true }),
      price: token === null ? null : (parseDecimal(token) as PerToken),
      ratio: ratio === null ? null : (parseDecimal(ratio, { signed: true }) as TokenRatio),
      at: epochMs(NOW - ageMs),
    },
    NOW,
  );

describe('the premium of a token', () => {
  test.each<[string, string, string, number]>([
    ['101', '100', '1', 100],
    ['99', '100', '1', -100],
    ['100', '100', '1', 0],
    // 212.5088 is 212 times 1.0024: no premium in exact arithmetic.
    ['212.5088', '212', '1.0024', 0],
    ['212.508800000000000001', '212', '1.0024', 0.01],
    ['101.0000000001', '100', '1', 100.01],
    ['98.9999999999', '100', '1', -100.01],
    ['150', '100', '1', 5_000],
    ['50', '100', '1', -5_000],
  ])('of %s a token, %s a share and %s shares a token is %d bps', (...[token, share, ratio, bps]) => {
    expect(premium([token, share, ratio])).toMatchObject({ kind: 'known', bps });
  });

  test.each([
    ['without a price of the token', [null, '100', '1'], /shows no present price/],
    ['with a share of 0', ['100', '0', '1'], /shows no present price/],
    ['with a ratio of 0', ['100', '100', '0'], /cannot stand for 0 shares/],
    ['with a negative ratio', ['100', '100', '-1'], /cannot stand for -1 shares/],
    ['of 90 %', ['190', '100', '1'], /a premium of 9000 bps .* is not believed/],
    ['of minus 50.01 %', ['49.99', '100', '1'], /a premium of -5001 bps .* is not believed/],
    [
      'with a ratio that has jumped by 10⁶',
      ['100', '100', '1000000'],
      /a premium of -9999.99 bps .* not believed/,
    ],
    ['with a ratio that has fallen by 10⁶', ['100', '100', '0.000001'], /is not believed/],
  ] as const)('%s is unknown', (_, shown, why) => {
    expect(premium(shown)).toMatchObject({ kind: 'unknown', why: expect.stringMatching(why) });
  });

  test('from a price more than five minutes old is unknown', () => {
    expect(premium(['101', '100', '1'], TOKEN_AGE_MS)).toMatchObject({ kind: 'known' });
    expect(premium(['101', '100', '1'], TOKEN_AGE_MS + 1)).toMatchObject({ kind: 'unknown' });
    expect(premiumOf(AAPL, undefined, NOW)).toMatchObject({ kind: 'unknown' });
  });

  test('without a ratio has no figure, and shows both prices', () => {
    expect(premium(['101', '100', null])).toMatchObject({
      kind: 'noRatio',
      why: expect.stringContaining('101 a token, 100 a share'),
    });
  });
});
