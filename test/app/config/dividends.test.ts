import { describe, expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { parseConfig } from '../../../src/app/config/load.ts';
import { rulesOf } from '../../../src/app/environment/plan.ts';
import { CASH_DIVIDENDS } from '../../../src/domain/corporateAction.ts';

const rulesIn = (text: string) =>
  rulesOf(
    parseConfig(`${text}\nstrategies:\n  - { id: a, use: dca, capital: 10 }\n`, {
      file: 'my.yaml',
      cwd: '/',
      secrets: new Secrets(),
    }).config,
  ).dividends;

const VENUE = `baseUrl: 'http://127.0.0.1:1', chainId: 1, product: ProductA, userAddress: '0x${'1'.repeat(40)}'`;

describe('the settings of dividends', () => {
  test('are cash in full by default', () => {
    expect(rulesIn('mode: emulator')).toEqual(CASH_DIVIDENDS);
  });

  test('are those of the venue, and of single stocks', () => {
    const venue = `venue: { ${VENUE}, dividends: tokens, withheldPercent: 26.37, dividendToleranceBps: 100 }`;
    expect(rulesIn(`mode: emulator\n${venue}\nstocks: { KO: { dividends: price }, F: {} }`)).toEqual({
      way: 'tokens',
      withheldBps: 2_637,
      toleranceBps: 100,
      stocks: new Map([['KO', 'price']]),
    });
  });

  test('follow the emulator of this process, unless a stock has its own setting', () => {
    const rules = rulesIn(
      'mode: emulator\nemulator: { dividends: tokens }\nstocks: { KO: { dividends: cash } }',
    );
    expect(rules).toEqual({ ...CASH_DIVIDENDS, way: 'tokens', stocks: new Map([['KO', 'cash']]) });
  });

  test.each([
    ['dividends: shares', 'venue.dividends: must be cash, tokens or price, not "shares"'],
    ['withheldPercent: 101', 'venue.withheldPercent: '],
    ['dividendToleranceBps: 0', 'venue.dividendToleranceBps: '],
  ])('%s is refused', (line, problem) => {
    expect(() => rulesIn(`mode: emulator\nvenue: { ${VENUE}, ${line} }`)).toThrow(problem);
  });
});
