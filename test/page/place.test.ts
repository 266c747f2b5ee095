import { expect, test } from 'vitest';
import { hashOf, placeOf } from '../../src/page/place.ts';

test.each([
  ['', { base: '', view: 'now', id: null }],
  ['#/', { base: '', view: 'now', id: null }],
  ['#/orders', { base: '', view: 'orders', id: null }],
  ['#/strategy/a%2Fb%20c', { base: '', view: 'strategy', id: 'a/b c' }],
  ['#/d/two/journal', { base: 'd/two/', view: 'journal', id: null }],
  ['#/d/two', { base: 'd/two/', view: 'now', id: null }],
  ['#/strategy/%zz', { base: '', view: 'strategy', id: '%zz' }],
])('the hash %j leads to its view', (hash, place) => {
  expect(placeOf(hash)).toMatchObject(place);
});

test('a place is unchanged after it was written into the address', () => {
  const place = {
    base: 'd/two%20b/',
    view: 'orders',
    id: '<script>?#/',
    query: new Map([['text', 'a&b=c']]),
  };
  expect(placeOf(hashOf(place))).toEqual(place);
  expect(hashOf({ view: 'now' })).toBe('#/now');
});
