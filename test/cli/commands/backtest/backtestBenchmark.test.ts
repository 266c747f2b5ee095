import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

let folder = '';
const generated = (symbol: string, interval: string, [from, to]: readonly [string, string]) =>
  drover(['data', 'generate', symbol, '--interval', interval, '--from', from, '--to', to, '--data', folder]);
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'drover-backtest-benchmark-'));
  await generated('AAA', '5m', ['2026-02-01', '2026-04-01']);
  await generated('SPY', '1m', ['2026-01-01', '2026-05-01']);
  await generated('OLD', '1d', ['2025-01-01', '2025-03-01']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const backtest = async (interval: string, ...more: readonly string[]) => {
  const { code, out, err } = await drover([
    'backtest',
    '--strategy',
    'strategies/sma-cross.ts',
    '--data',
    folder,
    '--json',
    '--params',
    JSON.stringify({ symbol: 'AAA', interval }),
    ...more,
  ]);
  return { code, err, result: code === 0 ? (JSON.parse(out) as Result) : null };
};

type Result = Readonly<{
  symbols: string[];
  bars: number;
  sessions: number;
  from: string;
  to: string;
  pnl: string;
  trades: number;
  metrics: Record<string, number | null>;
}>;

/** Parts of the result that the benchmark must not change. */
const playedOf = (result: Result | null) => {
  const { sessions = 0, from, to, pnl, trades } = result ?? {};
  return { sessions, from, to, pnl, trades };
};

test('a benchmark that no strategy trades comes from the store and changes neither sessions nor trades', async () => {
  const file = join(folder, 'AAA.csv');
  await drover(['data', 'export', 'AAA', '--interval', '5m', '--out', file, '--data', folder]);
  for (const given of [[], ['--bars', 'AAA'], ['--bars', `AAA=${file}`, '--interval', '5m']]) {
    const [plain, measured] = [
      await backtest('5m', ...given),
      await backtest('5m', ...given, '--benchmark', 'SPY'),
    ];
    expect([measured.code, measured.err]).toEqual([0, '']);
    const { sessions = 0, bars = 0 } = plain.result ?? {};
    expect(measured.result).toMatchObject({
      benchmark: 'SPY',
      symbols: ['AAA', 'SPY'],
      bars: bars + sessions,
    });
    expect(playedOf(measured.result)).toEqual(playedOf(plain.result));
    const { benchmarkReturn, beta } = measured.result?.metrics ?? {};
    expect([benchmarkReturn, beta]).toEqual([expect.any(Number), expect.any(Number)]);
  }
});

test('the benchmark of a run on weekly bars is weekly too, so the run still counts weeks', async () => {
  const [plain, measured] = [await backtest('1w'), await backtest('1w', '--benchmark', 'SPY')];
  expect(playedOf(measured.result)).toEqual(playedOf(plain.result));
  expect(measured.result?.sessions).toBe(8);
});

test('a benchmark without bars in the sessions of the run is refused', async () => {
  const { code, err } = await backtest('5m', '--benchmark', 'OLD');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('--benchmark OLD: none of its stored bars lies in a session of AAA'),
  ]);
});
