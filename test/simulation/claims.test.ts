import { describe, expect, test } from 'vitest';
import { parseCash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { Claims } from './claims.ts';
import { noOrders, planned, moved, sent } from './judgeStage.ts';

const MINUTE = 60_000;
const RESERVE = parseCash('9000');
const HASH = '0x01';

const reported = (status: string, more: object = {}) =>
  moved('a-1.1', { kind: 'reported', report: { status, ...more } });
const ABSENT = moved('a-1.1', { kind: 'absent', assumed: false });
const ASSUMED = moved('a-1.1', { kind: 'absent', assumed: true });
const CANCEL = moved('a-1.1', { kind: 'cancelWanted' });
const RESOLVED = {
  kind: 'operator',
  command: { kind: 'resolve', id: 'a-1.1' },
} as unknown as JournalEvent;

/** Minutes after an end, of 14, 16 and 10,000, at which the claims count the reserve of a planned and sent buy. */
function doubtAfter(
  facts: readonly JournalEvent[],
  how: Parameters<typeof planned>[1] = {},
  hash?: string,
): number[] {
  const claims = new Claims();
  const sending = hash === undefined ? sent('a-1.1') : sent('a-1.1', hash);
  for (const fact of [planned('a-1.1', { reserve: RESERVE, ...how }), sending, ...facts])
    claims.read(fact, epochMs(0));
  return [14, 16, 10_000].filter((minute) =>
    claims.at(epochMs(minute * MINUTE)).some(({ id, reserve }) => id === 'a-1.1' && reserve === RESERVE),
  );
}

const FOREVER = [14, 16, 10_000];
const FOR_A_QUARTER = [14];
const NEVER: number[] = [];

describe('an order end that only the venue claims', () => {
  test.each<[string, readonly JournalEvent[], readonly number[]]>([
    ['a cancel that nobody requested', [reported('cancelled')], FOREVER],
    ['a rejection', [reported('rejected')], FOREVER],
    ['a revert that the chain does not confirm', [reported('reverted')], FOREVER],
    ['a refusal that is not documented', [moved('a-1.1', { kind: 'refused', unproven: true })], FOREVER],
    ['an absence that is assumed', [ASSUMED], FOREVER],
    ['an absence of a hash that the venue named', [ABSENT], FOREVER],
    ['a requested cancel', [CANCEL, reported('cancelled')], FOR_A_QUARTER],
    ['the expiry of a DAY limit', [reported('expired')], FOR_A_QUARTER],
  ])('puts the order in doubt: %s', (_what, facts, doubted) => {
    expect(doubtAfter(facts)).toEqual(doubted);
  });

  test('puts the order in doubt for good when it is the expiry of a market order', () => {
    expect(doubtAfter([reported('expired')], { type: 'market' })).toEqual(FOREVER);
  });

  test.each([
    ['a revert without its cause', reported('reverted'), FOREVER],
    ['an absence that is assumed', ASSUMED, FOREVER],
    ['a cancel', reported('cancelled'), FOREVER],
  ])('puts the order in doubt even under a hash that the wallet computed: %s', (_what, fact, doubted) => {
    expect(doubtAfter([fact], {}, HASH)).toEqual(doubted);
  });
});

describe('an order end that is certain', () => {
  test.each<[string, readonly JournalEvent[], string?]>([
    ['a fill', [reported('filled')]],
    ['a documented refusal', [moved('a-1.1', { kind: 'refused' })]],
    ['an end resolved by an operator', [RESOLVED, ASSUMED]],
    [
      'an end whose doubt was lifted',
      [reported('rejected'), { kind: 'doubtLifted', id: 'a-1.1' } as unknown as JournalEvent],
    ],
    ['an end whose order was reopened', [reported('cancelled'), moved('a-1.1', { kind: 'reopened' })]],
    ['an absence whose order was accepted', [ASSUMED, moved('a-1.1', { kind: 'accepted' })]],
    ['the absence of a hash that the wallet computed', [ABSENT], HASH],
    ['a revert with its cause, of such a hash', [reported('reverted', { cause: 'deadline' })], HASH],
  ])('puts no order in doubt: %s', (_what, facts, hash) => {
    expect(doubtAfter(facts, {}, hash)).toEqual(NEVER);
  });

  test('puts no order in doubt when it ends a sell', () => {
    expect(doubtAfter([reported('rejected')], { side: 'sell' })).toEqual(NEVER);
  });

  test('puts no order in doubt that was never planned', () => {
    const claims = new Claims();
    claims.read(reported('rejected'), epochMs(0));
    expect(claims.at(epochMs(1))).toEqual(noOrders);
  });
});
