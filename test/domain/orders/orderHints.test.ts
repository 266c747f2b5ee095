import { expect, test } from 'vitest';
import { hintsOf } from '../../../src/domain/orders/orderHints.ts';

const quiet = { id: 'one', decisions: 4, planned: 0, notReached: 0, dropped: {} };

test.each([
  ['nothing odd', {}, []],
  ['no decision', { decisions: 0 }, [/^one decided nothing: .* misspelt field/]],
  ['targets without cash', { notReached: 2 }, [/^2 targets of one not reached: no cash was left for more/]],
  [
    'a sell of shares that are not held',
    { dropped: { '… AAPL to sell, … free': 1 } },
    [/^1 sell of one dropped: .*view\.position/],
  ],
  ['drops of other kinds', { dropped: { 'the session is closed': 3 } }, []],
  [
    'drops alone',
    { dropped: { 'the session is closed': 4 } },
    [/^every order that one gave in this run was dropped/],
  ],
  ['more drops than calls because of slices', { planned: 3, dropped: { 'the session is closed': 9 } }, []],
  [
    'only sells of shares that are not held',
    { dropped: { '… AAPL to sell, … free': 4 } },
    [/^4 sells of one dropped: it held fewer shares/],
  ],
] as const)('hints about the orders of a strategy: %s', (_, given, expected) => {
  const hints = hintsOf({ ...quiet, ...given });
  expect(hints).toHaveLength(expected.length);
  expected.forEach((pattern, index) => expect(hints[index]).toMatch(pattern));
});
