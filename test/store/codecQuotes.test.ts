import fc from 'fast-check';
import { expect, test } from 'vitest';
import { price } from '../../src/core/amount.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { encode, priceIn } from '../../src/store/codec.ts';
import { decodeEvent, encodeEvent } from '../../src/store/storedNames.ts';

const symbol = fc.stringMatching(/^[A-Z]{1,5}(\.[A-Z])?$/).map(ticker);
const quoted = fc.tuple(symbol, fc.bigInt({ min: 0n, max: 10n ** 30n }).map(price));
const quotes = fc.record(
  {
    kind: fc.constant('quotes' as const),
    prices: fc.uniqueArray(quoted, { selector: ([name]) => name }),
    phase: fc.constantFrom('overnight', 'pre', 'regular', 'post', null),
  },
  { requiredKeys: ['kind', 'prices'], noNullPrototype: true },
);
const NAMED = ticker('QQQQQ.Z');

test('quotes are one JSON text, the phase first', () => {
  const prices = [
    [ticker('AAPL'), price(208_310_000_000_000_000_000n)],
    [ticker('BRK.B'), price(1n)],
  ] as const;
  const textOf = (phase?: 'regular' | null) =>
    encodeEvent({ kind: 'quotes', prices, ...(phase !== undefined && { phase }) });
  expect(textOf('regular')).toBe('"regular AAPL 208.31 BRK.B 0.000000000000000001"');
  expect(textOf(null)).toBe('"unheard AAPL 208.31 BRK.B 0.000000000000000001"');
  expect(textOf()).toBe('"start AAPL 208.31 BRK.B 0.000000000000000001"');
});

test('quotes are read as they were written, now and by schema 7 and before', () =>
  fc.assert(
    fc.property(quotes, (event) => {
      expect(decodeEvent(encodeEvent(event))).toStrictEqual(event);
      expect(Object.keys(decodeEvent(encodeEvent(event)))).toEqual(Object.keys(event));
      expect(decodeEvent(encode(event))).toStrictEqual(event);
    }),
  ));

test('the price of a stock is found in either form without reading the others', () =>
  fc.assert(
    fc.property(quotes, (event) => {
      for (const body of [encodeEvent(event), encode(event)]) {
        for (const [name, known] of event.prices) expect(priceIn(body, name)).toBe(known);
        expect(priceIn(body, NAMED)).toBeNull();
      }
    }),
  ));

test.each([
  ['an unknown phase', '"noon AAPL 208.31"', /"noon" is no phase/],
  ['a stock without a price', '"regular AAPL"', /decimal/],
  ['a price that is not a number', '"regular AAPL 208,31"', /208,31/],
  ['an unterminated text', '"regular AAPL 208.31', SyntaxError],
])('a body with %s is refused', (_name, body, problem) => {
  expect(() => decodeEvent(body)).toThrow(problem);
});
