import { expect, test } from 'vitest';
import { parseCash, parseDecimal, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { Payment } from '../../src/domain/corporateAction.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { AnnouncedAction } from '../../src/emulator/state/state.ts';
import { GrowthWatch } from './growth.ts';
import { noneYet } from './sometimes.ts';

const action: Payment = {
  kind: 'payment',
  symbol: ticker('KO'),
  name: 'cash_dividend',
  exDate: '2026-06-16',
  payableDate: null,
  perShare: parseCash('0.5'),
};
const ID = 'KO 2026-06-16 cash_dividend 0.5';

/** What the venue did: 10 shares that were due 0.5 mUSD each have grown by a factor. */
const announced = (growth = '1.01', appliedAt: number | null = 0): AnnouncedAction => ({
  symbol: action.symbol,
  type: 'cash_dividend',
  exDate: action.exDate,
  oldRate: 0n,
  newRate: 0n,
  cashPerShare: action.perShare,
  appliedAt: appliedAt === null ? null : epochMs(appliedAt),
  growth: parseDecimal(growth),
});

const entitled: JournalEvent = { kind: 'entitled', action, parts: [['a', parseCash('5')]], inTokens: true };
const paid = (came: string): JournalEvent => ({
  kind: 'paidInTokens',
  id: ID,
  price: parsePrice('50'),
  parts: [['a', parseShares(came)]],
});
const accepting = {
  kind: 'operator',
  id: 'op-1',
  command: { kind: 'accept', asset: action.symbol, reason: '' },
} as unknown as JournalEvent;

function watched(facts: readonly JournalEvent[], actions: readonly AnnouncedAction[] = [announced()]) {
  const [found, sometimes]: [string[], ReturnType<typeof noneYet>] = [[], noneYet()];
  const watch = new GrowthWatch({
    accuse: (detail) => found.push(detail),
    sometimes,
    announced: () => actions,
  });
  for (const fact of facts) watch.read({ at: epochMs(0), fact });
  return { found, sometimes };
}

test('a dividend in tokens is counted as booked by its worth, or by the multiplier', () => {
  const byWorth = watched([entitled, paid('0.1')]);
  expect(byWorth).toMatchObject({ found: [], sometimes: { grownByWorth: 1, grownByMultiplier: 0 } });
  const byMultiplier = watched([entitled, paid('0.07')], [announced('1.007')]);
  expect(byMultiplier).toMatchObject({ found: [], sometimes: { grownByWorth: 0, grownByMultiplier: 1 } });
});

test.each<{ what: string; facts: JournalEvent[]; actions?: AnnouncedAction[]; says: string[] }>([
  {
    what: 'is booked twice',
    facts: [entitled, paid('0.1'), paid('0.1')],
    says: [`${ID} is booked a second time`],
  },
  { what: 'was not due', facts: [paid('0.1')], says: [`${ID} is booked, and was not due`] },
  {
    what: 'was not announced',
    facts: [entitled],
    actions: [],
    says: [`${ID} is due, and the venue has announced no such payment`],
  },
  {
    what: 'was not paid by the venue',
    facts: [entitled, paid('0.1')],
    actions: [announced('1', null)],
    says: [`${ID} is booked, and the venue has paid nothing yet`],
  },
  {
    what: 'is booked at more than arrived',
    facts: [entitled, paid('0.15')],
    says: [`0.15 are booked for ${ID}, of which 0.1 came`],
  },
])('a dividend in tokens that $what is noted', ({ facts, actions, says }) => {
  expect(watched(facts, actions).found).toEqual(says);
});

test('what an operator accepts as a dividend may be any amount', () => {
  expect(watched([entitled, accepting, paid('3')]).found).toEqual([]);
});
