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

test('a reason of several lines becomes one, so that none of them passes for a line of the run', () => {
  const { reason } = verbs['cancel']?.parse({
    id: 'a-command-1',
    reason: ' by hand\r\n 09:31 trading may go on\u2028done\n\n',
  }) as { reason: string };
  expect(reason).toBe('by hand 09:31 trading may go on done');
});
