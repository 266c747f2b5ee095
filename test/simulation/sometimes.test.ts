import { expect, test } from 'vitest';
import { faultRule } from '../../src/emulator/state/faultRules.ts';
import { NODE_RULES, VENUE_RULES } from './sometimes.ts';

const kinds = faultRule.options.map(({ shape }) => shape.kind.value);

test('the fault counters cover every kind of fault of the emulator', () => {
  expect([...new Set([...VENUE_RULES, ...NODE_RULES])].sort()).toEqual([...kinds].sort());
  expect(kinds).toEqual(expect.arrayContaining([...NODE_RULES]));
});
