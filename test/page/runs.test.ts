import { describe, expect, test } from 'vitest';
import type { RunRow } from '../../src/ops/model/past.ts';
import type { ComparedRun } from '../../src/ops/past/runs.ts';
import { headlineOf } from '../../src/report/headline.ts';
import { comparedFigures, comparedOf } from '../../src/page/views/runs/comparedFigures.ts';
import { nameOf, rowsIn } from '../../src/page/views/runs/rows.ts';
import { plainRecord } from '../report/html/records.ts';

const row = (name: string, metrics: Record<string, number | null>, more: Partial<RunRow> = {}): RunRow => ({
  id: name,
  kind: 'saved',
  name,
  savedAt: '2026-06-15T20:00:00Z',
  headline: headlineOf({ ...plainRecord(1), metrics }),
  problem: null,
  ...more,
});

describe('the list of saved runs', () => {
  const damaged = row('a damaged.json', {}, { headline: null, problem: 'it is not JSON' });
  const rows = [
    damaged,
    row('new.json', { totalReturn: -0.1, sharpe: null, maxDrawdown: -0.3 }),
    row('best.json', { totalReturn: 0.5, sharpe: 2, maxDrawdown: -0.1 }),
    row('unknown.json', { totalReturn: null, sharpe: null, maxDrawdown: null }),
  ];
  test.each([
    ['', ['new.json', 'best.json', 'unknown.json']],
    ['saved last', ['new.json', 'best.json', 'unknown.json']],
    ['name', ['best.json', 'new.json', 'unknown.json']],
    ['return', ['best.json', 'new.json', 'unknown.json']],
    ['Sharpe', ['best.json', 'new.json', 'unknown.json']],
    ['drawdown', ['best.json', 'new.json', 'unknown.json']],
  ])('ordered by %j has damaged files at its end', (order, names) => {
    expect(rowsIn(rows, '', order).map(({ name }) => name)).toEqual([...names, damaged.name]);
  });

  test('is searched by name, strategy or stock, in any case', () => {
    expect(rowsIn(rows, 'BEST', '').map(({ name }) => name)).toEqual(['best.json']);
    expect(rowsIn(rows, 'Idle', '')).toHaveLength(3);
    expect(rowsIn(rows, 'x', '').map(({ name }) => name)).toContain('new.json');
    expect(rowsIn(rows, 'nothing has this', '')).toEqual([]);
  });

  test('names this run and its strategies in plain words', () => {
    expect(['live', 'live:strategies', 'live:trend', 'trend.json'].map(nameOf)).toEqual([
      'this run',
      'this run, all strategies',
      'this run, trend',
      'trend.json',
    ]);
  });
});

type Closes = Readonly<Record<string, number>>;

/** A run that starts with `start`, by its closes. */
function ran(start: number, closes: Closes, flows: Closes = {}): ComparedRun {
  const marks = Object.entries(closes).map(([day, equity]) => ({
    date: `2026-06-${day}`,
    at: 0,
    equity,
    ...(flows[day] !== undefined && { flow: flows[day] }),
  }));
  const equity = { start: String(start), end: String(marks.at(-1)?.equity ?? start) };
  return { id: 'x', run: plainRecord(0).run, totals: { equity }, marks };
}

const titlesOf = (a: ComparedRun, b: ComparedRun) =>
  comparedFigures({ a, b }).map(({ markup }) => /<h3>([^<]*)/.exec(markup)?.[1]);

describe('a chart of two runs', () => {
  test('has every date of both, and values from the first close of each to its last', () => {
    const a = ran(100, { '01': 110, '02': 121, '05': 99 });
    const b = ran(100, { '02': 50, '04': 60 });
    const { dates, equity, drawdown } = comparedOf({ a, b });
    expect(dates).toEqual(['2026-06-01', '2026-06-02', '2026-06-04', '2026-06-05']);
    expect(equity).toEqual({ a: [110, 121, 121, 99], b: [null, 50, 60, null] });
    expect(drawdown.b).toEqual([null, -0.5, expect.closeTo(-0.4, 12), null]);
  });

  test('compares growth without the effect of capital and deposits', () => {
    const a = ran(100, { '01': 110, '02': 121 });
    const b = ran(5_000, { '01': 5_500, '02': 7_150 }, { '02': 1_100 });
    const { growth } = comparedOf({ a, b });
    const grown = [expect.closeTo(0.1, 12), expect.closeTo(0.21, 12)];
    expect(growth).toEqual({ a: grown, b: grown });
  });

  test('shows plain equity only if both runs had the same capital', () => {
    const closes = { '01': 110, '02': 121 };
    expect(titlesOf(ran(100, closes), ran(100, closes))).toEqual(['Equity', 'Drawdown']);
    expect(titlesOf(ran(100, closes), ran(200, closes))).toEqual(['Growth', 'Equity', 'Drawdown']);
    expect(titlesOf(ran(100, closes), ran(100, closes, { '02': 5 }))).toEqual([
      'Growth',
      'Equity',
      'Drawdown',
    ]);
  });

  test('keeps a run that lost everything at -100 %, and has no line for one without a close', () => {
    const { growth } = comparedOf({ a: ran(100, { '01': 0, '02': 0 }), b: ran(100, {}) });
    expect(growth).toEqual({ a: [-1, -1], b: [null, null] });
  });
});
