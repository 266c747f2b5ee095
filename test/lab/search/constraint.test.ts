import { expect, test } from 'vitest';
import { constraintOf } from '../../../src/lab/search/constraint.ts';

const names = ['fast', 'slow', 'mode', 'isOn'];
const params = { fast: 10, slow: 30, mode: 'calm', isOn: true };

test.each([
  ['fast < slow', true],
  ['slow < fast', false],
  ['slow - fast >= 20', true],
  ['slow - fast - 1 >= 20', false],
  ['2 * fast + 10 == slow', true],
  ['fast + slow / 10 == 13', true],
  ['(fast + slow) / 10 == 4', true],
  ['-fast < 0', true],
  ['mode == "calm" && fast != 11', true],
  ["mode == 'quick' || isOn == true", true],
  ['fast > 5 && slow > 50 || isOn == false', false],
  ['0.3 - 0.2 >= 0.1 && 1000.1 - 1000 <= 0.1 && 3 * 0.1 == 0.3 && fast / 100 - 0.3 == -0.2', true],
])('the constraint %s is %s', (text, holds) => expect(constraintOf(text, names)(params)).toBe(holds));

test.each([
  ['fasd < slow', 'character 1: no parameter is called "fasd". Did you mean fast?'],
  ['fast <', 'character 7: the expression is incomplete'],
  ['(fast < slow', 'character 1: this parenthesis is not closed'],
  ['fast < slow slow', 'character 13: "slow" was not expected'],
  ['fast ? slow', 'character 6: "?" is not understood'],
  ['process.exit(1)', 'character 8: "." is not understood'],
  ['5 < fast < slow', 'character 10: a comparison has two sides: write a < b && b < c'],
  ['globalThis', 'no parameter is called "globalThis"'],
])('the constraint %s is refused with its place', (text, why) =>
  expect(() => constraintOf(text, names)).toThrow(why),
);
