import { expect, test } from 'vitest';
import { anOrder, id, limitBuy } from '../domain/orders.ts';
import { areAlike } from './allowances.ts';

test('areAlike holds only for orders of one strategy on the same terms', () => {
  const order = anOrder({ id: id('w1.1'), terms: limitBuy('10', '100') });
  expect(areAlike(order, anOrder({ id: id('w2.1'), terms: limitBuy('10', '100') }))).toBe(true);
  expect(areAlike(order, anOrder({ id: id('w2.1'), terms: limitBuy('10', '101') }))).toBe(false);
  expect(areAlike(order, anOrder({ id: id('w2.1'), strategyId: 'beta', terms: limitBuy('10', '100') }))).toBe(
    false,
  );
  expect(areAlike(order, undefined)).toBe(false);
});
