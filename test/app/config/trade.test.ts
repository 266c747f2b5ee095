import { describe, expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { missingLimits, parseConfig } from '../../../src/app/config/load.ts';
import { rulesOf } from '../../../src/app/environment/plan.ts';

const parse = (text: string, own = '') =>
  parseConfig(`${text}\nstrategies:\n  - { id: a, use: dca, capital: 10${own} }\n`, {
    file: 'my.yaml',
    cwd: '/',
    secrets: new Secrets(),
  });

describe('trade', () => {
  test('is the regular session by default, which gives no rules at all', () => {
    const { config } = parse('mode: emulator');
    expect(config.trade).toEqual(['regular']);
    expect(rulesOf(config)).not.toHaveProperty('trade');
  });

  test('can be set for the run, a strategy and a stock', () => {
    const text =
      'trade: [regular, post]\nstocks: { TSLA: { trade: [regular] }, SPY: { extendedHours: true } }\n';
    const { config } = parse(text, ', trade: [regular, overnight]');
    expect(rulesOf(config).trade).toEqual({
      run: new Set(['regular', 'post']),
      strategies: new Map([['a', new Set(['regular', 'overnight'])]]),
      stocks: new Map([
        ['TSLA', { phases: new Set(['regular']), extendedHours: undefined }],
        ['SPY', { extendedHours: true }],
      ]),
      extendedHours: undefined,
      dayEnds: undefined,
    });
  });

  test.each([
    ['trade: [post]', 'trade: must include regular'],
    ['trade: [regular, night]', 'trade[1]: must be overnight, pre, regular or post, not "night"'],
    ['stocks: { tsla: {} }', 'stocks.tsla: is not a stock symbol. Write it like TSLA'],
  ])('%s is refused', (text, problem) => {
    expect(() => parse(text)).toThrow(problem);
  });

  test('needs its own size limits in live', () => {
    const names = (text: string) =>
      missingLimits(parse(text).config).filter((name) => name.includes('outside'));
    expect(names('trade: [regular]')).toEqual([]);
    expect(names('trade: [regular, post]')).toEqual([
      'outside.orderNotional',
      'outside.positionNotional',
      'outside.grossExposure',
    ]);
    const sizes = '{ orderNotional: 1, positionNotional: 2, grossExposure: 3 }';
    expect(names(`trade: [regular, post]\nlimits: { outside: ${sizes} }`)).toEqual([]);
  });
});
