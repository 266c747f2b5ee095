import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { VenueRefusedError } from '../../../src/core/errors.ts';
import type { Bar } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const HOUR = 60 * MINUTE;
const LIMITS = { grossExposure: parseCash('50000'), dayLoss: parseCash('5') };

/** The fake venue, which does not list the stocks of `gone`, and refuses their bars where it `refusesBars`. */
const without =
  (gone: ReadonlySet<string>, refusesBars: boolean): NonNullable<StageOptions['as']> =>
  (venue: Venue) => {
    const listings = venue.listings.bind(venue);
    return Object.assign(venue, {
      listings: async () => (await listings()).filter(({ instrument }) => !gone.has(instrument.symbol)),
      bars: ({ symbol }: { symbol: string }): Promise<readonly Bar[]> =>
        gone.has(symbol) && refusesBars
          ? Promise.reject(new VenueRefusedError(`no such symbol: ${symbol}`))
          : Promise.resolve([]),
    });
  };

/** A strategy that holds AAPL with a stop, and one that buys MSFT at each start. */
function scene(gone: ReadonlySet<string>, more: Pick<StageOptions, 'after'> = {}): Stage {
  return new Stage({
    hooks: {
      one: {
        onStart: ({ order, view }) => {
          if (view.position('AAPL') === 0) order.buy('AAPL', { shares: 10 });
        },
        onFill: ({ fill, order }) => {
          if (fill.side === 'buy') order.stop('AAPL', { all: true, stop: 95 });
        },
      },
      two: atStart((order) => order.buy('MSFT', { shares: 1 })),
    },
    data: {
      quotes: ['AAPL', 'MSFT'],
      bars: ['AAPL', 'MSFT'].map((symbol) => ({ symbol, interval: '1m' as const })),
    },
    limits: LIMITS,
    as: without(gone, more.after !== undefined),
    ...more,
  });
}

const filled = (stage: Stage, symbol: string) =>
  stage.orders.filter(({ terms, state }) => terms.symbol === symbol && state.kind === 'closed').length;

test('a start after a held stock was delisted trades other stocks, and sells that one once it is listed again', async () => {
  const gone = new Set<string>();
  const first = await scene(gone).play(30 * SECOND);
  for (const row of first.venue.rows) first.venue.fill(row);
  await first.pass(MINUTE);
  expect([filled(first, 'AAPL'), filled(first, 'MSFT')]).toEqual([1, 1]);
  first.crash();
  gone.add('AAPL');
  const stage = await scene(gone, { after: first }).play(30 * SECOND);
  expect(stage.failure).toBeNull();
  stage.venue.fill(stage.venue.last);
  await stage.pass(MINUTE);
  expect(filled(stage, 'MSFT')).toBe(2);
  expect(stage.alarms).toEqual([
    expect.stringMatching(
      /^AAPL is not listed or not tradable at the venue: nothing is sent for it, and the shares of it that are held cannot be sold; the stops .* wait\. Everything else continues/,
    ),
    expect.stringContaining('no decisions are made on old bars of AAPL'),
  ]);
  gone.clear();
  stage.venue.prices.set('AAPL', parseCash('90'));
  await stage.pass(MINUTE);
  expect(stage.said(/^AAPL is listed and tradable again/)).toBe(true);
  expect(stage.orders.at(-1)?.terms).toMatchObject({ symbol: 'AAPL', side: 'sell', type: 'market' });
});

test('a stock delisted during a run raises one alarm after a minute, and none when it is back within that time', async () => {
  const gone = new Set<string>();
  const stage = await scene(gone).play(MINUTE);
  gone.add('AAPL');
  await stage.pass(30 * SECOND);
  gone.clear();
  await stage.pass(10 * SECOND);
  expect(stage.alarms).toEqual([]);
  gone.add('AAPL');
  await stage.pass(2 * MINUTE);
  expect(stage.alarms.filter((text) => text.startsWith('AAPL is not listed'))).toHaveLength(1);
  await stage.pass(HOUR);
  expect(stage.alarms.filter((text) => text.startsWith('AAPL is not listed'))).toHaveLength(1);
});

test('the first start of a state folder refuses a stock that is not listed', async () => {
  const stage = await scene(new Set(['AAPL'])).play(MINUTE);
  expect(stage.failure?.message).toMatch(/^one asks for AAPL, which is not listed at this venue/);
  expect(stage.alarms).toEqual([]);
});

test('a stock that is listed again after the start keeps its out-of-session bars from earlier runs', async () => {
  const gone = new Set<string>();
  const shown: number[] = [];
  // 15:58 in New York.
  const start = Date.parse('2026-06-15T19:58Z');
  const post = (minute: number) => barOf('AAPL', Date.parse('2026-06-12T22:00Z') + minute * MINUTE);
  const options: StageOptions = {
    start,
    data: { quotes: [], bars: [{ symbol: 'AAPL', interval: '15m', phases: ['post'], warmUp: 3 }] },
    hooks: { solo: { onBar: ({ view }) => void shown.push(view.bars('AAPL', '15m').length) } },
    as: without(gone, true),
    more: { recallBars: (sets) => (sets[0]?.symbol === 'AAPL' ? [post(0), post(15)] : []) },
  };
  const first = await new Stage(options).play(10 * SECOND);
  first.crash();
  gone.add('AAPL');
  const stage = await new Stage({ ...options, after: first }).play(20 * SECOND);
  gone.clear();
  await stage.pass(18 * MINUTE);
  expect(stage.failure).toBeNull();
  // The warm-up bars come first at each start, and when the stock is listed again.
  expect(shown).toEqual([1, 2, 1, 2, 1, 2, 3]);
});

const barOf = (symbol: string, start: number): Bar => ({
  symbol: ticker(symbol),
  interval: '15m',
  start: epochMs(start),
  open: 97,
  high: 97,
  low: 97,
  close: 97,
  volume: 0,
});
