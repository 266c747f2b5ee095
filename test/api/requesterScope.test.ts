import { expect, test } from 'vitest';
import { otherScope } from '../../src/api/requester.ts';

const scope = { chainId: 143, product: 'ProductA' };
const user = `0x${'Ab'.repeat(20)}`;
const other = `0x${'cd'.repeat(20)}`;
const of = (data: unknown, path: object = { userId: user }) => otherScope(data, { path }, scope);

test('an answer about the user who was asked for, or one that does not say, is taken', () => {
  expect(of({ address: user.toLowerCase(), chainId: 143, productType: 'ProductA' })).toBeNull();
  expect(of({ address: null, chainId: null })).toBeNull();
  expect(of([{ address: other }])).toBeNull();
  expect(of(null)).toBeNull();
});

test('an answer about another user, chain or product says so', () => {
  expect(of({ userAddress: other })).toBe(`it is of another wallet, ${other}, and not of ${user}`);
  expect(of({ chainId: 1 })).toBe('it is of another chain, 1, and not of 143');
  expect(of({ productType: 'ProductB' })).toBe('it is of another product than ProductA');
});

test('a question about no user has no such answer', () => {
  const stranger = { address: other, chainId: 1, productType: 'ProductB' };
  for (const path of [{ symbol: 'AAPL' }, { userId: 7 }, {}]) expect(of(stranger, path)).toBeNull();
  expect(otherScope(stranger, {}, scope)).toBeNull();
});
