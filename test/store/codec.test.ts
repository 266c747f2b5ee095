import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode } from '../../src/store/codec.ts';
import { runs } from '../runs.ts';

/** Keys and texts that could be taken for the mark of a bigint. */
const tricky = fc.constantFrom('$n', '$$n', '$$$n', 'n', '$', '12', '{"$n":"12"}', '__proto__', '');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt(),
    tricky,
    fc.jsonValue({ maxDepth: 1 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(tricky, fc.string()), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    tricky.chain((key) => tie('value').map((inner) => Object.fromEntries([[key, inner]]))),
  ),
}));

describe('the journal codec', () => {
  test.each<[name: string, value: unknown, text: string]>([
    ['a bigint', 12n, '{"$n":"12"}'],
    ['a negative bigint deep down', { a: [{ b: -1n }] }, '{"a":[{"b":{"$n":"-1"}}]}'],
    ['a text that looks like an encoded bigint', '{"$n":"12"}', '"{\\"$n\\":\\"12\\"}"'],
    ['an object that looks like an encoded bigint', { $n: '12' }, '{"$$n":"12"}'],
    ['an object with the bigint mark and another value', { $n: 'twelve' }, '{"$$n":"twelve"}'],
    ['an object that looks like an escaped one', { $$n: '12' }, '{"$$$n":"12"}'],
    ['a bigint under the bigint mark', { $n: 12n }, '{"$$n":{"$n":"12"}}'],
    ['an object with the bigint mark and another field', { $n: '12', m: 1 }, '{"$n":"12","m":1}'],
    ['a list', ['$n', '12'], '["$n","12"]'],
  ])('writes %s and reads it back', (...[, given, text]) => {
    expect(encode(given)).toBe(text);
    expect(decode(text)).toEqual(given);
  });

  test('returns any value as it was encoded', () => {
    fc.assert(
      fc.property(value, (given) => {
        // JSON has one zero.
        const plain = JSON.parse(JSON.stringify([given], replaceBigints), restoreBigints) as [unknown];
        expect(decode(encode(given))).toEqual(plain[0]);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('does not set a prototype', () => {
    const decoded = decode('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(decoded['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

/** Another way through JSON, with texts that no arbitrary above makes. */
const MARK = 'bigint:\u0000';
const replaceBigints = (_key: string, part: unknown) => (typeof part === 'bigint' ? `${MARK}${part}` : part);
const restoreBigints = (_key: string, part: unknown) =>
  typeof part === 'string' && part.startsWith(MARK) ? BigInt(part.slice(MARK.length)) : part;
