import fc from 'fast-check';
import { expect, test } from 'vitest';
import { price } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { QuotePacking, SYMBOLS_TABLE } from '../../src/store/quotePacking.ts';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { encodeEvent } from '../../src/store/storedNames.ts';

function fileWithSymbols(): Database {
  const database = new Database(':memory:');
  database.exec(SYMBOLS_TABLE);
  return database;
}

const row = (body: string) => ({ body });

const symbol = fc.stringMatching(/^[A-Z]{1,5}(\.[A-Z])?$/).map(ticker);
const digits = fc.oneof(fc.constant(10n ** 16n), fc.constant(10n ** 14n), fc.constant(1n));
const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 17n }), digits).map(([n, unit]) => price(n * unit));
const bodies = fc
  .record(
    {
      kind: fc.constant('quotes' as const),
      prices: fc.uniqueArray(fc.tuple(symbol, amount), { selector: ([name]) => name }),
      phase: fc.constantFrom('overnight', 'pre', 'regular', 'post', null),
    },
    { requiredKeys: ['kind', 'prices'], noNullPrototype: true },
  )
  .map(encodeEvent);

test('quotes are packed as codes of symbols and hundredths in base 36', () => {
  const packing = new QuotePacking(fileWithSymbols());
  const packed = packing.packed(row('"regular AAPL 208.76 MSFT 420.2 BRK.B 700000 AAPL 0.0007"'));
  expect(packed.body).toBe('2Ag3wBwf8C15occgA7.4');
});

test('packed quotes are read as they were, by another reader of the file too', () =>
  fc.assert(
    fc.property(fc.array(bodies, { maxLength: 40 }), (texts) => {
      const database = fileWithSymbols();
      const writer = new QuotePacking(database);
      const stored = texts.map((body) => writer.packed(row(body)));
      const reader = new QuotePacking(database);
      expect(stored.map((one) => reader.unpacked(one))).toEqual(texts.map(row));
      expect(stored.map((one) => writer.unpacked(one))).toEqual(texts.map(row));
    }),
  ));

test.each([
  ['an unknown phase', '"noon AAPL 208.31"'],
  ['a price with too many digits', '"regular AAPL 208.3100000000000001"'],
  ['a price with a zero at its end', '"regular AAPL 208.310"'],
  ['a stock without a price', '"regular AAPL"'],
  ['the form of schema 7', '{"kind":"quotes","prices":[["AAPL",{"$n":"208"}]]}'],
])('a body with %s is stored as it is', (_what, body) => {
  const packing = new QuotePacking(fileWithSymbols());
  expect(packing.packed(row(body)).body).toBe(body);
  expect(packing.unpacked(row(body)).body).toBe(body);
});

test('more symbols than single letters get codes of two letters', () => {
  const database = fileWithSymbols();
  const packing = new QuotePacking(database);
  const symbols = Array.from({ length: 800 }, (_, index) => `S${index}`);
  const body = `"start ${symbols.map((name) => `${name} 1`).join(' ')}"`;
  const packed = packing.packed(row(body));
  expect(packed.body).toMatch(/^0A2sB2s.*Z2sAA2sAB2s.*ZZ2sAAA2s/);
  expect(new QuotePacking(database).unpacked(packed).body).toBe(body);
});

test('quotes of a code that the file does not name are damage', () => {
  const packing = new QuotePacking(fileWithSymbols());
  expect(() => packing.unpacked(row('2A2s'))).toThrow(
    expect.objectContaining({ code: 'SQLITE_CORRUPT' }) as Error,
  );
});
