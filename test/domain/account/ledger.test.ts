import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../../src/core/errors.ts';
import {
  freeOf,
  Ledger,
  reservedOf,
  UNALLOCATED,
  VENUE,
  type Asset,
  type Bucket,
  type Posting,
} from '../../../src/domain/account/ledger.ts';
import { AAPL, MSFT } from '../orders.ts';
import { runs } from '../../runs.ts';

const OWNERS = [UNALLOCATED, 'alpha', 'beta'];
const ASSETS: Asset[] = ['mUSD', AAPL, MSFT];
const places = OWNERS.flatMap((strategyId) => [freeOf(strategyId), reservedOf(strategyId)]).concat(VENUE);

const everything = (ledger: Ledger) =>
  places.flatMap(({ strategyId, bucket }) =>
    ASSETS.map((asset) => ledger.balance(strategyId, bucket, asset)),
  );

const asset = fc.constantFrom(...ASSETS);
const place = fc.constantFrom(...places);
const amount = fc.bigInt({ min: -50n, max: 50n });
const posting: fc.Arbitrary<Posting> = fc
  .record({ place, asset, amount })
  .map(({ place: { strategyId, bucket }, ...rest }) => ({ strategyId, bucket, ...rest }));
/** Balanced postings, unbalanced ones, and balanced ones that may be too large. */
const postings: fc.Arbitrary<Posting[]> = fc.oneof(
  fc.array(posting, { maxLength: 4 }),
  fc.record({ asset, amount, from: place, to: place }).map(({ asset, amount, from, to }) => [
    { ...from, asset, amount: -amount },
    { ...to, asset, amount },
  ]),
);

describe('the ledger', () => {
  test('sums to zero in each asset, is never negative, and stays unchanged when it refuses postings', () => {
    fc.assert(
      fc.property(fc.array(postings, { minLength: 1, maxLength: 40 }), (batches) => {
        const ledger = new Ledger();
        for (const batch of batches) {
          const before = everything(ledger);
          const sumOf = (each: Asset) =>
            batch.map((one) => (one.asset === each ? one.amount : 0n)).reduce((sum, one) => sum + one, 0n);
          let refused = false;
          try {
            ledger.post('any', batch);
          } catch (error) {
            expect(error).toBeInstanceOf(InvariantError);
            expect(everything(ledger)).toEqual(before);
            refused = true;
          }
          if (ASSETS.some((each) => sumOf(each) !== 0n)) expect(refused).toBe(true);
          for (const each of ASSETS) {
            const balances = places.map(({ strategyId, bucket }) => ledger.balance(strategyId, bucket, each));
            expect(balances.reduce((sum, one) => sum + one, 0n)).toBe(0n);
            expect(balances.slice(0, -1).some((one) => one < 0n)).toBe(false);
            expect(ledger.total(each)).toBe(balances.slice(0, -1).reduce((sum, one) => sum + one, 0n));
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  const opened = () => {
    const ledger = new Ledger();
    ledger.move('opening', { asset: 'mUSD', amount: 100n, from: VENUE, to: freeOf('alpha') });
    return ledger;
  };

  test.each<[name: string, postings: Posting[], message: string]>([
    ['unbalanced', [{ ...freeOf('alpha'), asset: 'mUSD', amount: 1n }], 'x does not balance in mUSD'],
    [
      'balanced only across assets',
      [
        { ...freeOf('alpha'), asset: 'mUSD', amount: -1n },
        { ...freeOf('alpha'), asset: AAPL, amount: 1n },
      ],
      'x does not balance in mUSD',
    ],
    [
      'overdrawn by one unit',
      [
        { ...freeOf('alpha'), asset: 'mUSD', amount: -101n },
        { ...reservedOf('alpha'), asset: 'mUSD', amount: 101n },
      ],
      'x takes more mUSD than is free',
    ],
    [
      'of another owner',
      [
        { ...freeOf('beta'), asset: 'mUSD', amount: -1n },
        { ...freeOf('alpha'), asset: 'mUSD', amount: 1n },
      ],
      'x takes more mUSD than is free',
    ],
  ])('refuses postings that are %s', (_name, batch, message) => {
    expect(() => opened().post('x', batch)).toThrow(message);
  });

  test('judges a batch of postings by its result, not by their order', () => {
    const ledger = opened();
    ledger.post('through and through', [
      { ...reservedOf('alpha'), asset: 'mUSD', amount: -100n },
      { ...freeOf('alpha'), asset: 'mUSD', amount: -100n },
      { ...reservedOf('alpha'), asset: 'mUSD', amount: 200n },
    ]);
    const of = (bucket: Bucket) => ledger.balance('alpha', bucket, 'mUSD');
    expect([of('free'), of('reserved'), ledger.held('alpha', 'mUSD')]).toEqual([0n, 100n, 100n]);
  });

  test('knows mUSD from the start and a stock from its first posting', () => {
    const ledger = opened();
    expect([...ledger.assets]).toEqual(['mUSD']);
    ledger.move('opening', { asset: AAPL, amount: 1n, from: VENUE, to: freeOf(UNALLOCATED) });
    expect([...ledger.assets]).toEqual(['mUSD', AAPL]);
  });
});
