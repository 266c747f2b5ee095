import { expect, test } from 'vitest';
import { worthsOf } from '../../src/page/views/account/account.tsx';

const asset = (
  name: string,
  venue: string,
  more: Partial<Record<'wallet' | 'queuedIn' | 'debt', string>> = {},
) => ({
  asset: name,
  name,
  owners: [],
  venue,
  wallet: '0',
  queuedIn: '0',
  queuedOut: '0',
  debt: '0',
  difference: null,
  ...more,
});

const position = (symbol: string, price: string | null) => ({
  symbol,
  shares: '1',
  averagePrice: null,
  price,
  value: null,
  unrealised: null,
});

/** A status whose strategy holds SPY, and that has F and an unpriced stock outside of strategies. */
const status = {
  strategies: [{ positions: [position('SPY', '500')] }],
  unallocated: { positions: [position('F', '10'), position('KO', null)] },
} as never;

test('the worth of an asset is its amount in all places at its last price', () => {
  const assets = [
    asset('mUSD', '900', { wallet: '100' }),
    asset('SPY', '2'),
    asset('F', '0.5', { debt: '-0.25' }),
  ];
  const { worths, sum } = worthsOf(assets, status);
  expect(worths.map(({ name, amount, worth }) => [name, amount, worth])).toEqual([
    ['mUSD', '1000', '1000'],
    ['SPY', '2', '1000'],
    ['F', '0.25', '2.5'],
  ]);
  expect(sum).toBe('2002.5');
  expect(worths.map(({ share }) => share)).toEqual([0.4993, 0.4993, 0.0012]);
});

test('an asset without a price has no value and no share, and is left out of the sum', () => {
  const { worths, sum } = worthsOf([asset('mUSD', '10'), asset('KO', '3')], status);
  expect(worths.at(1)).toMatchObject({ price: null, worth: null, share: null });
  expect(sum).toBe('10');
});

test('an account that owes more than it has shows no percentages of its total', () => {
  const { worths, sum } = worthsOf([asset('mUSD', '100'), asset('SPY', '0', { debt: '-1' })], status);
  expect(sum).toBe('-400');
  expect(worths.map(({ share }) => share)).toEqual([null, null]);
});
