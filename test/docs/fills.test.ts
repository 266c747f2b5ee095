import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { BacktestBars, BacktestOptions } from '../../src/backtest/options.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { HookContext } from '../../src/strategy/index.ts';
import halfVolume from '../../docs/examples/half-volume.ts';
import { barsFrom, plainly, strategyOf, type Row } from '../backtest/bars.ts';

const PAGE = 'docs/fills.md';
const [head = [], ...body] = rowsUnder('## The table');
const [, ...bars] = rowsUnder('## The bars');

/** Cells of the first table under a heading. */
function rowsUnder(heading: string): string[][] {
  const [, after = ''] = readFileSync(PAGE, 'utf8').split(`${heading}\n`);
  const lines = after.slice(after.indexOf('\n|')).trimStart().split('\n');
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  return rows
    .filter((line) => !/^\|[\s:|-]+\|$/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const DAY = '2026-06-15';
const FIVE = 300_000;
const five: Row[] = bars.map((cells) => cells.slice(1).map(Number) as unknown as Row);
/** Minutes that make up the bars: open, low, high, two at the close, with a fifth of the volume each. */
const minutes: Row[] = bars.flatMap((cells) => {
  const [open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN] = cells.slice(1).map(Number);
  return [open, low, high, close, close].map((price): Row => [price, price, price, price, volume / 5]);
});
const longer: BacktestBars = barsFrom(DAY, five, '5m');
const START = longer.start[0] ?? NaN;

type Orders = HookContext['order'];
/** Orders of the rows: placed after the third bar, with ten shares held or without any. */
const ORDERS: Readonly<Record<string, Readonly<{ isHeld: boolean; place: (order: Orders) => void }>>> = {
  'market buy': { isHeld: false, place: (order) => void order.buy('X', { shares: 10 }) },
  'market buy for 1000 mUSD': { isHeld: false, place: (order) => void order.buy('X', { notional: 1_000 }) },
  'market sell': { isHeld: true, place: (order) => void order.sell('X', { all: true }) },
  'limit buy at 98': {
    isHeld: false,
    place: (order) => void order.limit('X', { side: 'buy', shares: 10, price: 98 }),
  },
  'limit sell at 105': {
    isHeld: true,
    place: (order) => void order.limit('X', { side: 'sell', shares: 10, price: 105 }),
  },
  'stop at 98': { isHeld: true, place: (order) => void order.stop('X', { all: true, stop: 98 }) },
  'trailing stop, 4 below': {
    isHeld: true,
    place: (order) => void order.trail('X', { all: true, by: { amount: 4 } }),
  },
  'stop that buys at 105': {
    isHeld: false,
    place: (order) => void order.stop('X', { side: 'buy', shares: 10, stop: 105 }),
  },
  'bracket, its stop at 97.5': {
    isHeld: false,
    place: (order) => void order.bracket('X', { entry: { shares: 10 }, stopLoss: 97.5, takeProfit: 200 }),
  },
  'bracket, its take-profit at 105': {
    isHeld: false,
    place: (order) => void order.bracket('X', { entry: { shares: 10 }, stopLoss: 50, takeProfit: 105 }),
  },
  'bracket that enters at 102, its stop at 100': {
    isHeld: false,
    place: (order) =>
      void order.bracket('X', { entry: { shares: 10, stop: 102 }, stopLoss: 100, takeProfit: 200 }),
  },
  'bracket, half at 104 and half at 105': {
    isHeld: false,
    place: (order) =>
      void order.bracket('X', {
        entry: { shares: 10 },
        stopLoss: 50,
        takeProfit: [
          { price: 104, share: 0.5 },
          { price: 105, share: 0.5 },
        ],
      }),
  },
  'twap over 10 minutes': {
    isHeld: false,
    place: (order) =>
      void order.work('X', {
        side: 'buy',
        style: 'twap',
        shares: 10,
        over: { minutes: 10 },
        every: { minutes: 5 },
      }),
  },
  chase: {
    isHeld: false,
    place: (order) =>
      void order.work('X', { side: 'buy', style: 'chase', shares: 10, over: { minutes: 30 } }),
  },
};

/** Settings of the columns, by their headings. */
const SETTINGS: Readonly<Record<string, Partial<BacktestOptions>>> = {
  '`venue`': { fill: 'venue' },
  '`next-open`': {},
  '`close`': { fill: 'close' },
  '`bps:10`': { slippage: 'bps:10' },
  '`spread:5`': { slippage: 'spread:5' },
  '`volume:50`': { slippage: 'volume:50' },
  '`--volume-cap 0.006`': { volumeCap: 0.006 },
  '`--latency 60000`': { latencyMs: 60_000 },
  '`--interval 1m`': { bars: [longer, barsFrom(DAY, minutes, '1m')] },
  '`./half-volume.ts`': { fill: halfVolume },
};

/** `101.1 9:45`: price and time of the fill of the order or of what it sends; `2 at 101.1 9:45` if not ten shares. */
async function cellOf(row: string, column: string): Promise<string> {
  const [wanted, settings] = [ORDERS[row], SETTINGS[column]];
  if (!wanted || !settings) return 'no such row or column';
  let count = 0;
  const strategy = strategyOf(
    {
      onBar({ order }) {
        count++;
        if (count === 1 && wanted.isHeld) order.buy('X', { shares: 10 });
        if (count === 3) wanted.place(order);
      },
    },
    { bars: [{ symbol: 'X', interval: '5m' }] },
  );
  const { fills } = await runBacktest(plainly({ strategy, bars: [longer], ...settings }));
  const isSaleOnly = row.startsWith('bracket');
  const own = fills.filter(({ at, side }) => at >= START + 3 * FIVE && (!isSaleOnly || side === 'sell'));
  const texts = own.map(
    ({ shares, price, at }) =>
      `${shares === 10 ? '' : `${Number(shares.toFixed(2))} at `}${Number(price.toFixed(4))} ${timeText(at)}`,
  );
  return texts.join('; ') || 'none';
}

/** `9:45`, or `9:49:05`: time in New York. */
function timeText(at: number): string {
  const time = new Date(at - 4 * 3_600_000).toISOString().slice(11, 19);
  return time.replace(/^0/, '').replace(/:00$/, '');
}

describe('the table of docs/fills.md', () => {
  test.each(body.map((cells) => [cells[0] ?? '', cells.slice(1)] as const))(
    'describes %s correctly',
    async (row, cells) => {
      const found = await Promise.all(head.slice(1).map((column) => cellOf(row, column)));
      expect(found).toEqual(cells);
    },
  );

  test('has every order and every setting', () => {
    expect(body.map(([row]) => row)).toEqual(Object.keys(ORDERS));
    expect(head.slice(1)).toEqual(Object.keys(SETTINGS));
  });
});

test('docs/fills.md shows the model of its last column as it is in the file', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(readFileSync('docs/examples/half-volume.ts', 'utf8'));
});
