import { expect, test } from 'vitest';
import { otherScope } from '../../src/api/requester.ts';

const scope = { chainId: 143, product: 'ProductA' };
const user = `0x${'Ab'.repeat(20)}`;
const other = `0x${'cd'.repeat(20)}`;
const of = (data: unknown, path: object = { userId: user }) => otherScope(data, { path }, scope);

test('otherScope accepts a response about the requested user, or about none', () => {
  expect(of({ address: user.toLowerCase(), chainId: 143, productType: 'ProductA' })).toBeNull();
  expect(of({ address: null, chainId: null })).toBeNull();
  expect(of([{ address: other }])).toBeNull();
  expect(of(null)).toBeNull();
});

test('otherScope names another user, chain or product in a response', () => {
  expect(of({ userAddress: other })).toBe(`it belongs to wallet ${other}, not to ${user}`);
  expect(of({ chainId: 1 })).toBe('it belongs to chain 1, not to 143');
  expect(of({ productType: 'ProductB' })).toBe('it belongs to another product, not to ProductA');
});

test('otherScope does not apply to a request about no user', () => {
  const stranger = { address: other, chainId: 1, productType: 'ProductB' };
  for (const path of [{ symbol: 'AAPL' }, { userId: 7 }, {}]) expect(of(stranger, path)).toBeNull();
  expect(otherScope(stranger, {}, scope)).toBeNull();
});
