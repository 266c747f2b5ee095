import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import { blockOf, chartsOf, missingOf, slipsOf } from './reading.ts';
import { candlesOf, fillOn, plainRecord, tradeOn } from './records.ts';
import { twoSymbols } from './twoSymbols.ts';
import type { ChartData } from '../../../src/figures/chartData.ts';

const CHARTS = [
  'equity',
  'yearly',
  'drawdown',
  'strategy-profits',
  'distribution',
  'rolling-sharpe',
  'rolling-sortino',
  'rolling-volatility',
  'rolling-beta',
  'exposure',
  'weights',
  'turnover',
  'candles-1',
  'candles-2',
  'trade-scatter',
  'excursions',
  'pnl-weekday',
  'pnl-symbol',
  'costs',
  'fan',
];
/** Charts with their numbers next to the bars. */
const BY_ROWS = ['pnl-symbol', 'costs'];

let record: RunRecord;
let page = '';
beforeAll(async () => {
  record = await twoSymbols();
  page = pageOf(record);
});

describe('the report of three years of two symbols', () => {
  test('draws every chart', () => {
    expect(chartsOf(page)).toEqual(CHARTS);
    expect(missingOf(page)).toEqual({
      'Profit by reason of the exit': expect.stringContaining(
        'the fast average is not above the slow one',
      ) as string,
      'Profit by hour of the exit, New York': expect.stringContaining('09:00') as string,
    });
    for (const id of CHARTS) {
      const [, chart = ''] = page.split(`id="${id}"`);
      expect(chart.slice(0, chart.indexOf('</figure>')), id).toMatch(/<path [^>]*d="M[^"]{10,}"/);
    }
  });

  test('is one small page that loads nothing and runs only its own script', () => {
    expect(page.length).toBeLessThan(1_500_000);
    expect(page.match(/(src|href)="(?!#)[^"]*"/g)).toBeNull();
    expect(page.match(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/g)).toBeNull();
    expect(page).not.toContain('style="');
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    for (const [kind, pattern] of [
      ['script', /<script>(.*?)<\/script>/s],
      ['style', /<style>(.*?)<\/style>/s],
    ] as const) {
      const hash = createHash('sha256')
        .update(pattern.exec(page)?.[1] ?? '')
        .digest('base64');
      expect(policy).toContain(`${kind}-src 'sha256-${hash}'`);
    }
    expect(policy).toMatch(/^default-src 'none';/);
  });

  test('draws each limit order from placing to end, dashed if it was not filled', () => {
    const linesOf = (id: string) => {
      const [, chart = ''] = page.split(`id="${id}"`);
      const paths = chart
        .slice(0, chart.indexOf('</figure>'))
        .matchAll(/class="line limit (.*?)" d="(.*?)"/g);
      return Object.fromEntries([...paths].map(([, style = '', d = '']) => [style, d.split('M').slice(1)]));
    };
    const lines = linesOf('candles-1');
    const all = record.limitOrders ?? [];
    const count = (side: string, isFilled: boolean) =>
      all.filter((order) => order.side === side && order.filled > 0 === isFilled).length;
    expect(Object.fromEntries(Object.entries(lines).map(([style, list]) => [style, list.length]))).toEqual({
      s3: count('buy', true),
      's3 dashed': count('buy', false),
      s4: count('sell', true),
      's4 dashed': count('sell', false),
    });
    // From the open of the second session on; 6 of its 6.5 hours are 0.923 of it.
    expect(
      Object.values(lines)
        .flat()
        .find((line) => line.startsWith('1 ')),
    ).toMatch(/^1 [\d.]+H[123]\.923$/);
    expect(linesOf('candles-2')).toEqual({});
    expect(page).toContain('37 limit orders that stood');
    const { columns } = blockOf(page, 'candles-1') as { columns: { name: string; values: string[] }[] };
    expect(columns.at(-1)?.values[1]).toMatch(/^buy 10 at [\d.]+, .* (filled|expired), order limits-0\.1$/);
  });

  test('draws the latest 1,000 limit orders, and says so', () => {
    const [one] = record.limitOrders ?? [];
    if (!one) throw new Error('no limit order');
    const many = Array.from({ length: 1_500 }, (_, index) => ({ ...one, limit: index < 1_490 ? 1e6 : 0.01 }));
    const told = pageOf({ ...record, limitOrders: many });
    expect(told).toContain(
      'The 1,000 latest of 1,500 limit orders are drawn. 1,000 of the limits lie beyond the prices of the chart.',
    );
    expect(told.match(/M1 [-\d.]+H/g)).toHaveLength(1_000);
  });

  test('subtracts the risk-free rate of the run in the rolling Sharpe ratio', () => {
    const plain = plainRecord(63);
    const marks = plain.marks.map((mark, day) => ({ ...mark, equity: 1000 + 3 * day + 5 * (day % 3) }));
    const run = { ...plain.run, settings: { ...plain.run.settings, riskFree: '0.5' } };
    const { columns } = blockOf(pageOf({ ...plain, marks, run }), 'rolling-sharpe') as {
      columns: { values: (number | null)[] }[];
    };
    const { metrics } = metricsOf({ startEquity: 1000, ...plain, marks }, { riskFree: 0.5 });
    expect(columns[0]?.values.at(-1)).toBeCloseTo(metrics.sharpe ?? NaN, 4);
  });

  test('is the same every time', () => expect(pageOf(record)).toBe(page));

  test('has the numbers of the record', () => {
    const { columns } = blockOf(page, 'equity') as { columns: { values: number[] }[] };
    expect(columns[0]?.values).toHaveLength(757);
    expect(columns[0]?.values[0]).toBe(100_000);
    expect(columns[0]?.values.at(-1)).toBeCloseTo(record.marks.at(-1)?.equity ?? NaN, 1);
    expect(page).toContain(record.run.runId);
    const { columns: list } = blockOf(page, 'trades') as { columns: { head: string; values: number[] }[] };
    const profit = list.find(({ head }) => head === 'Profit')?.values ?? [];
    const sum = record.trades.reduce((total, { pnl }) => total + pnl, 0);
    expect(profit.reduce((total, each) => total + each, 0)).toBeCloseTo(sum, 1);
  });

  test('explains each metric, and gives the reason if it is undefined', () => {
    const rows = [...page.matchAll(/<tr[^>]*><th scope="row"><span data-tip="([^"]+)"/g)];
    expect(rows).toHaveLength(Object.keys(record.metrics).length);
    expect(page).toContain('N/A <small>the number of runs it was chosen from was not given</small>');
  });

  test('has a title, a summary and numbers for each chart', () => {
    for (const id of CHARTS.filter((each) => !BY_ROWS.includes(each))) {
      expect(page).toMatch(new RegExp(`data-chart="${id}" tabindex="0" role="img" aria-label="[^"]{20,}"`));
      expect(page).toContain(`data-table="${id}"`);
      expect(blockOf(page, id)).toMatchObject({ columns: expect.any(Array) as unknown[] });
    }
  });
});

test('text from any source is escaped', () => {
  const bad = `<script>alert("1")</script>'&`;
  const days = 30;
  const poor = plainRecord(days, {
    trades: [tradeOn(1, { strategy: bad, symbol: bad, entryReason: bad, exitReason: bad }), tradeOn(2)],
    fills: [fillOn(1, { symbol: bad, reason: bad, order: bad }), fillOn(1, { side: 'sell' })],
    events: [{ at: plainRecord(days).marks[3]?.at ?? 0, kind: bad, text: bad }],
    candles: [candlesOf(bad, days), candlesOf('X', days)],
    benchmark: { symbol: bad, start: 1, closes: Array.from({ length: days }, (_, day) => 1 + day) },
    metrics: { [bad]: null, sharpe: null },
    notes: { sharpe: bad },
  });
  const { run, marks } = poor;
  const held = marks.map((mark) => ({ ...mark, positions: { [bad]: 10 } }));
  const told = pageOf({
    ...poor,
    run: {
      ...run,
      strategy: bad,
      params: { [bad]: bad },
      symbols: [bad],
      runId: bad,
      settings: { [bad]: bad },
    },
    marks: held,
    totals: { ...poor.totals, open: [{ symbol: bad, quantity: '1' }], orders: { [bad]: 1 } },
  });
  expect(told.match(/<script>/g)).toHaveLength(1);
  expect(told).not.toContain('alert("1")');
  expect(
    told.match(/&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;&#39;&amp;/g)?.length,
  ).toBeGreaterThan(20);
  expect(JSON.stringify(blockOf(told, 'trades'))).toContain('<script>alert');
});

describe('the report of a short run', () => {
  test('without a session says so, and still shows its settings', () => {
    const empty = pageOf(plainRecord(0));
    expect(missingOf(empty)).toEqual({ Charts: 'no session closed in this run' });
    expect(empty).toContain('0123456789abcdef');
  });

  test('without trades and prices names the charts that are left out', () => {
    const none = pageOf(plainRecord(40));
    expect(chartsOf(none)).toEqual(['equity', 'yearly', 'drawdown', 'exposure', 'turnover', 'costs', 'fan']);
    expect(missingOf(none)).toMatchObject({
      Trades: 'no position was closed',
      'Rolling beta': 'the run has no benchmark',
      'Distribution of session returns': 'every return is the same',
      Candles: 'the record has none',
    });
    expect(none).toContain('No position was closed.');
  });

  test('of one session draws its charts', () => {
    const one = plainRecord(1, { trades: [tradeOn(0)], fills: [fillOn(0)], candles: [candlesOf('X', 1)] });
    const told = pageOf({ ...one, ...metricsOf({ startEquity: 1000, ...one }) });
    expect(chartsOf(told)).toEqual(
      expect.arrayContaining(['equity', 'candles-1', 'trade-scatter', 'excursions']),
    );
    expect(slipsOf(told)).toEqual([]);
  });

  test('has no NaN, even when everything is lost', () => {
    const { marks } = plainRecord(40);
    const lost = plainRecord(40, {
      marks: marks.map((mark, day) => ({ ...mark, equity: day < 30 ? 1000 - day * 20 : 0 })),
      benchmark: { symbol: 'X', start: 1, closes: [null, null, ...Array.from({ length: 38 }, () => 1)] },
    });
    const told = pageOf({ ...lost, ...metricsOf({ startEquity: 1000, ...lost }) });
    expect(slipsOf(told)).toEqual([]);
  });
});

/** Candles of one minute, with all their digits. */
function minutesOf(symbol: string, count: number): NonNullable<RunRecord['intraday']>[number] {
  const {
    start: [first = NaN],
  } = candlesOf(symbol, 1);
  const each = (of: (index: number) => number) => Array.from({ length: count }, (_, index) => of(index));
  const price = (index: number) => Math.round(1e6 + 9e5 * Math.sin(index * 7)) / 1e4;
  return {
    symbol,
    minutes: 1,
    start: each((index) => first + Math.floor(index / 390) * 86_400_000 + (index % 390) * 60_000),
    open: each(price),
    high: each((index) => price(index) + 60.1234),
    low: each((index) => price(index) - 5.4321),
    close: each((index) => price(index + 1)),
    volume: each((index) => 1e6 + index),
  };
}

/** Many sessions of thirty stocks. */
function muchOf(days: number): RunRecord {
  return plainRecord(days, {
    marks: plainRecord(days).marks.map((mark, day) => ({
      ...mark,
      equity: day === 1234 ? 5000 : 1000 + (day % 7),
    })),
    trades: Array.from({ length: 12_000 }, (_, index) =>
      tradeOn(index % days, { pnl: index === 7 ? 999 : (index % 5) - 2, symbol: `S${index % 40}` }),
    ),
    fills: Array.from({ length: 24_000 }, (_, index) => fillOn(index % days, { symbol: `S${index % 40}` })),
    candles: Array.from({ length: 30 }, (_, index) => candlesOf(`S${index}`, days)),
    // As many as a record may have, with every digit changing.
    intraday: Array.from({ length: 30 }, (_, index) => minutesOf(`S${index}`, 2_000)),
  });
}

describe('the report of a long run', () => {
  const days = 4000;
  const many = muchOf(days);

  test('stays below 8 MB, with intraday candles if they fit', () => {
    const told = pageOf(muchOf(1000));
    expect(told.length).toBeLessThan(8_000_000);
    const { intraday } = blockOf(told, 'candles-1') as ChartData;
    expect(intraday?.candles.open).toHaveLength(2_000);
  });

  test('stays below 8 MB, keeps the peaks, and says what it left out', () => {
    const told = pageOf(many);
    expect(told.length).toBeLessThan(8_000_000);
    const { columns } = blockOf(told, 'equity') as { columns: { values: number[] }[] };
    expect(columns[0]?.values.length).toBe(days + 1);
    const drawn = /id="equity".*?<path class="line[^"]*" d="([^"]*)"/s.exec(told)?.[1] ?? '';
    expect(drawn.split(/[ML]/).length).toBeLessThan(1600);
    expect(Math.max(...(columns[0]?.values ?? []))).toBe(5000);
    expect(told).toContain('The 5,000 latest of 12,000 are listed');
    expect(told).toContain('3,000 of 12,000 trades');
    expect(told).toContain('The 24 symbols of 30 with the most traded value');
    expect(told).toContain('3 sessions in each candle');
    expect(told).toContain('The 19 largest of 40; the rest is summed');
  });
});
