import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { pageOf } from './pageOf.ts';
import { blockOf, chartsOf, slipsOf } from './reading.ts';
import { candlesOf, plainRecord } from './records.ts';

type Plot = NonNullable<RunRecord['plots']>[number];
type Block = Readonly<{
  at: number[];
  step?: number;
  columns: { name: string; values: (number | string | null)[] }[];
  drawing: { lines: { column: number }[] };
}>;

const closeOf = (day: number) => Date.parse(`2026-03-0${2 + day}T21:00:00Z`);

const plot = (name: string, values: (number | null)[], more: Partial<Plot> = {}): Plot => ({
  strategy: 'idle',
  name,
  symbol: 'X',
  panel: null,
  at: values.map((_, day) => closeOf(day)),
  values,
  ...more,
});

/** Report of five days of X on which something was plotted. */
function reportOf(plots: Plot[]) {
  const page = pageOf(plainRecord(5, { candles: [candlesOf('X', 5)], plots }));
  expect(slipsOf(page)).toEqual([]);
  return { page, ids: chartsOf(page), block: (id: string) => blockOf(page, id) as Block };
}

const column = ({ columns }: Block, name: string) => columns.find((each) => each.name === name)?.values;

describe('a series plotted by a strategy', () => {
  test('is drawn over the candles of its stock, at its sessions', () => {
    const { block, page } = reportOf([plot('average', [null, 10, 11, 12, 13])]);
    const candles = block('candles-1');
    expect(column(candles, 'average')).toEqual([null, 10, 11, 12, 13]);
    const [line] = candles.drawing.lines;
    expect(candles.columns[line?.column ?? -1]?.name).toBe('average');
    expect(page).toMatch(/<path class="line s5" d="M1\.5 /);
    expect(page).toContain('<i class="key s5"></i>average');
  });

  test('of a live run counts for the session that closed some seconds before', () => {
    const at = [0, 1, 2].map((day) => closeOf(day) + 3_000);
    const { block } = reportOf([
      plot('average', [1, 2, 3], { at }),
      plot('score', [4, 5, 6], { at, symbol: null }),
    ]);
    expect(column(block('candles-1'), 'average')).toEqual([1, 2, 3, null, null]);
    expect(column(block('panel-1'), 'score')).toEqual([4, 5, 6, null, null]);
  });

  test('has a panel below the candles of its stock, or after all others', () => {
    const { ids, block } = reportOf([
      plot('score', [1, 2, 3, 4, 5], { symbol: null }),
      plot('macd', [1, 2, 3, 4, 5], { panel: 'MACD' }),
      plot('signal', [5, 4, null, 2, 1], { panel: 'MACD' }),
    ]);
    const drawn = ids.filter((id) => id?.startsWith('candles') || id?.startsWith('panel'));
    expect(drawn).toEqual(['candles-1', 'panel-1-1', 'panel-1']);
    expect(block('panel-1-1').columns).toMatchObject([
      { name: 'macd', values: [1, 2, 3, 4, 5] },
      { name: 'signal', values: [5, 4, null, 2, 1] },
    ]);
    expect(block('panel-1').columns).toMatchObject([{ name: 'score', values: [1, 2, 3, 4, 5] }]);
  });

  test('within sessions is drawn at its times', () => {
    const at = ['14:35', '17:45', '21:00'].map((time) => Date.parse(`2026-03-03T${time}:00Z`));
    const { block } = reportOf([
      plot('rsi', [30, 40, 50], { panel: 'RSI', at }),
      plot('limit', [70], { panel: 'RSI', at: at.slice(1, 2) }),
    ]);
    const { at: places, step, ...rest } = block('panel-1-1');
    expect(step).toBe(0);
    expect(places.map((place) => Math.round(place * 1000) / 1000)).toEqual([1.013, 1.5, 1.999]);
    expect(rest.columns).toMatchObject([
      { name: 'rsi', values: [30, 40, 50] },
      { name: 'limit', values: [null, 70, null] },
      { name: 'Time', values: ['2026-03-03 09:35', '2026-03-03 12:45', '2026-03-03 16:00'] },
    ]);
  });

  test('of several strategies has the name of its strategy', () => {
    const { block } = reportOf([plot('a', [1]), plot('a', [2], { strategy: 'other' })]);
    const { columns } = block('candles-1');
    expect(columns.slice(-2).map(({ name }) => name)).toEqual(['idle: a', 'other: a']);
  });

  test('with hostile names is escaped', () => {
    const { page } = reportOf([plot('<script>alert(1)</script>', [1, 2], { panel: '"><img src=x>' })]);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<img');
  });
});
