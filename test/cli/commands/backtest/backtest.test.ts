import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { d10, type BarSet } from '../../../../bench/bars.ts';
import { parseRunRecord } from '../../../../src/report/runRecord.ts';
import { drover } from '../../support/commandLine.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-backtest-'));
  write('d10.csv', csvOf(d10()));
  writeFileSync(join(folder, 'd10.f64'), bytesOf(d10()));
});
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

function csvOf({ columns: { start, open, high, low, close, volume } }: BarSet): string {
  const rows = Array.from(start, (ts, i) => [ts, open[i], high[i], low[i], close[i], volume[i]].join(','));
  return `ts,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

function bytesOf({ columns }: BarSet): Uint8Array {
  const { start, open, high, low, close, volume } = columns;
  const all = [start, open, high, low, close, volume].flatMap((column) => [...column]);
  return new Uint8Array(Float64Array.from(all).buffer);
}

const RULES = ['--cash', '1000000', '--fees', 'bps:10', '--fill', 'next-open', '--slippage', 'none'];
const backtest = (file: string, ...more: readonly string[]) =>
  drover([
    'backtest',
    '--strategy',
    'bench/strategies/bench-sma.ts',
    '--params',
    '{"symbol":"X","interval":"1d"}',
    '--interval',
    '1d',
    ...RULES,
    '--bars',
    `X=${join(folder, file)}`,
    ...more,
  ]);

const TOLD = `bench-sma on X, 2018-01-02 to 2018-12-31
params   symbol X, interval 1d
bars     1d
fill     next-open, fees bps:10, slippage none

equity   10,000.00 → 10,006.74 mUSD  +6.74 (+0.07 %)
         ▃▃▃▃▃▃▃▄▂▃▃▄▄▄▄▃▃▃▃▃▄▄▂▃▃▃▃▂▁▁▁▁▁▁▁▁▁▁▁▁▁▁▃▄▄▆▇████▇▆▆▆▆▆▆▆▇▄▄▃▃
holding  X +26.61 %

growth a year   0.07 %    Sharpe   0.04    max drawdown   -1.96 %
volatility      2.14 %    Sortino  0.06    longest          133 d
best month      1.77 %    Calmar   0.03    under water    80.88 %
worst month    -1.23 %    beta     0.07    in the market  49.80 %

trades   5 closed
orders   10 sent, 10 filled; fees 15.70, slippage 0.00 mUSD

drawdown  peak        trough      recovered   days
 -1.96 %  2018-10-09  2018-12-19  not yet       83
 -1.36 %  2018-04-30  2018-06-13  2018-09-10   133
 -0.64 %  2018-03-19  2018-04-05  2018-04-30    42

%     Jan  Feb  Mar  Apr  May  Jun  Jul  Aug  Sep  Oct  Nov  Dec    Year
2018  0.0 -0.2  0.3  0.4 -0.8 -0.6  0.0  1.1  1.8 -1.0  0.3 -1.2     0.1

run ID: 251 bars in 251 sessions, TIME`;

describe('drover backtest', () => {
  test.each(['d10.csv', 'd10.f64'])('gives the known result from %s', async (file) => {
    const { code, out, err } = await backtest(file, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result).toMatchObject({
      strategy: 'bench-sma',
      params: { symbol: 'X', interval: '1d' },
      symbols: ['X'],
      bars: 2520,
      trades: 47,
      pnl: '1291.469294',
      equity: { start: '1000000', end: '1001291.469294' },
      from: '2015-01-02T14:30:00Z',
      open: [],
      orders: { filled: 94 },
      metrics: { trades: 47, deflatedSharpe: null },
      benchmark: 'X',
      notes: { deflatedSharpe: 'the number of runs it was chosen from was not given' },
      intervals: { X: ['1d'] },
      pending: [],
      ended: [],
      writtenOff: '0',
      model: { fill: 'next-open', fees: 'bps:10', slippage: 'none', volumeCap: null, delisted: 'last' },
    });
    expect(result['runId']).toMatch(/^[0-9a-f]{32}$/);
    expect(Object.keys(result['elapsedMs'] as object)).toEqual(['load', 'run', 'report']);
  });

  test('runs again on inverted prices with --sensitivity', async () => {
    const file = join(folder, 'varied.json');
    const { out } = await backtest('d10.csv', '--sensitivity', '--json', '--save', file);
    const { sensitivity } = JSON.parse(out) as { sensitivity: { name: string; pnl: string }[] };
    expect(sensitivity.map(({ name }) => name)).toEqual([
      'as given',
      'ambiguous best',
      'latency of a bar',
      'limit fill through',
    ]);
    expect(parseRunRecord(readFileSync(file, 'utf8'), file).sensitivity).toEqual(sensitivity);
    expect(sensitivity[0]).toMatchObject({ pnl: '1291.469294', trades: 47, difference: '0' });
    const late = sensitivity[2];
    expect(late?.pnl).not.toBe('1291.469294');
    const { out: text } = await backtest('d10.csv', '--sensitivity');
    expect(text).toMatch(
      /\nsensitivity +pnl +difference +trades +max drawdown\nas given +1,291\.47 +47 +-\d/,
    );
  });

  test('prints a summary without colours if the output supports none', async () => {
    const { out } = await backtest(
      'd10.csv',
      '--from',
      '2018-01-01',
      '--to',
      '2019-01-01',
      '--cash',
      '10000',
    );
    expect(out.replace(/run [0-9a-f]{32}/, 'run ID').replace(/[\d.]+ s\n/, 'TIME')).toBe(TOLD);
  });

  test('measures by the benchmark and the risk-free rate of its flags', async () => {
    const { out } = await backtest('d10.csv', '--json', '--benchmark', 'none', '--risk-free', '0.03');
    const { metrics, benchmark } = JSON.parse(out) as { metrics: Record<string, number>; benchmark: null };
    expect([metrics['beta'], benchmark]).toEqual([null, null]);
    expect(metrics['sharpe']).toBeLessThan(0);
  });

  test('prints the chance of luck and the result per risk with --trials and --initial-risk, and saves both', async () => {
    const given = ['--trials', '20', '--trial-variance', '0.1', '--initial-risk', 'bps:200'];
    const { out } = await backtest('d10.csv', ...given);
    expect(out).toMatch(/\nchance {3}deflated Sharpe \d+\.\d\d %, above 0 alone \d+\.\d\d %\n/);
    expect(out).toMatch(/ in R -?\d\.\d\d\n/);
    const file = join(folder, 'trials.json');
    const { out: json } = await backtest('d10.csv', ...given, '--save', file, '--json');
    const { metrics } = JSON.parse(json) as { metrics: Record<string, number> };
    expect(metrics['deflatedSharpe']).toBeLessThan(metrics['probabilisticSharpe'] ?? NaN);
    const { run } = JSON.parse(readFileSync(file, 'utf8')) as { run: { settings: object } };
    expect(run.settings).toMatchObject({ trials: '20', trialVariance: '0.1', initialRisk: 'bps:200' });
  });

  test('draws the same report as `drover report` draws later from the saved record', async () => {
    const [saved, drawn, later] = ['kept.json', 'drawn.html', 'later.html'].map((name) => join(folder, name));
    const { code, out } = await backtest('d10.csv', '--save', `${saved}`, '--report', `${drawn}`, '--json');
    expect(code).toBe(0);
    const result = JSON.parse(out) as { report: string; elapsedMs: { report: number } };
    expect(result.report).toBe(drawn);
    const page = readFileSync(`${drawn}`, 'utf8');
    expect(page).toMatch(/^<!doctype html>.*<title>bench-sma on X: backtest report/s);
    expect(page).toContain(
      '<dt>params</dt><dd>symbol X, interval 1d</dd><dt>bars</dt><dd>1d</dd><dt>fill</dt><dd>next-open, fees bps:10, slippage none</dd>',
    );
    expect((await drover(['report', `${saved}`, '--out', `${later}`])).code).toBe(0);
    expect(readFileSync(`${later}`, 'utf8')).toBe(page);
    const trades = join(folder, 'trades.csv');
    const flags = ['--to', '2016-01-01', '--report', `${drawn}`, '--trades', trades];
    const { out: told } = await backtest('d10.csv', ...flags);
    expect(told.trimEnd().split('\n').slice(-2)).toEqual([`report   ${drawn}`, `trades   ${trades}`]);
    const count = /^trades +(\d+)/m.exec(told)?.[1];
    expect(readFileSync(trades, 'utf8').trimEnd().split('\n')).toHaveLength(Number(count) + 1);
  });

  test('saves a record of the run', async () => {
    const file = join(folder, 'saved.json');
    const { out } = await backtest(
      'd10.csv',
      '--json',
      '--from',
      '2016-01-01',
      '--to',
      '2017-01-01',
      '--save',
      file,
    );
    const result = JSON.parse(out) as Record<string, unknown>;
    const record = parseRunRecord(readFileSync(file, 'utf8'), file);
    expect(record).toMatchObject({
      run: {
        kind: 'backtest',
        runId: result['runId'],
        marksPerYear: 252,
        settings: { fees: 'bps:10', fill: 'next-open' },
      },
      totals: { pnl: result['pnl'], trades: result['trades'] },
      metrics: result['metrics'],
      notes: result['notes'],
      benchmark: { symbol: 'X' },
    });
    const { marks, candles, benchmark, trades } = record;
    expect([marks.length, candles[0]?.close.length, trades.length]).toEqual([252, 252, 5]);
    expect(candles[0]?.close).toEqual(benchmark?.closes);
  });

  test.each([
    ['a file that is not there', 'none.csv', [], /none\.csv: there is no such file/],
    ['an unknown interval', 'd10.csv', ['--interval', '2m'], /--interval "2m": there is 1m/],
    ['an unknown model', 'd10.csv', ['--fill', 'magic'], /fill "magic": write/],
    ['a negative amount of cash', 'd10.csv', ['--cash', '-5'], /--cash: "-5" must not be negative/],
    ['no cash', 'd10.csv', ['--cash', '0'], /--cash must be more than 0/],
    ['an invalid --from', 'd10.csv', ['--from', 'noon'], /--from: "noon" is not a time/],
    [
      'an unknown rule for delistings',
      'd10.csv',
      ['--delisted', 'x'],
      /--delisted "x": write last or zero or error/,
    ],
    [
      'an unknown rule for ambiguous bars',
      'd10.csv',
      ['--ambiguous', 'lucky'],
      /--ambiguous "lucky": write worst or best/,
    ],
    [
      'a benchmark without bars',
      'd10.csv',
      ['--benchmark', 'Z'],
      /--benchmark Z is not among the symbols of the run \(X\), and there are no bars of Z 1d in .*`drover data pull Z .*--bars Z=FILE/,
    ],
    ['an invalid benchmark symbol', 'd10.csv', ['--benchmark', 'z'], /--benchmark "z": write a symbol in/],
    ['an invalid number of trials', 'd10.csv', ['--trials', 'many'], /--trials "many": write a number/],
    ['a single trial', 'd10.csv', ['--trials', '1'], /trials 1: write the number of runs/],
    ['an invalid rate', 'd10.csv', ['--risk-free', 'low'], /--risk-free "low": write a number/],
    [
      'a file that cannot be written',
      'd10.csv',
      ['--save', '/nowhere/a.json'],
      /--save: cannot write \/nowhere\/a\.json/,
    ],
    [
      'a report that cannot be written',
      'd10.csv',
      ['--report', '/nowhere/a.html'],
      /--report: cannot write \/nowhere\/a\.html/,
    ],
    [
      'a report with the path of the record',
      'd10.csv',
      ['--save', '/nowhere/a', '--report', '/nowhere/a'],
      /--report: \/nowhere\/a is already written by --save/,
    ],
    ['parameters that are not JSON', 'd10.csv', ['--params', '{'], /--params: /],
    [
      'parameters without their quotes',
      'd10.csv',
      ['--params', '{symbol:AAPL}'],
      /--params: .*Put names and texts in double quotes, .*--params '\{"symbol":"AAPL"\}'/,
    ],
    ['a list of parameters', 'd10.csv', ['--params', '[]'], /--params: \[\] is not a JSON object. Put names/],
    [
      'bars of another length than the strategy asks for',
      'd10.csv',
      ['--params', '{"symbol":"X"}'],
      /bench-sma asks for bars of X 1m, but the given bars are X 1d. Give those, or.*--params '\{"interval":"1d"\}'/,
    ],
    [
      'parameters of another strategy',
      'd10.csv',
      ['--params', '{"symbol":"X","fast":3}'],
      /--params: fast: unknown key/,
    ],
  ] as const)('refuses %s with exit 2', async (...[, file, more, message]) => {
    const { code, err } = await backtest(file, ...more);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
  });

  test('names file and line of a bad row', async () => {
    write(
      'bad.csv',
      'ts,open,high,low,close,volume\n2015-01-02,100,101,99,100,1\n2015-01-05,100,x,99,100,1\n',
    );
    const { code, err } = await backtest('bad.csv');
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('bad.csv:3: high is "x"') as string,
    });
  });

  test('refuses a report into a missing folder before the run starts', async () => {
    const source = `import { defineStrategy } from 'drover/strategy';
      import { z } from 'zod';
      export default defineStrategy({ name: 'early', description: 'throws', params: z.strictObject({}),
        data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
        create: () => ({ onStart() { throw new Error('it has run'); } }) });`;
    write('early.ts', source);
    for (const flag of ['--report', '--save', '--trades']) {
      const given = ['--strategy', join(folder, 'early.ts'), '--params', '{}', flag, 'no/where.html'];
      const { code, err } = await backtest('d10.csv', ...given);
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringMatching(
          /cannot write .*: there is no folder .*no\. Make it first \(mkdir -p/,
        ) as string,
      });
    }
  });

  test('names file, line, bar and time where the strategy throws, with exit 1', async () => {
    const source = `import { defineStrategy } from 'drover/strategy';
      import { z } from 'zod';
      export default defineStrategy({ name: 'thrower', description: 'throws', params: z.strictObject({}),
        data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
        create: () => ({
          onBar({ bar }) { if (bar.close > 0) throw new Error('of my own'); },
        }) });`;
    write('thrower.ts', source);
    const { code, err } = await backtest(
      'd10.csv',
      '--strategy',
      join(folder, 'thrower.ts'),
      '--params',
      '{}',
    );
    expect(code).toBe(1);
    expect(err).toMatch(/threw at 2015-01-02T21:00:00Z after bar 1 of X 1d: .*thrower\.ts:6:\d+: of my own/);
  });
});

test('a backtest in which no strategy has capital is refused', async () => {
  write('none.yaml', `strategies: [{ id: one, use: dca, capital: 0, params: { symbol: X, notional: 5 } }]\n`);
  const { code, err } = await drover([
    'backtest',
    join(folder, 'none.yaml'),
    '--bars',
    `X=${join(folder, 'd10.csv')}`,
  ]);
  expect([code, err]).toEqual([2, expect.stringContaining('no strategy has capital')]);
});

test('a backtest warns once that it has no quotes of the pre and post phases that a strategy asks for', async () => {
  write(
    'night.ts',
    `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'night',
  description: 'listens',
  params: z.strictObject({}),
  data: () => ({ quotes: [{ symbol: 'X', phases: ['regular', 'pre', 'post'] }] }),
  create: () => ({ onQuote() {} }),
});
`,
  );
  const bars = `X=${join(folder, 'd10.csv')}`;
  const file = join(folder, 'night.ts');
  const { code, err } = await drover(['backtest', '--strategy', file, '--interval', '1d', '--bars', bars]);
  expect(code).toBe(0);
  expect(err.split('\n').filter((line) => line.includes('quotes'))).toEqual([
    'drover: night asks for quotes of X in pre, post: only bars of regular are played, so it sees no other phase; ' +
      'a run shows the others, too',
  ]);
});
