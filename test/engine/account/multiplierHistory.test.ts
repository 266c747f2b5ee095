import { expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { MINUTE } from '../stage.ts';
import { AAPL, booksOf, dividend, exDate, grow, HOUR, kindsOf } from './exDate.ts';

const BOOKED = ['entitled', 'paidInTokens'];
const DIFFERS = ['entitled', 'difference', 'frozen'];

test.each<{ title: string; came: string; growth: string; kinds: string[] }>([
  {
    title: "is booked by it, regardless of the token's price",
    came: '0.06',
    growth: '1.006',
    kinds: BOOKED,
  },
  { title: 'is booked by it if the venue rounds', came: '0.059999', growth: '1.006', kinds: BOOKED },
  { title: 'is not booked if the account grew by more', came: '0.07', growth: '1.006', kinds: DIFFERS },
  { title: 'is not booked if the account grew by less', came: '0.05', growth: '1.006', kinds: DIFFERS },
  {
    title: 'is not booked if it is more than twice the amount due',
    came: '0.09',
    growth: '1.009',
    kinds: DIFFERS,
  },
  {
    title: 'is not booked if it is a small part of the amount due',
    came: '0.0001',
    growth: '1.00001',
    kinds: ['entitled'],
  },
  { title: 'is not booked if the multiplier fell', came: '0.06', growth: '0.9', kinds: DIFFERS },
  { title: 'is not booked if the multiplier is 0', came: '0.06', growth: '0', kinds: DIFFERS },
])("a dividend in tokens that the token's contract shows $title", async ({ came, growth, kinds }) => {
  const token = { growth: '1' };
  const stage = await exDate({ token });
  token.growth = growth;
  grow(stage, came);
  await stage.pass(5 * MINUTE);
  expect(kindsOf(stage)).toEqual(kinds);
  expect(stage.alarms.length > 0).toBe(kinds !== BOOKED);
  expect(booksOf(stage).ledger.total(AAPL) > parseShares('10')).toBe(kinds === BOOKED);
});

test('a multiplier that was read only after its ex-date began proves no dividend', async () => {
  const token: { growth: string | null } = { growth: null };
  const stage = await exDate({ token });
  token.growth = '1.006';
  grow(stage, '0.06');
  await stage.pass(5 * MINUTE);
  expect(kindsOf(stage)).toEqual(['entitled', 'difference', 'frozen']);
});

test('growth by a multiplier is booked once, and the next dividend counts from there', async () => {
  const special = { ...dividend, name: 'special_dividend', exDate: '2026-06-17' };
  const token = { growth: '1.5' };
  const stage = await exDate({ token, actions: [dividend, special] });
  token.growth = '1.509';
  grow(stage, '0.06');
  await stage.pass(24 * HOUR);
  expect(kindsOf(stage)).toEqual(['entitled', 'paidInTokens', 'entitled']);
  grow(stage, '0.06036');
  await stage.pass(5 * MINUTE);
  expect(kindsOf(stage).slice(3)).not.toContain('paidInTokens');
  token.growth = '1.518054';
  await stage.pass(5 * MINUTE);
  expect(kindsOf(stage).slice(3)).toContain('paidInTokens');
  expect(booksOf(stage).ledger.total(AAPL)).toBe(parseShares('10.12036'));
});

test('a node that never answers holds up neither the account nor the end of the run', async () => {
  const stage = await exDate({ token: { growth: 'never' } });
  grow(stage, '0.04');
  await stage.pass(5 * MINUTE);
  expect(kindsOf(stage)).toEqual(BOOKED);
  await stage.stop();
  expect(stage.failure).toBeNull();
});

test.each([
  {
    title: "the token's growth since the first",
    perShare: '5',
    first: ['1.006', '0.06'],
    second: ['1.051', '0.45'],
  },
  {
    title: "the token's growth although the node was silent when the first came",
    perShare: '0.2',
    first: [null, '0.04'],
    second: ['1.00651', '0.0251'],
  },
] as const)(
  'the second of two dividends on one day is booked by $title',
  async ({ perShare, first, second }) => {
    const special = { ...dividend, name: 'special_dividend', perShare: parseCash(perShare) };
    const token: { growth: string | null } = { growth: '1' };
    const stage = await exDate({ token, actions: [dividend, special] });
    for (const [multiplier, came] of [first, second]) {
      token.growth = multiplier;
      grow(stage, came);
      await stage.pass(5 * MINUTE);
    }
    expect(kindsOf(stage)).toEqual(['entitled', 'entitled', 'paidInTokens', 'paidInTokens']);
    expect(booksOf(stage).actions.unpaid.size).toBe(0);
  },
);
