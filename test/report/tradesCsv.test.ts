import { expect, test } from 'vitest';
import { listCsv } from '../../src/cli/commands/money/list.ts';
import { tradesCsv } from '../../src/report/tradesCsv.ts';
import { plainRecord, tradeOn } from './html/records.ts';

const HEAD =
  'strategy,symbol,entryAt,exitAt,shares,entryPrice,exitPrice,fees,pnl,mae,mfe,bars,entryReason,exitReason,entryTag,exitTag';

test('the CSV of trades has every digit, and times in UTC', () => {
  const trade = tradeOn(1, { pnl: -0.1234567890123, entryReason: 'rose, twice', exitTag: 'stop' });
  expect(tradesCsv(plainRecord(5, { trades: [trade] }))).toBe(
    `${HEAD}\nidle,X,2026-03-03T14:30:00Z,2026-03-03T15:30:00Z,10,100,101,1,-0.1234567890123,-0.01,0.02,5,"rose, twice",down,,stop\n`,
  );
});

test('the CSV of trades marks texts that a spreadsheet would calculate', () => {
  const reasons = [
    '=HYPERLINK("http://x.test")',
    '@SUM(A1)',
    '+1+1',
    '-2+3',
    '\t=1',
    '\n=1',
    "it's",
    '-12.5',
  ];
  const trades = reasons.map((entryReason) => tradeOn(1, { entryReason, exitReason: '' }));
  const told = tradesCsv(plainRecord(5, { trades }));
  expect(
    told
      .split(/\nidle,/)
      .slice(1)
      .map((row) => row.replace(/^.*,5,/, '').replace(/,,,\n?$/, '')),
  ).toEqual([
    `"'=HYPERLINK(""http://x.test"")"`,
    "'@SUM(A1)",
    "'+1+1",
    "'-2+3",
    "'\t=1",
    `"'\n=1"`,
    "it's",
    '-12.5',
  ]);
});

test('the CSV of trades escapes control characters, like every CSV', () => {
  const acting = 'a\u001B[2Jb\u009Bc\u202Ed\u2066e\rf\u200Bg';
  const shown = 'a\\u001b[2Jb\\u009bc\\u202ed\\u2066e\\rf\\u200bg';
  const trade = tradeOn(1, { entryReason: acting, exitReason: `=${acting}`, entryTag: acting });
  const text = tradesCsv(plainRecord(5, { trades: [trade] }));
  expect(text).toContain(`,${shown},'=${shown},${shown},`);
  expect(listCsv({ fields: ['why'], rows: [{ why: acting }] })).toBe(`why\n${shown}`);
});

test('the CSV of trades lists closed lots if the metrics are computed from lots', () => {
  const { fees: _fees, bars: _bars, ...lot } = tradeOn(2, { entryPrice: 90.5 });
  const record = plainRecord(5, { trades: [tradeOn(1)], lotTrades: [lot], tradeMetricsFrom: 'lots' });
  const [, row, ...more] = tradesCsv(record).split('\n');
  expect(row).toMatch(/^idle,X,.*,10,90\.5,101,,9,-0\.01,0\.02,,up,down,,$/);
  expect(more).toEqual(['']);
});
