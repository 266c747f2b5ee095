import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { interval, ticker } from '../../../src/strategy/params.ts';
import {
  placeOf,
  sizeOf,
  spaceOf,
  spaceOfSchema,
  valueAt,
  valueFrom,
  type Dimension,
  type ParamsSchema,
} from '../../../src/lab/search/space.ts';

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as ParamsSchema;

const schema = schemaOf(
  z.strictObject({
    symbol: ticker(),
    interval: interval(),
    fast: z.int().min(2).max(9).default(5),
    slow: z.int().min(2).default(30),
    weight: z.number().gt(0).lte(1),
    step: z.number().min(0.1).max(0.5).multipleOf(0.1),
    mode: z.enum(['calm', 'quick']),
    isOn: z.boolean(),
    fixed: z.int().min(1).max(5).meta({ search: false }),
    odd: z.int().meta({ search: { min: 1, max: 9, step: 2 } }),
  }),
);

describe('the search space of a schema', () => {
  const { space, left } = spaceOfSchema(schema);
  test('has bounded numbers, listed values, booleans and parameters described by meta', () => {
    expect(space).toEqual([
      { name: 'fast', kind: 'steps', min: 2, step: 1, count: 8 },
      { name: 'weight', kind: 'range', min: 0, max: 1, log: false },
      { name: 'step', kind: 'steps', min: 0.1, step: 0.1, count: 5 },
      { name: 'mode', kind: 'choice', values: ['calm', 'quick'] },
      { name: 'isOn', kind: 'choice', values: [false, true] },
      { name: 'odd', kind: 'steps', min: 1, step: 2, count: 5 },
    ]);
  });
  test('leaves out the rest, each with the reason', () => {
    expect(left).toEqual([
      { name: 'symbol', why: 'it is a text' },
      { name: 'interval', why: 'its schema says not to' },
      { name: 'slow', why: 'it has no max' },
      { name: 'fixed', why: 'its schema says not to' },
    ]);
  });
  test('is refused when nothing is left', () => {
    expect(() => spaceOfSchema(schemaOf(z.strictObject({ symbol: ticker() })))).toThrow(
      'nothing to search: symbol (it is a text). Name values by --space',
    );
  });
});

describe('an explicit search space', () => {
  test('takes lists, steps and ranges', () => {
    const space = spaceOf(
      { fast: [5, 3, 5], slow: { min: 30, max: 100, step: 10 }, weight: { min: 0.1, max: 1 } },
      schema,
    );
    expect(space).toEqual([
      { name: 'fast', kind: 'choice', values: [5, 3] },
      { name: 'slow', kind: 'steps', min: 30, step: 10, count: 8 },
      { name: 'weight', kind: 'range', min: 0.1, max: 1, log: false },
    ]);
    expect(sizeOf(space)).toBe(Infinity);
    expect(sizeOf(space.slice(0, 2))).toBe(16);
  });
  test.each([
    [{}, 'the space is empty'],
    [[], 'the space is not an object'],
    [{ fasd: [1] }, 'Did you mean fast?'],
    [{ fast: 5 }, 'space of fast: 5 is one value'],
    [{ fast: [] }, 'space of fast: the list is empty'],
    [{ fast: [1, null] }, 'value 2 is neither'],
    [{ slow: { min: 2 } }, 'space of slow has no bounds'],
    [{ slow: { min: 9, max: 2 } }, 'min 9 is above max 2'],
    [{ slow: { min: 1, max: 2, steps: 1 } }, '"steps" is not one of'],
    [{ slow: { min: 1.5, max: 2 } }, 'it takes whole numbers'],
    [{ weight: { min: 0, max: 1, log: true } }, 'with log, min is above 0'],
    [{ weight: { min: 0.1, max: 1, step: 0 } }, 'step is a number above 0'],
  ])('is refused: %j', (given, why) => expect(() => spaceOf(given, schema)).toThrow(why));
});

describe('the values of a parameter', () => {
  const steps: Dimension = { name: 's', kind: 'steps', min: 0.1, step: 0.1, count: 3 };
  const log: Dimension = { name: 'l', kind: 'range', min: 1, max: 100, log: true };
  test('of steps have no rounding errors', () => {
    expect([0, 1, 2].map((index) => valueAt({ ...steps, kind: 'steps' } as never, index))).toEqual([
      0.1, 0.2, 0.3,
    ]);
  });
  test('divide the range from 0 to 1 equally, and lie in the middle of their parts', () => {
    expect([0, 0.33, 0.34, 0.999].map((place) => valueFrom(steps, place))).toEqual([0.1, 0.1, 0.2, 0.3]);
    for (const value of [0.1, 0.2, 0.3]) expect(valueFrom(steps, placeOf(steps, value))).toBe(value);
  });
  test('are evenly spread by the logarithm in a logarithmic range', () => {
    expect(valueFrom(log, 0.5)).toBeCloseTo(10, 12);
    expect(placeOf(log, 10)).toBeCloseTo(0.5, 12);
  });
});
