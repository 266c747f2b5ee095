import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunRecord } from '../../../../src/report/runRecord.ts';
import { drover } from '../../support/commandLine.ts';

const AT = Date.parse('2026-06-15T13:30:00Z');
const trade = (pnl: number, place = 0): RunRecord['trades'][number] => ({
  strategy: 's',
  symbol: 'X',
  entryAt: AT + place,
  exitAt: AT + place + 60_000,
  shares: 2,
  entryPrice: 10,
  exitPrice: 11,
  fees: 0,
  pnl,
  mae: 0,
  mfe: 0,
  bars: 1,
  entryReason: '',
  exitReason: '',
});

const record: RunRecord = {
  format: 1,
  run: {
    kind: 'backtest',
    strategy: 's',
    params: { symbol: 'X', fast: 10 },
    symbols: ['X'],
    runId: 'aa',
    seed: 0,
    from: '2026-06-15T13:30:00Z',
    to: '2026-06-15T20:00:00Z',
    bars: 390,
    sessions: 1,
    marksPerYear: 252,
    settings: { fill: 'venue', fees: 'venue' },
  },
  totals: {
    trades: 2,
    orders: { sent: 4, expired: 0 },
    pnl: '4',
    fees: '0',
    open: [],
    equity: { start: '100', end: '104' },
  },
  metrics: { totalReturn: 0.04, sharpe: null, trades: 2 },
  notes: { sharpe: '1 returns, but it needs 20' },
  marks: [],
  benchmark: null,
  trades: [trade(2), trade(2, 1)],
  fills: [],
  events: [],
  candles: [],
};

const other: RunRecord = {
  ...record,
  run: {
    ...record.run,
    runId: 'bb',
    params: { symbol: 'X', fast: 12 },
    settings: { fill: 'close', fees: 'venue' },
  },
  totals: { ...record.totals, pnl: '3', equity: { start: '100', end: '103' } },
  metrics: { totalReturn: 0.03, sharpe: 1.5, trades: 2 },
  trades: [trade(2), trade(1, 1)],
};

/** The first run again, measured against another benchmark. */
const measured: RunRecord = {
  ...record,
  run: { ...record.run, settings: { ...record.run.settings, benchmark: 'SPY' } },
  metrics: { ...record.metrics, sharpe: 2 },
};

const weekly = (worstDay: number): RunRecord => ({
  ...record,
  run: { ...record.run, marksPerYear: 52 },
  metrics: { worstDay, minimumTrackRecord: 30 - worstDay },
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-compare-'));
  writeFileSync(join(folder, 'a.json'), JSON.stringify(record));
  writeFileSync(join(folder, 'b.json'), JSON.stringify(other));
  writeFileSync(join(folder, 'measured.json'), JSON.stringify(measured));
  writeFileSync(join(folder, 'shorter.json'), JSON.stringify({ ...other, trades: [trade(2)] }));
  writeFileSync(join(folder, 'w1.json'), JSON.stringify(weekly(-1)));
  writeFileSync(join(folder, 'w2.json'), JSON.stringify(weekly(-2)));
  writeFileSync(join(folder, 'half.json'), JSON.stringify(record).slice(0, 99));
  writeFileSync(join(folder, 'result.json'), JSON.stringify({ strategy: 's', pnl: '4' }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const compare = (a: string, b: string, ...more: readonly string[]) =>
  drover(['compare', a, b, ...more], { cwd: folder });

describe('drover compare', () => {
  test('prints the metrics, trades and settings that differ between two runs', async () => {
    const { code, out, err } = await compare('a.json', 'b.json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.trimEnd().split('\n')).toEqual([
      'totals',
      '                   a.json  b.json',
      'pnl                  4.00    3.00',
      'equity at the end  104.00  103.00',
      'closed trades           2       2',
      'orders sent             4       4',
      '',
      'metrics: 2 of 3 differ',
      '              a.json  b.json  difference',
      'Total return  4.00 %  3.00 %     -1.00 %',
      'Sharpe             –    1.50',
      '',
      'trades',
      'the first 1 are the same, of 2 and 2',
      'A  2 X, 2026-06-15T13:30:00.001Z at 10.00 to 2026-06-15T13:31:00.001Z at 11.00: 2.00 mUSD',
      'B  2 X, 2026-06-15T13:30:00.001Z at 10.00 to 2026-06-15T13:31:00.001Z at 11.00: 1.00 mUSD',
      '',
      'settings that differ',
      '             a.json  b.json',
      'fill          venue   close',
      'params.fast      10      12',
    ]);
  });

  test('gives the same differences as JSON', async () => {
    const { out } = await compare('a.json', 'b.json', '--json');
    expect(JSON.parse(out)).toMatchObject({
      a: { file: 'a.json', runId: 'aa' },
      b: { file: 'b.json', runId: 'bb' },
      same: false,
      settings: [
        { name: 'fill', a: 'venue', b: 'close' },
        { name: 'params.fast', a: '10', b: '12' },
      ],
      metrics: [
        { name: 'totalReturn', a: 0.04, b: 0.03, difference: expect.closeTo(-0.01, 12) as number },
        { name: 'sharpe', a: null, b: 1.5, difference: null },
        { name: 'trades', a: 2, b: 2, difference: 0 },
      ],
      firstTrade: { index: 1, a: { pnl: 2 }, b: { pnl: 1 } },
    });
  });

  test('says that one list of trades ends while the other continues', async () => {
    const { out } = await compare('a.json', 'shorter.json');
    expect(out).toMatch(/the first 1 are the same, of 2 and 1\nA {2}2 X, .*\nB {2}no further trade/);
  });

  test('recognises the same run', async () => {
    expect(await compare('a.json', 'a.json')).toEqual({
      code: 0,
      out: 'a.json and a.json are the same run\n',
      err: '',
    });
  });

  test('shows the metrics that differ when one run is measured in two ways', async () => {
    const { out } = await compare('a.json', 'measured.json');
    expect(out).toMatch(/^a\.json and measured\.json are the same run, measured in two ways\n/);
    expect(out).toMatch(/benchmark +– +SPY\n/);
    expect(out).toMatch(/metrics: 1 of 3 differ\n.*\nSharpe +– +2\.00/);
  });

  test('counts in weeks if both runs use weekly bars', async () => {
    const { out } = await compare('w1.json', 'w2.json');
    expect(out).toMatch(/\nWorst week +-100\.00 % +-200\.00 %/);
    expect(out).toMatch(/\nMinimum track record +31 weeks +32 weeks +1 weeks\n/);
  });

  test.each([
    ['a missing file', 'none.json', /none\.json: there is no such file/],
    [
      'a truncated record',
      'half.json',
      /half\.json is not the record of a run: it is not JSON; write one with/,
    ],
    [
      'the JSON of a result',
      'result.json',
      /result\.json is not the record of a run: format: .*--save FILE\.json/,
    ],
  ])('refuses %s with exit 2', async (...[, file, message]) => {
    const { code, err } = await compare('a.json', file);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
  });
});
