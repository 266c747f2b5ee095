import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draw } from '../../src/figures/drawing.ts';
import {
  packCandles,
  SESSION_MINUTES,
  unpackCandles,
  type IntradayCandle,
} from '../../src/figures/intraday.ts';
import { levelAt, rangeOfTrade } from '../../src/figures/levels.ts';
import type { ChartData, Drawing } from '../../src/figures/chartData.ts';

const SLOTS = 78;

/** A candle of five minutes. */
const candleAt = (
  session: number,
  slot: number,
  [open, close]: readonly [number, number],
): IntradayCandle => ({
  minute: session * SESSION_MINUTES + slot * 5,
  open,
  high: Math.max(open, close) + 0.5,
  low: Math.min(open, close) - 0.25,
  close,
  volume: 1000 + slot,
});

const rounded = (candles: readonly IntradayCandle[]) =>
  candles.map((candle) =>
    Object.fromEntries(Object.entries(candle).map(([name, value]) => [name, Number(value.toFixed(4))])),
  );

test('candles are unpacked as they were packed, with gaps', () => {
  const cents = fc.integer({ min: 200, max: 1e6 }).map((count) => count / 100);
  const some = fc.array(fc.tuple(cents, cents, fc.boolean()), { minLength: 1, maxLength: 150 });
  fc.assert(
    fc.property(some, (given) => {
      const candles = given.flatMap(([open, close, isThere], index) =>
        isThere
          ? [{ ...candleAt(Math.floor(index / SLOTS), index % SLOTS, [open, close]), volume: 1230 }]
          : [],
      );
      const packed = packCandles(candles, 5);
      expect(packed.unit).toBe(0.01);
      expect(rounded(unpackCandles(packed))).toEqual(rounded(candles));
    }),
  );
});

test('packed prices of more than two decimals keep four', () => {
  const candles = [candleAt(0, 0, [10.1234, 10.1]), candleAt(0, 1, [10.1, 10.0625])];
  expect(rounded(unpackCandles(packCandles(candles, 5)))).toMatchObject([
    { open: 10.1234, close: 10.1 },
    { open: 10.1, close: 10.0625 },
  ]);
});

describe('a chart of a hundred sessions with five-minute candles', () => {
  const SESSIONS = 100;
  const candles = Array.from({ length: SESSIONS * SLOTS }, (_, index) =>
    candleAt(Math.floor(index / SLOTS), index % SLOTS, [100 + index / 100, 100 + index / 100 + 0.1]),
  );
  const data: ChartData = {
    kind: 'line',
    span: SESSIONS,
    of: 'Session',
    labels: 'sessions',
    columns: ['Open', 'High', 'Low', 'Close', 'Volume'].map((name) => ({
      name,
      values: Array.from({ length: SESSIONS }, () => 100),
    })),
    intraday: {
      candles: packCandles(candles, 5),
      fills: [
        [10 * SESSION_MINUTES, 108, 'buy', 'buy 1'],
        [10.5 * SESSION_MINUTES, 109, 'sell', 'sell 1'],
        [10.5 * SESSION_MINUTES + 1.5, 109, 'sell', 'sell 2'],
      ],
      trades: [[10 * SESSION_MINUTES, 108, 10.5 * SESSION_MINUTES, 109, 'trade s3']],
      texts: [{ name: 'Limit orders', texts: [[10 * SESSION_MINUTES + 7.25, 'sell 1 at 110']] }],
      series: [
        {
          name: 'average',
          minutes: [10 * SESSION_MINUTES + 4.99, 10 * SESSION_MINUTES + 14.99, 11 * SESSION_MINUTES - 0.4],
          values: [100, 101, 102],
        },
      ],
    },
  };
  const countAt = (sessions: number) => {
    const level = levelAt(data, { from: 0, to: sessions });
    return level && (level.data.columns[0]?.values.length ?? NaN) / SESSIONS;
  };

  test('shows sessions, half hours or five minutes depending on the length of the range', () => {
    expect([100, 66, 30, 10, 5].map(countAt)).toEqual([null, 6, 13, 39, 78]);
  });

  test('joins candles of a session to first open, highest high, lowest low and last close', () => {
    const { data: level } = levelAt(data, { from: 0, to: 30 }) ?? {};
    const [open, high, low, close, volume] = level?.columns.map(({ values }) => values[14]) ?? [];
    // The second half hour of the second session.
    expect([open, high, low, close].map((value) => Number(value).toFixed(2))).toEqual([
      '100.84',
      '101.49',
      '100.59',
      '100.99',
    ]);
    expect(volume).toBe(1010 + 1010 + 1010 + 1010 + 1010 + 1010);
    expect([level?.times?.[14], level?.at?.[14], level?.widths?.[14]]).toEqual([
      '10:00',
      1 + 6 / SLOTS,
      1 / 13,
    ]);
  });

  const told = (name: string, range = { from: 10, to: 11 }) => {
    const { data: level } = levelAt(data, range) ?? {};
    const values = level?.columns.find((column) => column.name === name)?.values ?? [];
    return values.flatMap((value, index) => (value === null ? [] : [[level?.times?.[index], value]]));
  };

  test('has the fills of each candle, and draws them and the chosen trade at their times', () => {
    const range = { from: 10, to: 11 };
    expect(told('Fills', range)).toEqual([
      ['09:30', 'buy 1'],
      ['12:45', 'sell 1\nsell 2'],
    ]);
    expect(told('Limit orders', range)).toEqual([['09:35', 'sell 1 at 110']]);
    const drawing: Drawing = {
      kind: 'candles',
      pins: [[10.5, 100, 'buy']],
      trades: [[10.5, 100, 10.5, 100, 'trade s3']],
      segments: [[10.1, 108, 10.9, 108, 'limit s3']],
    };
    const { area, marks } = draw(data, { ...drawing, chosen: 0 }, range);
    expect(marks?.markup.match(/<use /g)).toHaveLength(3);
    expect(area.markup).toMatch(/class="line trade s3 chosen" d="M10\.006 [\d.]+L10\.506 [\d.]+"/);
    expect(area.markup).toMatch(/class="line limit s3" d="M10\.1 /);
    const whole = draw(data, { ...drawing, chosen: null }, { from: 0, to: SESSIONS });
    expect(whole.area.markup).not.toContain('chosen');
    expect(whole.marks?.markup.match(/<use /g)).toHaveLength(1);
  });

  test("has the strategy's series with the value of each candle", () => {
    const values = told('average');
    expect(values.slice(0, 4)).toEqual([
      ['09:30', 100],
      ['09:35', 100],
      ['09:40', 101],
      ['09:45', 101],
    ]);
    expect([values.length, values.at(-1)]).toEqual([SLOTS, ['15:55', 102]]);
    const { lines, data: level } = levelAt(data, { from: 10, to: 11 }) ?? {};
    expect(level?.columns[lines?.[0]?.column ?? NaN]?.name).toBe('average');
    const { area } = draw(data, { kind: 'candles', pins: [], segments: [] }, { from: 10, to: 11 });
    expect(area.markup).toMatch(/class="line s5" d="M10\.006 /);
  });

  test('shows a session without intraday candles as one', () => {
    const some = candles.filter(({ minute }) => Math.floor(minute / SESSION_MINUTES) !== 3);
    const { intraday } = data;
    const partly: ChartData = {
      ...data,
      ...(intraday && { intraday: { ...intraday, candles: packCandles(some, 5) } }),
    };
    const { data: level } = levelAt(partly, { from: 2, to: 5 }) ?? {};
    const index = level?.at?.indexOf(3) ?? NaN;
    expect([level?.times?.[index], level?.widths?.[index], level?.columns[0]?.values[index]]).toEqual([
      '',
      1,
      100,
    ]);
    expect(level?.at?.[index + 1]).toBe(4);
    expect(level?.at).toHaveLength(99 * SLOTS + 1);
  });

  test('is enlarged around a trade by half its time, or by a quarter of a session', () => {
    expect(rangeOfTrade(data, 0)).toEqual({ from: 9.75, to: 10.75 });
    expect(rangeOfTrade(data, 1)).toBeNull();
    const whole = {
      ...data,
      drawing: { kind: 'candles', pins: [], segments: [], trades: [[40.5, 1, 42.5, 1, '']] },
    } as const;
    const { intraday: _, ...sessions } = whole;
    expect(rangeOfTrade(sessions, 0)).toEqual({ from: 30.5, to: 52.5 });
  });
});
