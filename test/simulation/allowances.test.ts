import { expect, test } from 'vitest';
import { anOrder, id, limitBuy } from '../domain/orders.ts';
import { areAlike } from './allowances.ts';

test('only orders of one strategy on the same terms may be taken for each other', () => {
  const order = anOrder({ id: id('w1.1'), terms: limitBuy('10', '100') });
  expect(areAlike(order, anOrder({ id: id('w2.1'), terms: limitBuy('10', '100') }))).toBe(true);
  expect(areAlike(order, anOrder({ id: id('w2.1'), terms: limitBuy('10', '101') }))).toBe(false);
  expect(areAlike(order, anOrder({ id: id('w2.1'), strategyId: 'beta', terms: limitBuy('10', '100') }))).toBe(
    false,
  );
  expect(areAlike(order, undefined)).toBe(false);
});
