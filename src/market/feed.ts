import type { TradingCalendar } from '../calendar/index.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { hasPhase, INTERVAL_MS, type Bar, type BarSet } from '../domain/bar.ts';
import type { Quote, Ticker } from '../domain/instrument.ts';
import type { BarQuery, Venue } from '../domain/venue.ts';
import { outsideSets, QuoteBars } from './quoteBars.ts';
import { barEnd, endsAt } from './series.ts';

export type FeedNeed = BarSet & Readonly<{ warmUp: number }>;

type Answer = Readonly<{ need: FeedNeed; finished: Bar[] }>;

type Failure = Readonly<{ need: FeedNeed; error: unknown }>;

/**
 * Bars of one poll. `read`: stocks whose bars were read; `failures`: errors by stock. A stock that cannot be read does
 * not hold back the bars of others.
 */
export type PolledBars = Readonly<{
  bars: Bar[];
  complete: boolean;
  read: ReadonlySet<Ticker>;
  failures: ReadonlyMap<Ticker, unknown>;
}>;

/** Number of bars requested beyond the missing ones: the forming one, and one that a late venue still lacks. */
const SPARE = 5;
/** Number of bars that fits into every response of the venue. */
const FEW = 2 * SPARE;

/** Finished bars: in the session from the venue port, outside it made from quotes. A forming bar is never shown. */
export class BarFeed {
  readonly #venue: Venue;
  readonly #calendar: TradingCalendar;
  readonly #needs: readonly FeedNeed[];
  readonly #quoteBars: QuoteBars;
  readonly #latest = new Map<FeedNeed, EpochMs>();

  constructor(venue: Venue, calendar: TradingCalendar, needs: readonly FeedNeed[]) {
    this.#venue = venue;
    this.#calendar = calendar;
    this.#needs = merged(needs.filter((need) => hasPhase(need, 'regular')));
    this.#quoteBars = new QuoteBars(calendar, outsideSets(needs));
  }

  /** Last bars before `now`, as many as each need requests, ordered by end time; only for the `listed` stocks. */
  warmUp(now: EpochMs, listed: Pick<ReadonlySet<Ticker>, 'has'>): Promise<Bar[]> {
    this.#quoteBars.begin(now);
    return this.#warm(
      this.#needs.filter(({ symbol }) => listed.has(symbol)),
      now,
    );
  }

  /** Rereads the bars of one symbol from the start, because their prices have changed. */
  rewarm(symbol: Ticker, now: EpochMs): Promise<Bar[]> {
    const needs = this.#needs.filter((need) => need.symbol === symbol);
    for (const need of needs) this.#latest.delete(need);
    return this.#warm(needs, now);
  }

  async #warm(needs: readonly FeedNeed[], now: EpochMs): Promise<Bar[]> {
    const answers = await Promise.all(needs.map((need) => this.#fetch(need, now, need.warmUp + SPARE)));
    return this.#inOrder(answers.flatMap((answer) => lastOf(this.#taken(answer), answer.need.warmUp)));
  }

  /** Records the current prices, from which bars outside the session are made. */
  quoted(quoteOf: (symbol: Ticker) => Quote | undefined): void {
    this.#quoteBars.take(quoteOf);
  }

  /** True when a bar outside the session ends at `at`. */
  endsOutside(at: EpochMs): boolean {
    return this.#quoteBars.endsAt(at);
  }

  /** Bars outside the session that have ended by an instant; each is returned once. */
  made(until: EpochMs): Bar[] {
    return this.#quoteBars.ended(until);
  }

  /** True when a bar of any need ends at `at`. */
  endsAt(at: EpochMs): boolean {
    return this.#needs.some(({ interval }) => endsAt(interval, at, this.#calendar));
  }

  /**
   * Bars that end at `boundary` and any missed before it. `complete` is false until the venue has returned all.
   * @throws the port's error if no bar that ends there could be read; nothing is lost, because the next call retries
   */
  async poll(boundary: EpochMs, now: EpochMs): Promise<PolledBars> {
    const ending = this.#needs.filter(({ interval }) => endsAt(interval, boundary, this.#calendar));
    const due = ending.filter((need) => !this.#has(need, boundary));
    const results = await Promise.all(
      due.map((need) => this.#fetch(need, now, SPARE).catch((error: unknown): Failure => ({ need, error }))),
    );
    const answers = results.filter((result) => 'finished' in result);
    const failed = results.filter((result) => 'error' in result);
    if (failed[0] && failed.length === ending.length) throw failed[0].error;
    const bars = this.#inOrder(answers.flatMap((answer) => this.#taken(answer)));
    return {
      bars,
      complete: due.every((need) => this.#has(need, boundary)),
      read: new Set(answers.map(({ need }) => need.symbol)),
      failures: new Map(failed.map(({ need, error }) => [need.symbol, error])),
    };
  }

  #has(need: FeedNeed, boundary: EpochMs): boolean {
    const latest = this.#latest.get(need);
    return (
      latest !== undefined && barEnd({ start: latest, interval: need.interval }, this.#calendar) >= boundary
    );
  }

  /** Marks bars as taken once all requests have a response, because taken bars are not requested again. */
  #taken({ need, finished }: Answer): Bar[] {
    const newest = finished.at(-1);
    if (newest) this.#latest.set(need, newest.start);
    return finished;
  }

  async #fetch(need: FeedNeed, now: EpochMs, limit: number): Promise<Answer> {
    const { symbol, interval } = need;
    const latest = this.#latest.get(need);
    const from = latest === undefined ? {} : { from: epochMs(latest + 1) };
    const missed = latest === undefined ? 0 : Math.ceil((now - latest) / INTERVAL_MS[interval]);
    const query = { symbol, interval, to: epochMs(now + 1), limit: limit + missed, ...from };
    const bars = await this.#barsOf(query);
    // By a clock ahead of the venue's, the forming bar would already have ended.
    const ended = now + Math.min(this.#venue.offsetMs?.() ?? 0, 0);
    const finished = bars.filter(
      (bar) => barEnd(bar, this.#calendar) <= ended && bar.start > (latest ?? -Infinity),
    );
    return { need, finished };
  }

  /** Reads bars of a span. The venue returns the newest, perhaps too few: older ones are then read page by page. */
  async #barsOf(query: BarQuery): Promise<Bar[]> {
    const bars = [...(await this.#venue.bars(query))];
    if (query.limit <= FEW) return bars;
    for (let page: readonly Bar[] = bars; page.length > 0 && bars.length < query.limit;) {
      const to = epochMs(Math.min(...page.map(({ start }) => start)));
      page = (await this.#venue.bars({ ...query, to })).filter(({ start }) => start < to);
      bars.unshift(...page);
    }
    return bars;
  }

  #inOrder(bars: Bar[]): Bar[] {
    const endOf = (bar: Bar) => barEnd(bar, this.#calendar);
    return bars.sort((a, b) => endOf(a) - endOf(b) || INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval]);
  }
}

const lastOf = (bars: Bar[], count: number): Bar[] => (count === 0 ? [] : bars.slice(-count));

/** One need per symbol and interval, with the longest warm-up requested. */
function merged(needs: readonly FeedNeed[]): FeedNeed[] {
  const byKey = new Map<string, FeedNeed>();
  for (const need of needs) {
    const key = `${need.symbol} ${need.interval}`;
    const other = byKey.get(key);
    if (!other || other.warmUp < need.warmUp) byKey.set(key, need);
  }
  return [...byKey.values()];
}
