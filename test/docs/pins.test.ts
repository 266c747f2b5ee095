import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const page = readFileSync('docs/pins.md', 'utf8');
const NOT_USED = 'Overnight and extended-hours flags.';

const rows = page
  .split(/\n(?=- \*\*)/)
  .slice(1)
  .map((text) => text.split('\n\n')[0] ?? '')
  .map((text) => ({
    name: /\*\*(.+?)\*\*/.exec(text)?.[1] ?? '',
    tests: [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file),
  }));

/** Everything that a venue or a node is known to change. */
const KNOWN = [
  'Contract.',
  'One contract for two stocks.',
  'Contract of a position.',
  'Decimals, on-chain decimals.',
  'Step',
  'Tick.',
  'Tradable.',
  NOT_USED,
  'Listed at all.',
  'Price.',
  'Fees.',
  'Cash token: contract, decimals.',
  'A new cash token',
  'Names of tokens in balances.',
  'Limits, pauses and buffers of deposits and withdrawals.',
  'Router.',
  'Spender.',
  'One Click contract',
  'Delegatee.',
  'Delegation on or off.',
  'Chain, product.',
  'Wallet of the key.',
  'Session hours.',
  'Clock.',
  'Chain id.',
  'Decimals of a token.',
];

test('docs/pins.md has an entry for everything that may change', () => {
  expect(rows.map(({ name }) => name)).toEqual(KNOWN);
});

describe('the entry of a pin', () => {
  test.each(rows.filter(({ name }) => name !== NOT_USED))('names existing tests: $name', ({ tests }) => {
    expect(tests).not.toEqual([]);
    for (const file of tests) expect(existsSync(file), file).toBe(true);
  });
});
