import { expect, test } from 'vitest';
import { VERBS, type Verb } from '../../../src/ops/control/steering.ts';

const verbs: Readonly<Record<string, Verb>> = VERBS;
const parse = (verb: string, fields: object) =>
  verbs[verb]?.parse({ id: 'a-command-1', reason: 'x', ...fields }).command;

test.each([
  ['freeze', {}, { symbol: 'AAPL' }],
  ['cancel', {}, { scope: { symbol: 'AAPL' } }],
  ['orders', { side: 'buy', notional: '10' }, { symbol: 'AAPL' }],
  [
    'transfers',
    { kind: 'stockDeposit', token: `0x${'1'.repeat(40)}`, amount: '1' },
    { terms: { symbol: 'AAPL' } },
  ],
])('%s takes a symbol in any case', (verb, fields, command) => {
  expect(parse(verb, { ...fields, symbol: 'aapl' })).toMatchObject(command);
});
