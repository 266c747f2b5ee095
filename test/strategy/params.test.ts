import { expect, test } from 'vitest';
import { z } from 'zod';
import { interval, notional, remember, sessionTime, ticker } from '../../src/strategy/index.ts';

test.each([
  ['a symbol', ticker(), ['AAPL', 'BRK.B']],
  ['an amount', notional(), [1, 0.5, '12.50', '0.000000000000000001']],
  ['a session time', sessionTime(), ['10:30', 'open', 'open+1h30m', 'close-15m']],
  ['an interval', interval(), ['1m', '1d']],
])('%s is kept as it was written', (_title, schema, values) => {
  for (const value of values) expect(schema.parse(value)).toBe(value);
});

const AMOUNT = 'expected an amount above 0';
test.each([
  {
    what: 'a symbol in lower case',
    schema: ticker(),
    value: 'aapl',
    says: 'expected a stock symbol in upper case',
  },
  { what: 'a symbol that is a path', schema: ticker(), value: '../AAPL', says: 'expected a stock symbol' },
  { what: 'an amount of 0', schema: notional(), value: 0, says: AMOUNT },
  { what: 'an exact amount of 0', schema: notional(), value: '0.00', says: AMOUNT },
  { what: 'a negative amount', schema: notional(), value: '-5', says: AMOUNT },
  { what: 'an amount with an exponent', schema: notional(), value: '1e3', says: AMOUNT },
  { what: 'an infinite amount', schema: notional(), value: Infinity, says: AMOUNT },
  { what: 'an amount with a unit', schema: notional(), value: '5 USD', says: AMOUNT },
  { what: 'null as an amount', schema: notional(), value: null, says: AMOUNT },
  {
    what: 'a time outside every session',
    schema: sessionTime(),
    value: '08:00',
    says: 'can reach: \\"10:30\\"',
  },
  { what: 'an interval the venue does not have', schema: interval(), value: '2m', says: '\\"1m\\"' },
])('$what is refused with what to write', ({ schema, value, says }) => {
  expect(() => schema.parse(value)).toThrow(says);
});

test("a remembered state is the engine's own object, with defaults for missing keys", () => {
  const state = { kept: 3 };
  const memory = remember(state, z.object({ kept: z.number(), fresh: z.string().default('x') }));
  memory.kept = 4;
  expect(memory).toBe(state);
  expect(state).toEqual({ kept: 4, fresh: 'x' });
});

test('a state of another shape is refused and unchanged', () => {
  const state = { kept: 'three' };
  expect(() => remember(state, z.object({ kept: z.number() }))).toThrow(/does not fit[^]*kept/);
  expect(state).toEqual({ kept: 'three' });
});
