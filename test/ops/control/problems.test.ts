import { expect, test } from 'vitest';
import { z } from 'zod';
import { problemsOf } from '../../../src/ops/control/problems.ts';
import { VERBS, type Verb } from '../../../src/ops/control/steering.ts';

const verbs: Readonly<Record<string, Verb>> = VERBS;

/** Problems of a body, as text. */
function problems(verb: string, value: unknown): string {
  const schema = verbs[verb]?.body ?? z.never();
  const { error } = schema.safeParse(value);
  return error ? problemsOf(error, { what: 'field', schema, value }) : '';
}

const id = 'a-command-1';

test.each([
  ['freeze', { id }, 'field "symbol" is missing (symbol of a stock, such as AAPL)'],
  ['freeze', { id, symbol: 'no symbol!' }, 'field "symbol" must be the symbol of a stock, such as AAPL'],
  ['freeze', { id, symbol: 7 }, 'field "symbol" must be a text in quotes'],
  ['trade', { id }, 'field "state" is missing: one of active, reducing, halted'],
  ['trade', { id, state: 'off' }, 'field "state" must be one of active, reducing, halted'],
  ['trade', { id, state: 'halted', cancel: 'yes' }, 'field "cancel" must be true or false'],
  ['trade', { id: 'short', state: 'halted' }, 'field "id" must be 8 to 64 letters, digits and hyphens'],
  [
    'trade',
    { state: 'halted' },
    'field "id" is missing (chosen by the client: the same id gets the first answer again, and nothing is done twice)',
  ],
  [
    'trade',
    { id, state: 'halted', reason: 'x'.repeat(501) },
    'field "reason" must have at most 500 characters',
  ],
  [
    'stop',
    { id, now: true, why: 'x' },
    'fields "now", "why" are not known here: this takes id, reason, cancel',
  ],
  ['cancel', { id, orders: [] }, 'field "orders" must have at least 1 entry'],
  ['cancel', { id, orders: 'x' }, 'field "orders" must be a list'],
  ['cancel', { id, orders: [''] }, 'field "orders.0" must not be empty'],
  ['orders', { id, symbol: 'AAPL', side: 'buy' }, 'give shares or notional, one of them'],
  [
    'orders',
    { id, symbol: 'AAPL', side: 'buy', shares: '-1' },
    'field "shares" must be a decimal above 0, such as 12.5',
  ],
  ['orders', { id, symbol: 'AAPL', side: 'buy', shares: 3 }, 'field "shares" must be a text in quotes'],
  ['freeze', null, 'the body of a command is one JSON object'],
  ['freeze', ['x'], 'the body of a command is one JSON object'],
  [
    'freeze',
    { id: 1 },
    'field "id" must be a text in quotes; field "symbol" is missing (symbol of a stock, such as AAPL)',
  ],
])('the problem of %s %j', (verb, value, text) => {
  expect(problems(verb, value)).toBe(text);
});

test.each(Object.keys(VERBS))('no problem of %s quotes the schema library', (verb) => {
  for (const value of [
    {},
    { id, a: 1 },
    null,
    'x',
    everyField(verb, 7),
    everyField(verb, ''),
    everyField(verb, [{}]),
  ])
    expect(problems(verb, value)).not.toMatch(/invalid|expected|received|undefined|\bNaN\b/i);
});

/** A body whose fields all have the same value. */
function everyField(verb: string, value: unknown): Readonly<Record<string, unknown>> {
  const { body } = verbs[verb] ?? {};
  const names = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  return Object.fromEntries(names.map((name) => [name, value]));
}
