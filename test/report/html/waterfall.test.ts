import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { amountOf, rowsOf } from './reading.ts';
import { plainRecord } from './records.ts';

const record = plainRecord(40, {
  totals: { ...plainRecord(40).totals, pnl: '1000', fees: '60', slippage: '15' },
});

/** Steps of a record's waterfall: their names and amounts. */
function stepsOf(of: RunRecord): { names: string[]; amounts: number[] } {
  const rows = rowsOf(pageOf(of), 'costs');
  return { names: rows.map(([name = '']) => name), amounts: rows.map(([, amount]) => amountOf(amount)) };
}

test('the waterfall leads from decision prices over slippage and fees to the profit', () => {
  const { names, amounts } = stepsOf(record);
  expect(names).toEqual(['Before slippage', 'Slippage', 'Before fees', 'Fees', 'Net']);
  expect(amounts).toEqual([1075, -15, 1060, -60, 1000]);
});

test('the waterfall without slippage shows the shortfall, or neither', () => {
  const { slippage: _slippage, ...totals } = record.totals;
  const metrics = { shortfall: 300 };
  const { names, amounts } = stepsOf({ ...record, totals, metrics });
  expect(names).toEqual(['At decision prices', 'Shortfall', 'Before fees', 'Fees', 'Net']);
  expect(amounts[1]).toBe(-300);
  expect(stepsOf({ ...record, metrics })).toEqual({
    names: ['At decision prices', 'Delay', 'Slippage', 'Before fees', 'Fees', 'Net'],
    amounts: [1360, -285, -15, 1060, -60, 1000],
  });
  expect(stepsOf({ ...record, totals }).names).toEqual(['Before fees', 'Fees', 'Net']);
});

test('dividends have their own step in the waterfall', () => {
  const { names, amounts } = stepsOf({
    ...record,
    totals: { ...record.totals, pnl: '1025', dividends: '25' },
  });
  expect(names).toEqual(['Before slippage', 'Slippage', 'Before fees', 'Fees', 'Dividends', 'Net']);
  expect(amounts).toEqual([1075, -15, 1060, -60, 25, 1025]);
});

test('a bar of the waterfall starts where the step before it ended', () => {
  const bars = [...pageOf(record).matchAll(/<path class="fill (\w+)" d="M([\d.]+) 1H([\d.]+)V9/g)];
  expect(bars.map(([, style, from, to]) => [style, from, to])).toEqual([
    ['gain', '0', '1000'],
    ['held', '986', '1000'],
    ['gain', '0', '986'],
    ['held', '930.2', '986'],
    ['gain', '0', '930.2'],
  ]);
});
