import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { epochMs, toIso, type EpochMs } from '../../src/core/brand.ts';
import { NoAnswerError } from '../../src/core/errors.ts';
import { INTERVAL_MS, type Bar, type Interval } from '../../src/domain/bar.ts';
import { ticker, type Ticker } from '../../src/domain/instrument.ts';
import type { BarQuery, Venue } from '../../src/domain/venue.ts';
import { BarFeed, type FeedNeed } from '../../src/market/feed.ts';

const AAPL = ticker('AAPL');
const MSFT = ticker('MSFT');
const instant = (iso: string) => epochMs(Date.parse(iso));
/** Wednesday in a week without holidays; regular hours 14:30Z to 21:00Z. */
const day = (time: string) => instant(`2026-11-18T${time}Z`);

const never = () => Promise.reject(new Error('the feed asks for bars alone'));

/** A venue with every bar since Monday, including the forming ones, except those marked as owed. */
class BarVenue implements Venue {
  readonly owed = new Set<string>();
  readonly queries: BarQuery[] = [];
  readonly failing = new Set<Ticker>();
  #now = day('14:30:00');
  listings = never;
  account = never;
  orders = never;
  orderByTx = never;
  delegation = never;
  offset = 0;
  place = never;
  cancel = never;

  offsetMs = () => this.offset;

  /** @param now on the clock of the feed */
  at(now: EpochMs): EpochMs {
    this.#now = epochMs(now + this.offset);
    return now;
  }

  bars(query: BarQuery): Promise<readonly Bar[]> {
    this.queries.push(query);
    if (this.failing.has(query.symbol)) return Promise.reject(new NoAnswerError('no answer'));
    const { symbol, interval, from = 0, to, limit } = query;
    const starts = startsOf(interval).filter((start) => start >= from && start < to && start <= this.#now);
    const bars = starts.map((start) => barOf(symbol, interval, start));
    return Promise.resolve(bars.filter((bar) => !this.owed.has(name(bar))).slice(-limit));
  }
}

const barOf = (symbol: Ticker, interval: Interval, start: EpochMs): Bar => ({
  symbol,
  interval,
  start,
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume: 1,
});

function startsOf(interval: Interval): EpochMs[] {
  const sessions = tradingCalendar.sessions('2026-11-16', '2026-11-20');
  if (interval === '1w') return sessions.slice(0, 1).map(({ open }) => open);
  return sessions.flatMap(({ open, close }) => {
    const count = Math.ceil((close - open) / INTERVAL_MS[interval]);
    return Array.from({ length: count }, (_, index) => epochMs(open + index * INTERVAL_MS[interval]));
  });
}

/** `AAPL 1m 18T14:30`. */
const name = ({ symbol, interval, start }: Bar) => `${symbol} ${interval} ${toIso(start).slice(8, 16)}`;

const need = (symbol: Ticker, interval: Interval, warmUp = 0): FeedNeed => ({ symbol, interval, warmUp });

function feedOf(...needs: FeedNeed[]) {
  const venue = new BarVenue();
  const feed = new BarFeed(venue, tradingCalendar, needs);
  return {
    venue,
    feed,
    warmUp: async (time: string) => (await feed.warmUp(venue.at(day(time)), { has: () => true })).map(name),
    /** Polls so many seconds after the boundary. */
    poll: async (time: string, lateSeconds = 1.5) => {
      const boundary = day(time);
      const { bars, complete } = await feed.poll(boundary, venue.at(epochMs(boundary + lateSeconds * 1_000)));
      return { bars: bars.map(name), complete };
    },
  };
}

describe('the warm-up of a feed', () => {
  test('gives the last finished bars, as many as are needed, and not the forming one', async () => {
    const { warmUp } = feedOf(need(AAPL, '5m', 3));
    expect(await warmUp('14:47:30')).toEqual(['AAPL 5m 18T14:30', 'AAPL 5m 18T14:35', 'AAPL 5m 18T14:40']);
  });

  test('is ordered by the ends of bars across intervals and symbols, the shorter first', async () => {
    const { warmUp } = feedOf(need(AAPL, '1d', 1), need(AAPL, '15m', 2), need(MSFT, '5m', 4));
    expect(await warmUp('14:45:00')).toEqual([
      'MSFT 5m 17T20:55',
      'AAPL 15m 17T20:45',
      'AAPL 1d 17T14:30',
      'MSFT 5m 18T14:30',
      'MSFT 5m 18T14:35',
      'MSFT 5m 18T14:40',
      'AAPL 15m 18T14:30',
    ]);
  });

  test('counts a bar that ends at this instant as finished', async () => {
    const { warmUp } = feedOf(need(AAPL, '5m', 1));
    expect(await warmUp('14:35:00')).toEqual(['AAPL 5m 18T14:30']);
    expect(await feedOf(need(AAPL, '5m', 1)).warmUp('14:34:59')).toEqual(['AAPL 5m 17T20:55']);
  });

  test('leaves out the forming bar by a clock that is ahead of the venue, and so do polls', async () => {
    const { warmUp, poll, venue } = feedOf(need(AAPL, '5m', 1));
    venue.offset = -4_000;
    expect(await warmUp('14:40:03')).toEqual(['AAPL 5m 18T14:30']);
    expect(await poll('14:40:00')).toEqual({ bars: [], complete: false });
    expect(await poll('14:40:00', 6.5)).toEqual({ bars: ['AAPL 5m 18T14:35'], complete: true });
  });

  test('reads each symbol and interval once, with the longest need', async () => {
    const { warmUp, venue } = feedOf(need(AAPL, '5m', 2), need(AAPL, '5m', 4), need(AAPL, '5m', 3));
    expect(await warmUp('15:00:00')).toHaveLength(4);
    expect(venue.queries).toHaveLength(1);
  });

  test('of 0 bars shows nothing, and earlier bars are not shown later', async () => {
    const { warmUp, poll } = feedOf(need(AAPL, '5m'));
    expect(await warmUp('14:41:00')).toEqual([]);
    expect(await poll('14:45:00')).toEqual({ bars: ['AAPL 5m 18T14:40'], complete: true });
  });

  test('can be repeated after a failure', async () => {
    const { warmUp, venue } = feedOf(need(AAPL, '5m', 1), need(MSFT, '5m', 1));
    venue.failing.add(MSFT);
    await expect(warmUp('14:40:00')).rejects.toThrow(NoAnswerError);
    venue.failing.clear();
    expect(await warmUp('14:40:00')).toEqual(['AAPL 5m 18T14:35', 'MSFT 5m 18T14:35']);
  });
});

describe('a poll of a feed', () => {
  test('gives the bar that has ended, and not the forming one', async () => {
    const { warmUp, poll } = feedOf(need(AAPL, '1m'));
    await warmUp('14:32:10');
    expect(await poll('14:33:00')).toEqual({ bars: ['AAPL 1m 18T14:32'], complete: true });
    expect(await poll('14:34:00')).toEqual({ bars: ['AAPL 1m 18T14:33'], complete: true });
  });

  test('reads only the intervals that end at that time', async () => {
    const { warmUp, poll, venue } = feedOf(need(AAPL, '1m'), need(MSFT, '15m'), need(MSFT, '1d'));
    await warmUp('14:40:00');
    venue.queries.length = 0;
    await poll('14:41:00');
    expect(venue.queries.map(({ symbol, interval }) => `${symbol} ${interval}`)).toEqual(['AAPL 1m']);
  });

  test('gives a late bar when it comes, once', async () => {
    const { warmUp, poll, venue } = feedOf(need(AAPL, '1m'), need(MSFT, '1m'));
    await warmUp('14:32:00');
    venue.owed.add('AAPL 1m 18T14:32');
    expect(await poll('14:33:00')).toEqual({ bars: ['MSFT 1m 18T14:32'], complete: false });
    expect(await poll('14:33:00', 6.5)).toEqual({ bars: [], complete: false });
    venue.owed.clear();
    expect(await poll('14:33:00', 11.5)).toEqual({ bars: ['AAPL 1m 18T14:32'], complete: true });
    expect(await poll('14:33:00', 16.5)).toEqual({ bars: [], complete: true });
  });

  test('catches up on every missed bar, in order', async () => {
    const { warmUp, poll } = feedOf(need(AAPL, '1m'), need(MSFT, '15m'));
    await warmUp('14:30:00');
    const { bars, complete } = await poll('20:45:00');
    expect(complete).toBe(true);
    expect(bars.filter((bar) => bar.startsWith('AAPL'))).toHaveLength(375);
    expect(bars.filter((bar) => bar.startsWith('MSFT'))).toHaveLength(25);
    expect(bars.slice(13, 18)).toEqual([
      'AAPL 1m 18T14:43',
      'AAPL 1m 18T14:44',
      'MSFT 15m 18T14:30',
      'AAPL 1m 18T14:45',
      'AAPL 1m 18T14:46',
    ]);
  });

  test('gives the bars of one stock when the read of another fails, and those of the other later', async () => {
    const { warmUp, poll, venue, feed } = feedOf(need(AAPL, '1m'), need(MSFT, '1m'));
    await warmUp('14:32:00');
    venue.failing.add(MSFT);
    expect(await poll('14:33:00')).toEqual({ bars: ['AAPL 1m 18T14:32'], complete: false });
    const { read, failures } = await feed.poll(day('14:33:00'), venue.at(epochMs(day('14:33:00') + 2_000)));
    expect([[...read], [...failures.keys()]]).toEqual([[], [MSFT]]);
    venue.failing.clear();
    expect(await poll('14:33:00', 6.5)).toEqual({ bars: ['MSFT 1m 18T14:32'], complete: true });
  });

  test('fails where no stock can be read, and loses no bar', async () => {
    const { warmUp, poll, venue } = feedOf(need(AAPL, '1m'), need(MSFT, '1m'));
    await warmUp('14:32:00');
    venue.failing.add(MSFT);
    venue.failing.add(AAPL);
    await expect(poll('14:33:00')).rejects.toThrow(NoAnswerError);
    venue.failing.clear();
    expect((await poll('14:33:00', 6.5)).bars).toEqual(['AAPL 1m 18T14:32', 'MSFT 1m 18T14:32']);
  });

  test('asks for little more than the missing bars', async () => {
    const { warmUp, poll, venue } = feedOf(need(AAPL, '1m'));
    await warmUp('14:40:00');
    await poll('14:41:00');
    expect(venue.queries.at(-1)?.limit).toBeLessThanOrEqual(10);
    expect(venue.queries.at(-1)?.from).toBe(day('14:39:00') + 1);
  });
});

test('endsAt is true when a bar of any need ends', () => {
  const { feed } = feedOf(need(AAPL, '15m'), need(MSFT, '1d'));
  const at = (time: string) => feed.endsAt(day(time));
  expect([at('14:45:00'), at('14:46:00'), at('21:00:00'), at('21:15:00')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
