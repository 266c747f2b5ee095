import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columns, type Indicator } from '../../../src/strategy/index.ts';
import { INDICATORS } from './catalogue.ts';

type Case = Readonly<{
  name: string;
  params: readonly number[];
  /** Library and version whose answers these are. */
  by: string;
  from: number;
  every: number;
  columns: Readonly<Record<string, readonly number[]>>;
}>;

const { series, cases } = JSON.parse(readFileSync('test/fixtures/indicators.json', 'utf8')) as Readonly<{
  series: Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume' | 'index', readonly number[]>>;
  cases: readonly Case[];
}>;

const { index, ...bars } = series;
const INPUTS = { values: series.close, bars, pairs: { value: series.close, reference: index } };
/** Digits cut off from each number in the file. */
const DIGITS = 11;

test.each(cases)(
  '$name $params equals the result of $by',
  ({ name, params, from, every, columns: expected }) => {
    const listed = INDICATORS.find((each) => each.name === name);
    if (!listed) throw new Error(`no indicator ${name}`);
    const found = columns(listed.make(...params) as Indicator<never>, INPUTS[listed.reads] as never) as
      | Float64Array
      | Readonly<Record<string, Float64Array>>;
    for (const [output, values] of Object.entries(expected)) {
      const column = found instanceof Float64Array ? found : found[output];
      expect(values.length).toBeGreaterThan(5);
      values.forEach((value, at) => {
        const answer = column?.[from + at * every] ?? NaN;
        expect(Math.abs(answer - value)).toBeLessThan(10 ** -DIGITS * Math.max(Math.abs(value), 1));
      });
    }
  },
);
