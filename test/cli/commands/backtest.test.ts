import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { d10, type BarSet } from '../../../bench/bars.ts';
import { drover } from '../support/commandLine.ts';

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
    'strategies/bench-sma.ts',
    '--params',
    '{"symbol":"X"}',
    '--interval',
    '1d',
    ...RULES,
    '--bars',
    `X=${join(folder, file)}`,
    ...more,
  ]);

describe('drover backtest', () => {
  test.each(['d10.csv', 'd10.f64'])('gives the known result from %s', async (file) => {
    const { code, out, err } = await backtest(file, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const result = JSON.parse(out) as Record<string, unknown>;
    expect(result).toMatchObject({
      ...{ strategy: 'bench-sma', params: { symbol: 'X', interval: '1d' }, symbols: ['X'], bars: 2520 },
      ...{ trades: 47, pnl: '1291.469294', equity: { start: '1000000', end: '1001291.469294' } },
      ...{ from: '2015-01-02T14:30:00Z', open: [], metrics: {}, orders: { filled: 94 } },
    });
    expect(result['runId']).toMatch(/^[0-9a-f]{32}$/);
    expect(Object.keys(result['elapsedMs'] as object)).toEqual(['load', 'run', 'report']);
  });

  test('tells people', async () => {
    const { out } = await backtest('d10.csv', '--from', '2016-01-01', '--to', '2017-01-01');
    expect(out).toMatch(/^bench-sma on X, 2016-01-04T14:30:00Z to 2016-12-30T21:00:00Z\nequity .* mUSD, /);
    expect(out).toMatch(/trades {3}\d+ closed.*fees/);
  });

  test.each([
    ['a file that is not there', 'none.csv', [], /none\.csv cannot be read/],
    ['an unknown interval', 'd10.csv', ['--interval', '2m'], /--interval "2m": there is 1m/],
    ['an unknown model', 'd10.csv', ['--fill', 'magic'], /fill "magic": write/],
    ['a rule that is none', 'd10.csv', ['--ambiguous', 'lucky'], /--ambiguous "lucky": write worst or best/],
    ['parameters that are no JSON', 'd10.csv', ['--params', '{'], /--params: /],
    [
      'parameters of another strategy',
      'd10.csv',
      ['--params', '{"symbol":"X","fast":3}'],
      /parameters of bench-sma do not fit/,
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

  test('of a strategy that throws names file and line, bar and time, with exit 1', async () => {
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
