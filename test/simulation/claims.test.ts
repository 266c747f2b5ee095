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

describe('an end that only the venue claims is in doubt', () => {
  test.each<[string, readonly JournalEvent[], readonly number[]]>([
    ['a cancel that nobody asked for', [reported('cancelled')], FOREVER],
    ['a rejection', [reported('rejected')], FOREVER],
    ['a revert without what the chain says', [reported('reverted')], FOREVER],
    ['a refusal that is not documented', [moved('a-1.1', { kind: 'refused', unproven: true })], FOREVER],
    ['an absence that is assumed', [ASSUMED], FOREVER],
    ['an absence of a hash that the venue named', [ABSENT], FOREVER],
    ['a cancel that was asked for', [CANCEL, reported('cancelled')], FOR_A_QUARTER],
    ['the expiry of a DAY limit', [reported('expired')], FOR_A_QUARTER],
  ])('%s', (_what, facts, doubted) => {
    expect(doubtAfter(facts)).toEqual(doubted);
  });

  test('the expiry of a market order, which none has', () => {
    expect(doubtAfter([reported('expired')], { type: 'market' })).toEqual(FOREVER);
  });

  test.each([
    ['a revert without its cause', reported('reverted'), FOREVER],
    ['an absence that is assumed', ASSUMED, FOREVER],
    ['a cancel', reported('cancelled'), FOREVER],
  ])('%s, also of a hash that the wallet computed', (_what, fact, doubted) => {
    expect(doubtAfter([fact], {}, HASH)).toEqual(doubted);
  });
});

describe('no doubt is', () => {
  test.each<[string, readonly JournalEvent[], string?]>([
    ['a fill', [reported('filled')]],
    ['a documented refusal', [moved('a-1.1', { kind: 'refused' })]],
    ['an end on the word of an operator', [RESOLVED, ASSUMED]],
    [
      'one that was lifted',
      [reported('rejected'), { kind: 'doubtLifted', id: 'a-1.1' } as unknown as JournalEvent],
    ],
    [
      'one that is over because the order is there again',
      [reported('cancelled'), moved('a-1.1', { kind: 'reopened' })],
    ],
    ['one that is over because the order was taken', [ASSUMED, moved('a-1.1', { kind: 'accepted' })]],
    ['the absence of a hash that the wallet computed', [ABSENT], HASH],
    ['a revert with its cause, of such a hash', [reported('reverted', { cause: 'deadline' })], HASH],
  ])('%s', (_what, facts, hash) => {
    expect(doubtAfter(facts, {}, hash)).toEqual(NEVER);
  });

  test('the end of a sell', () => {
    expect(doubtAfter([reported('rejected')], { side: 'sell' })).toEqual(NEVER);
  });

  test('an order that nobody planned', () => {
    const claims = new Claims();
    claims.read(reported('rejected'), epochMs(0));
    expect(claims.at(epochMs(1))).toEqual(noOrders);
  });
});
