import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { OperatorCommand } from '../../src/domain/operator/command.ts';
import { Restraint } from './restraint.ts';
import { noneYet } from './sometimes.ts';
import type { CommandId, Scope } from '../../src/domain/operator/restriction.ts';

const WHO = { by: 'somebody', reason: 'because' };
const idOf = (id: string) => id as CommandId;

const given = (id: string, command: OperatorCommand): JournalEvent => ({
  kind: 'operator',
  id: idOf(id),
  ...WHO,
  command,
});
const answered = (id: string): JournalEvent => ({
  kind: 'operatorAnswered',
  id: idOf(id),
  answer: { kind: 'done', text: 'done', result: {} },
});
const restricted = (state: 'reducing' | 'halted', scope: Scope = {}): JournalEvent => ({
  kind: 'restricted',
  state,
  cause: 'operator',
  scope,
  ...WHO,
});
const LIFTED: JournalEvent = { kind: 'restrictionLifted', cause: 'operator', scope: {}, ...WHO };

/** Entries of an order that is planned; `sent` follows by itself. */
const planned = (id: string, side: 'buy' | 'sell', strategyId = 'a') =>
  ({
    kind: 'planned',
    order: { id: `${id}.1`, intentId: id, strategyId, terms: { symbol: 'KO', side } },
  }) as JournalEvent;
const sent = (id: string) =>
  ({ kind: 'order', id: `${id}.1`, event: { kind: 'sent', at: 0, deadline: 90 } }) as unknown as JournalEvent;
const wanted = (id: string, command: string) =>
  ({ kind: 'intentCreated', intent: { id, command } }) as unknown as JournalEvent;

/** Findings about a journal. */
function findings(...facts: readonly JournalEvent[]): readonly string[] {
  const found: string[] = [];
  const restraint = new Restraint({ accuse: (detail) => found.push(detail), sometimes: noneYet() });
  for (const fact of facts) restraint.read({ at: epochMs(0), fact });
  return found;
}

const ORDER: OperatorCommand = {
  kind: 'order',
  symbol: ticker('KO'),
  terms: { kind: 'sell', quantity: 'all' },
};
const HALT = [given('h', { kind: 'trade', state: 'halted', scope: {} }), restricted('halted'), answered('h')];
const RESUME = [given('r', { kind: 'trade', state: 'active', scope: {} }), LIFTED, answered('r')];
const FLATTEN = [given('f', { kind: 'flatten', scope: {} }), restricted('halted'), answered('f')];
const BUY = [planned('a-1', 'buy'), sent('a-1')];
const SELL = [planned('a-2', 'sell'), sent('a-2')];
const FLATTENING_SELL = [wanted('a-2', 'f'), ...SELL];

describe('the judge of trading states accepts', () => {
  test.each([
    ['orders before a halt and after it', [...BUY, ...HALT, ...RESUME, ...SELL]],
    ['sells while reducing', [restricted('reducing'), ...SELL]],
    ['orders outside of the scope', [restricted('halted', { strategyId: 'b' }), ...BUY]],
    ['sells of a flatten', [...FLATTEN, ...FLATTENING_SELL]],
    ['sells of a flatten that follows a halt', [...HALT, ...FLATTEN, ...FLATTENING_SELL]],
  ])('%s', (_what, facts) => {
    expect(findings(...facts)).toEqual([]);
  });
});

describe('the judge of trading states reports', () => {
  test.each([
    ['a buy in a halt', [...HALT, ...BUY], /buy of KO, is sent while trading of \{\} is halted/],
    ['a sell in a halt', [...HALT, ...SELL], /sell of KO, is sent while/],
    ['an order planned before its halt', [planned('a-1', 'buy'), ...HALT, sent('a-1')], /is sent while/],
    ['a buy while reducing', [restricted('reducing'), ...BUY], /is reducing/],
    ['a buy of a flatten', [...FLATTEN, wanted('a-1', 'f'), ...BUY], /buy of KO, is sent while/],
    ['a sell of a flatten before a later halt', [...FLATTEN, ...HALT, ...FLATTENING_SELL], /is sent while/],
    [
      'a sell of a flatten that has ended',
      [...FLATTEN, { kind: 'flattened', id: idOf('f'), why: 'nothing is left' } as const, ...FLATTENING_SELL],
      /is sent while/,
    ],
    ['a manual order in a halt', [given('o', ORDER), ...HALT, wanted('a-1', 'o'), ...BUY], /is sent while/],
    ['a command taken twice', [...HALT, HALT[0] as JournalEvent], /taken a second time/],
    ['a command answered twice', [...HALT, answered('h')], /answered a second time/],
    [
      'two intents of one manual order',
      [given('o', ORDER), wanted('a-1', 'o'), wanted('a-3', 'o')],
      /has a second intent: a-3/,
    ],
    ['a restriction lifted without a command', [...HALT, LIFTED], /without a word to resume/],
    [
      'a freeze lifted by a resume',
      [
        given('r', { kind: 'trade', state: 'active', scope: {} }),
        { kind: 'released', symbol: 'KO', reason: 'because' } as JournalEvent,
      ],
      /KO is released without a word about it/,
    ],
  ])('%s', (_what, facts, text) => {
    expect(findings(...facts)).toContainEqual(expect.stringMatching(text));
  });
});
