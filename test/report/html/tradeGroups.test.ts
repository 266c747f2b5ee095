import { expect, test } from 'vitest';
import { pageOf } from './pageOf.ts';
import { chartsOf, missingOf, rowsOf } from './reading.ts';
import { candlesOf, fillOn, plainRecord, tradeOn } from './records.ts';

const drawn = (trades: readonly ReturnType<typeof tradeOn>[]) =>
  pageOf(plainRecord(40, { trades: [...trades] }));

test('reasons that differ only in amounts are one group, and the best group comes first', () => {
  const page = drawn([
    tradeOn(1, { exitReason: 'bought at 95.61', pnl: 5 }),
    tradeOn(2, { exitReason: 'bought at 1,204.00', pnl: 4 }),
    tradeOn(3, { exitReason: 'stop at -3 %', pnl: -7 }),
  ]);
  expect(rowsOf(page, 'pnl-reason')).toEqual([
    ['bought at …', '+9.00', '2', '100%'],
    ['stop at -… %', '−7.00', '1', '0%'],
  ]);
});

test('groups by tag, if there are tags, come before groups by reason', () => {
  const plain = [tradeOn(1), tradeOn(2, { symbol: 'Y', exitReason: 'up', pnl: -2 })];
  const groups = (page: string) =>
    chartsOf(page).filter((id) => /^pnl-(symbol|tag|exit-tag|reason)$/.test(id ?? ''));
  expect(groups(drawn(plain))).toEqual(['pnl-symbol', 'pnl-reason']);
  const tagged = [...plain, tradeOn(3, { entryTag: 'dip', exitTag: 'stop', pnl: 1 })];
  expect(groups(drawn(tagged))).toEqual(['pnl-symbol', 'pnl-tag', 'pnl-exit-tag', 'pnl-reason']);
  expect(rowsOf(drawn(tagged), 'pnl-tag')).toEqual([
    ['none given', '+7.00', '2', '50%'],
    ['dip', '+1.00', '1', '100%'],
  ]);
});

test('charts that are left out are listed below the others of their part', () => {
  const page = drawn([tradeOn(1), tradeOn(2)]);
  expect(missingOf(page)).toMatchObject({ 'Profit by symbol': 'all 2 trades are of one, X: +18.00 mUSD' });
  const [, grids] = /<section id="trading">(.*?)<section class="table-block"/s.exec(page) ?? [];
  expect(grids?.match(/<div class="charts">.*<\/div>\s*<section class="missing">/s)).not.toBeNull();
  expect(/<div class="charts">((?!<\/div>\s*<section).)*class="missing"/s.test(grids ?? '')).toBe(false);
});

test('a limit order that was placed again each session and filled in the end is drawn as filled', () => {
  const hour = 3_600_000;
  const [one, two] = [fillOn(1).at, fillOn(2).at];
  const limit = {
    from: one,
    until: one + 6 * hour,
    strategy: 'idle',
    symbol: 'X',
    side: 'sell' as const,
    order: 'idle-7.1',
    shares: 10,
    limit: 101,
    filled: 0,
    how: 'expired',
  };
  const linesOf = (orders: readonly (typeof limit)[], fills = [fillOn(1)]) => {
    const page = pageOf(plainRecord(40, { candles: [candlesOf('X', 40)], fills, limitOrders: [...orders] }));
    return [...page.matchAll(/class="line limit (.*?)" d="(.*?)"/g)].map(([, style, d = '']) => [
      style,
      d.split('M').length - 1,
    ]);
  };
  expect(linesOf([limit])).toEqual([['s4 dashed', 1]]);
  const again = { ...limit, order: 'idle-7.2', from: two, until: two + hour, filled: 10, how: 'filled' };
  expect(linesOf([limit, again])).toEqual([['s4', 2]]);
  // Filled at once at the open without resting: only its fill shows it.
  expect(linesOf([limit], [fillOn(2, { side: 'sell', order: 'idle-7.2' })])).toEqual([['s4', 1]]);
});
