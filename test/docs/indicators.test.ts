import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { barsOf, inputOf, INDICATORS, type TestBar } from '../strategy/indicators/catalogue.ts';

const rows = readFileSync('docs/indicators.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, call = '', reads = '', answers = '', warmUp = ''] = line.split('|').map((cell) => cell.trim());
    const [, name = '', params = ''] = /^`(\w+)\((.*)\)`$/.exec(call) ?? [];
    return { name, params: params === '' ? [] : params.split(', '), reads, answers, warmUp };
  });

const ANY_LENGTH = 5;

test('docs/indicators.md lists every indicator', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(INDICATORS.map(({ name }) => name).sort());
});

describe('docs/indicators.md', () => {
  test.each(rows)('describes $name correctly', ({ name, params, reads, answers, warmUp }) => {
    const known = INDICATORS.find((each) => each.name === name);
    const given = params.map((param) => param.split(' = '));
    const isOptional = given.every(([, value]) => value !== undefined);
    const indicator = known?.make(...(isOptional ? [] : given.map(() => ANY_LENGTH)));
    const named = Object.fromEntries(
      given.map(([param = '', value]) => [param, Number(value ?? ANY_LENGTH)] as const),
    );
    expect(indicator?.warmUp).toBe(runInNewContext(warmUp.replaceAll('`', ''), named));
    expect(known?.reads).toBe(reads);

    const [bar] = barsOf([[3, 1, 2]]) as [TestBar];
    const answer = indicator?.next(inputOf(known?.reads ?? 'values', bar) as never);
    const names =
      typeof answer === 'number' ? 'number' : Object.keys(answer ?? {}).map((each) => `\`${each}\``);
    expect([names].flat().join(', ')).toBe(answers);
  });
});
