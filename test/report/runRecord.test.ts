import { describe, expect, test } from 'vitest';
import { parseRunRecord, type RunRecord } from '../../src/report/runRecord.ts';

const record: RunRecord = {
  format: 1,
  run: {
    kind: 'backtest',
    strategy: 'dca',
    params: { symbol: 'X' },
    symbols: ['X'],
    runId: 'ab',
    seed: 0,
    from: '2026-01-02T14:30:00Z',
    to: '2026-01-02T21:00:00Z',
    bars: 1,
    sessions: 1,
    marksPerYear: 252,
    settings: { fill: 'venue' },
  },
  totals: {
    trades: 0,
    orders: { sent: 1 },
    pnl: '1',
    fees: '0',
    equity: { start: '10', end: '11' },
    open: [{ symbol: 'X', quantity: '1' }],
  },
  metrics: { sharpe: null },
  notes: { sharpe: 'fewer than 20 returns' },
  marks: [{ date: '2026-01-02', at: 1, equity: 11, cash: 1, positions: { X: 10 } }],
  benchmark: { symbol: 'X', start: 9, closes: [10] },
  trades: [],
  fills: [],
  events: [{ at: 1, kind: 'split', text: 'X 2 for 1' }],
  candles: [{ symbol: 'X', start: [0], open: [9], high: [10], low: [9], close: [10], volume: [5] }],
};

describe('the record of a run', () => {
  test('is read back as it was written', () => {
    expect(parseRunRecord(JSON.stringify(record), 'a.json')).toEqual(record);
  });

  test.each([
    [
      'text that is not JSON',
      '{',
      /^a\.json is not the record of a run: it is not JSON; write one with `drover backtest/,
    ],
    ['another format', JSON.stringify({ ...record, format: 2 }), /a\.json .*: format: .*; write one/],
    ['a wrong type', JSON.stringify({ ...record, marks: [{ date: 1 }] }), /: marks\.0\.date: .*string/],
    ['another value', '[1]', /a\.json is not the record of a run: Invalid input: expected object/],
  ])('refuses %s', (...[, text, message]) => {
    expect(() => parseRunRecord(text, 'a.json')).toThrow(message);
  });
});
