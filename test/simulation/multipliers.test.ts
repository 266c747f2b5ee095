import { expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { MULTIPLIER_LIES, Multipliers, tokensOf } from './multipliers.ts';
import { planOf } from './plan.ts';
import { noneYet } from './sometimes.ts';

const ONE = (10n ** 18n).toString(16).padStart(64, '0');
const asked = (data: string) => `{"method":"eth_call","params":[{"to":"0x1","data":"${data}"},"latest"]}`;
const [GROWTH, RATIO] = [asked('0x2b63c300'), asked('0xa60bf13d')];
const answer = `{"id":1,"result":"0x${ONE}${'0'.repeat(128)}"}`;

function told(kind: (typeof MULTIPLIER_LIES)[number], body = GROWTH, isHealed = false) {
  const lie = { kind, share: 1 };
  const sometimes = noneYet();
  const multipliers = new Multipliers({
    lie,
    random: seededRandom('a'),
    sometimes,
    isHealed: () => isHealed,
  });
  const heard = multipliers.told(body, answer);
  const word = heard === null ? null : BigInt(heard.slice(heard.indexOf('0x'), heard.indexOf('0x') + 66));
  return { word, count: sometimes[`multiplier ${kind}`] };
}

test('a false multiplier falls, is missing, is a million times too large, or never comes', () => {
  expect(MULTIPLIER_LIES.map((kind) => told(kind))).toEqual([
    { word: 9n * 10n ** 17n, count: 1 },
    { word: 0n, count: 1 },
    { word: 10n ** 24n, count: 1 },
    { word: null, count: 1 },
  ]);
});

test('every other answer of a node is true, and so is each multiplier after the faults', () => {
  for (const other of [told('zero', RATIO), told('zero', GROWTH, true)])
    expect(other).toEqual({ word: 10n ** 18n, count: 0 });
});

test('token features of a run are drawn separately: only with dividends in tokens, and evenings only at night', () => {
  const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
  const nights = seeds.map((seed) => planOf(seed, { nights: true }));
  for (const plan of [...nights, ...seeds.map((seed) => planOf(seed))]) {
    expect(plan.tokens).toEqual(plan.action === 'cash_dividend' ? tokensOf(plan) : null);
    if (!plan.nights) expect(plan.tokens?.begins ?? 'open').toBe('open');
  }
  const kinds = new Set(nights.map(({ tokens }) => tokens?.lie?.kind));
  expect(kinds).toEqual(new Set([undefined, ...MULTIPLIER_LIES]));
});
