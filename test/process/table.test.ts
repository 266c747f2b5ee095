import { expect, test } from 'vitest';
import { table } from '../../src/process/output.ts';

test('columns stay aligned under wide characters, accents of two characters, colours and emoji', () => {
  const rows = [
    ['日本', '1'],
    ['e\u0301x', '22'],
    ['\u001B[32mok\u001B[39m', '333'],
    ['⚠️', '4'],
  ];
  expect(table(['name', 'n'], rows, ['n']).split('\n')).toEqual([
    'name    n',
    '日本    1',
    'e\u0301x     22',
    '\u001B[32mok\u001B[39m    333',
    '⚠️      4',
  ]);
});

test('a table of no rows is its head, and no line ends with spaces', () => {
  expect(table(['a', 'b'], [])).toBe('a  b');
  expect(table(['a', 'b'], [['long', '']])).toBe('a     b\nlong');
});
