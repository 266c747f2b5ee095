import { expect, test } from 'vitest';
import { shortAmounts } from '../../src/domain/shortAmounts.ts';

test.each([
  [
    'bought 0.123456789012345678 AAPL at 187.2, paid 23.119876543',
    'bought 0.123456 AAPL at 187.2, paid 23.12',
  ],
  ['sold 0.000012345678 KO at 62.1234, received 0.995', 'sold 0.000012 KO at 62.12, received 1.00'],
  ['sell 0.0000123456789 KO', 'sell 0.000012 KO'],
  ['0.000000000000000307 of AAPL is dust', '<0.000001 of AAPL is dust'],
  [
    'AAPL: 0 in the ledger, 0.000000000000000307 at the venue',
    'AAPL: 0 in the ledger, <0.000001 at the venue',
  ],
  [
    'needs 5.123456789: `drover wallet approve USDC 5.123456789` approves 5.123456789',
    'needs 5.123456: `drover wallet approve USDC 5.123456789` approves 5.123456',
  ],
  ['buy 1 KO at 0.12345678', 'buy 1 KO at 0.1235'],
  ['open 49.790878311093407687 NVDA', 'open 49.790878 NVDA'],
  ['sell 43.0205135 AAPL', 'sell 43.020513 AAPL'],
  ['buy SPY for 499.999999', 'buy SPY for 500.00'],
  ['needs 10011.0000001 mUSD, has 9000.5 free', 'needs 10011.00 mUSD, has 9000.5 free'],
  [
    'bought for 93.204 mUSD for 1.23456789 AAPL at 0.1234',
    'bought for 93.20 mUSD for 1.234567 AAPL at 0.1234',
  ],
  ['paid 0.0000012', 'paid <0.01'],
  ['buy 3 AAPL at 0.1234: at 10.0.0.12345678', 'buy 3 AAPL at 0.1234: at 10.0.0.12345678'],
  [
    'since 2026-06-17T09:30:00.123456789Z, 00.123456789',
    'since 2026-06-17T09:30:00.123456789Z, 00.123456789',
  ],
  ['the strategy has 0.5000001234.', 'the strategy has 0.5.'],
  [`${'9'.repeat(200)}.123456789`, `${'9'.repeat(200)}.123456789`],
  ['0x12.12345678 and 1.2.3', '0x12.12345678 and 1.2.3'],
])('short amounts round for reading: %s', (text, shown) => {
  expect(shortAmounts(text)).toBe(shown);
});

test.each([
  [
    'mUSD: 83906.47140027733 in the ledger, 83905.0019 at the venue',
    'mUSD: 83906.47 in the ledger, 83905.00 at the venue',
  ],
  [
    'mUSD: 100000.000000000000000001 in the ledger, 100000 at the venue',
    'mUSD: 100000.000000000000000001 in the ledger, 100000 at the venue',
  ],
  [
    'difference in mUSD: the ledger says 10.00123, the venue 10.0044567',
    'difference in mUSD: the ledger says 10.001, the venue 10.004',
  ],
  [
    'AAPL: 1.23456789 in the ledger, 1.234567123 at the venue; mUSD: 5.12345 in the ledger, 4 at the venue',
    'AAPL: 1.2345678 in the ledger, 1.2345671 at the venue; mUSD: 5.12 in the ledger, 4 at the venue',
  ],
  [
    'AAPL: 0.0000004 in the ledger, 0.0000009 at the venue; mUSD: 0.001 in the ledger, 0.004 at the venue',
    'AAPL: 0.0000004 in the ledger, 0.0000009 at the venue; mUSD: 0.001 in the ledger, 0.004 at the venue',
  ],
])('short amounts keep enough digits to show a difference: %s', (text, shown) => {
  expect(shortAmounts(text)).toBe(shown);
});
