import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { StoredBars } from '../../src/market/barStore.ts';
import type { BarRow } from '../../src/market/mergeBars.ts';
import { joinedParts, pullBars, type HistoryQuery, type PullOptions } from '../../src/market/pullBars.ts';
import { minutesOf, row } from './columns.ts';

const source = { kind: 'venue', name: 'v' } as const;
const MINUTES = minutesOf('2026-06-15', '2026-06-17');
const FROM = Date.parse('2026-06-15T04:00:00Z');
const LATER = Date.parse('2026-06-20T00:00:00Z');
const NOW = LATER + 86_400_000;
const symbol = ticker('X');

/** A venue with these bars that returns at most `page` of them, the newest. */
function venueOf(
  rows: readonly BarRow[],
  { page = 100, now = NOW }: Readonly<{ page?: number; now?: number }> = {},
) {
  const queries: HistoryQuery[] = [];
  const state = { now };
  const history = {
    source,
    now: () => state.now,
    bars: (query: HistoryQuery) => {
      queries.push(query);
      const found = rows.filter(({ start }) => start >= query.from && start < query.to && start <= state.now);
      return Promise.resolve(found.slice(-page));
    },
  };
  return { history, queries, state };
}

function pull(more: Partial<PullOptions> & Pick<PullOptions, 'history'>) {
  const saved: StoredBars[] = [];
  const options: PullOptions = {
    symbol,
    interval: '1m',
    stored: null,
    span: { from: FROM, to: LATER },
    calendar: tradingCalendar,
    refetch: false,
    overwrite: false,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    save: (bars) => saved.push(bars),
    ...more,
  };
  return { saved, done: pullBars(options) };
}

const all = MINUTES.map((at, index) => row(at, 100 + index));
const startsOf = (bars: StoredBars | null | undefined) => [...(bars?.columns.start ?? [])];

describe('a pull', () => {
  test('stores every bar once, whatever the page size of the venue', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1500 }), async (page) => {
        const { history } = venueOf(all, { page });
        const { bars, added } = await pull({ history }).done;
        expect(startsOf(bars)).toEqual(MINUTES);
        expect([added, bars?.parts]).toEqual([
          MINUTES.length,
          [{ source, fetchedAt: NOW, from: FROM, to: LATER }],
        ]);
      }),
      { numRuns: 20 },
    );
  });

  test('reads raw prices, and later only what is missing', async () => {
    const venue = venueOf(all);
    const first = await pull({
      history: venue.history,
      span: { from: MINUTES[400] ?? 0, to: MINUTES[600] ?? 0 },
    }).done;
    expect(startsOf(first.bars)).toEqual(MINUTES.slice(400, 600));
    expect(venue.queries.every(({ adjustment }) => adjustment === 'raw')).toBe(true);
    venue.queries.length = 0;
    const again = await pull({ history: venue.history, stored: first.bars }).done;
    expect(startsOf(again.bars)).toEqual(MINUTES);
    expect(again.added).toBe(MINUTES.length - 200);
    const asked = new Set(venue.queries.map(({ to }) => to));
    expect([...asked].every((to) => to <= (MINUTES[405] ?? 0) || to > (MINUTES[600] ?? 0))).toBe(true);
    venue.queries.length = 0;
    await pull({ history: venue.history, stored: again.bars }).done;
    expect(venue.queries).toEqual([]);
  });

  test('that fails midway keeps its bars, and continues from there', async () => {
    const venue = venueOf(all, { page: 20 });
    let answers = 0;
    const history = {
      ...venue.history,
      bars: (query: HistoryQuery) =>
        ++answers > 25 ? Promise.reject(new Error('the line is cut')) : venue.history.bars(query),
    };
    const cut = pull({ history });
    await expect(cut.done).rejects.toThrow('the line is cut');
    const kept = cut.saved.at(-1);
    expect(startsOf(kept)).toEqual(MINUTES.slice(-25 * 20));
    const rest = await pull({ history: venue.history, stored: kept ?? null }).done;
    expect(startsOf(rest.bars)).toEqual(MINUTES);
    expect(rest.added).toBe(MINUTES.length - 500);
  });

  test('that is stopped keeps its bars', async () => {
    const stop = new AbortController();
    const { history } = venueOf(all, { page: 100 });
    const stopped = pull({ history, signal: stop.signal, onProgress: () => stop.abort(new Error('stop')) });
    await expect(stopped.done).rejects.toThrow('stop');
    expect(startsOf(stopped.saved.at(-1))).toEqual(MINUTES.slice(-100));
  });

  test('does not store a forming bar, and stores it when it is finished', async () => {
    const now = (MINUTES[30] ?? 0) + 30_000;
    const { history, state } = venueOf(all, { now });
    const { bars } = await pull({ history, span: { from: FROM, to: now } }).done;
    expect(startsOf(bars)).toEqual(MINUTES.slice(0, 30));
    state.now += 60_000;
    const next = await pull({ history, stored: bars, span: { from: FROM, to: state.now } }).done;
    expect(startsOf(next.bars)).toEqual(MINUTES.slice(0, 31));
  });

  test('reads a late bar again', async () => {
    const now = MINUTES[30] ?? 0;
    const late = venueOf(all.slice(0, 29), { now });
    const { bars } = await pull({ history: late.history, span: { from: FROM, to: now } }).done;
    expect(startsOf(bars)).toEqual(MINUTES.slice(0, 29));
    const { history } = venueOf(all, { now });
    expect(
      startsOf((await pull({ history, stored: bars, span: { from: FROM, to: now } }).done).bars),
    ).toEqual(MINUTES.slice(0, 30));
  });

  test('leaves out bars outside of the sessions, and counts them', async () => {
    const { history } = venueOf([row(FROM + 3_600_000), ...all]);
    const { bars, outside } = await pull({ history }).done;
    expect([startsOf(bars).length, outside]).toEqual([MINUTES.length, 1]);
  });

  test('reports stored bars that the venue now gives differently, and keeps the stored ones', async () => {
    const { bars } = await pull({
      history: venueOf(all).history,
      span: { from: FROM, to: MINUTES[500] ?? 0 },
    }).done;
    const halved = venueOf(all.map(({ start, volume }) => row(start, 50, { volume })));
    const next = await pull({ history: halved.history, stored: bars }).done;
    expect(next.differences.map(({ start }) => start)).toEqual(MINUTES.slice(495, 500));
    expect(next.bars?.columns.open[499]).toBe(599);
    expect(next.bars?.columns.open[500]).toBe(50);
  });

  test('fetches again with refetch, and replaces with overwrite', async () => {
    const { bars } = await pull({ history: venueOf(all).history }).done;
    const { history } = venueOf(all.map((bar, index) => (index === 700 ? row(bar.start, 1) : bar)));
    const looked = await pull({ history, stored: bars, refetch: true }).done;
    expect([looked.differences.length, looked.bars?.columns.open[700]]).toEqual([1, 800]);
    const taken = await pull({ history, stored: bars, refetch: true, overwrite: true }).done;
    expect([taken.differences.length, taken.bars?.columns.open[700]]).toEqual([1, 1]);
  });

  test('of a venue without bars stores nothing', async () => {
    const { saved, done } = pull({ history: venueOf([]).history });
    expect((await done).bars).toBeNull();
    expect(saved).toEqual([]);
  });
});

test('adjacent parts of one source are joined', () => {
  const other = { kind: 'file', name: 'x.csv' } as const;
  expect(
    joinedParts([
      { source, fetchedAt: 1, from: 0, to: 10 },
      { source: other, fetchedAt: 2, from: 10, to: 20 },
      { source, fetchedAt: 3, from: 5, to: 12 },
    ]),
  ).toEqual([
    { source, fetchedAt: 3, from: 0, to: 12 },
    { source: other, fetchedAt: 2, from: 10, to: 20 },
  ]);
});
