import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { metricsOf } from '../../../src/statistics/metrics.ts';
import { blockOf, chartsOf } from './reading.ts';
import { candlesOf, fillOn, plainRecord, tradeOn } from './records.ts';

const WEEKS = 140;

/** Record of many weeks, or sessions. */
function recorded(marksPerYear: number): RunRecord {
  const plain = plainRecord(WEEKS, {
    trades: [tradeOn(2), tradeOn(10, { pnl: -3, symbol: 'Y' })],
    fills: [fillOn(2), fillOn(10)],
    candles: [candlesOf('X', WEEKS)],
    benchmark: { symbol: 'X', start: 100, closes: candlesOf('X', WEEKS).close },
  });
  const marks = plain.marks.map((mark, week) => ({ ...mark, equity: 1000 + 7 * week - 30 * (week % 5) }));
  const record = { ...plain, marks, run: { ...plain.run, marksPerYear } };
  return { ...record, ...metricsOf({ startEquity: 1000, ...record }, { marksPerYear }) };
}

/** Texts that a user reads on a page or in its tooltips. */
const readIn = (page: string): string =>
  [
    page.replace(/<(script|style)\b.*?<\/\1>/gs, '').replace(/<[^>]*>/g, ' '),
    ...[...page.matchAll(/ (?:title|aria-label|data-tip)="([^"]*)"/g)].map(([, text]) => text),
  ].join('\n');

const weekly = pageOf(recorded(52));

test('a report of weekly bars counts in weeks, never in sessions or days', () => {
  const text = readIn(weekly);
  expect(text.match(/.{0,40}session.{0,20}/gi)).toBeNull();
  for (const said of [
    /: 140 weeks, 140 bars/,
    /Worst week/,
    /Lowest return of a week\./,
    /Standard deviation of weekly returns/,
    /Distribution of weekly returns/,
    /one week in twenty lost/,
    /63 weeks/,
    /After 52 weeks half of the paths/,
    /Minimum track record\s+weeks/,
    /Trades a week/,
  ])
    expect(text).toMatch(said);
  expect(text.match(/Positive weeks/g)).toHaveLength(1);
  expect(blockOf(weekly, 'equity')).toMatchObject({ of: 'Week' });
});

test('a report of weekly bars has no chart by weekday or hour, and its buttons count weeks', () => {
  const daily = pageOf(recorded(252));
  expect(chartsOf(daily).filter((id) => !chartsOf(weekly).includes(id))).toEqual(['pnl-weekday', 'pnl-hour']);
  expect(readIn(weekly)).not.toMatch(/weekday|hour of the exit/);
  const marksOf = (page: string) => [
    ...new Set([...page.matchAll(/data-length="(\d+)"/g)].map(([, count]) => count)),
  ];
  expect(marksOf(weekly)).toEqual(['4', '13', '26', '52', '0']);
  expect(marksOf(daily)).toEqual(['21', '63', '126', '252', '0']);
});
