import type { Session, TradingCalendar } from '../calendar/index.ts';
import type { PhaseCalendar } from '../calendar/phaseHours.ts';
import { price as asPrice, wadFromNumber } from '../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import { countWhile } from '../core/countWhile.ts';
import { ConfigError } from '../core/errors.ts';
import {
  barSetName,
  brokenBar,
  INTERVAL_MS,
  isIntraday,
  type Bar,
  type BarSet,
  type Interval,
} from '../domain/bar.ts';
import type { Quote, QuotePhase, Ticker } from '../domain/instrument.ts';
import type { StrategyInstance } from '../engine/strategy/strategyInstance.ts';
import type { BarColumns } from '../domain/barColumns.ts';
import { barEnd, barAt, BarSeries } from '../market/series.ts';

/** Span of bars that are played together: a regular session, or the named phase outside it. */
export type Hours = Session & Readonly<{ phase?: QuotePhase }>;

/** Bars of a tape that end in one session, or phase of it: indexes from `from`, up to but excluding `to`. */
export type Part = Readonly<{ session: Hours; from: number; to: number }>;

/** Latest price of a symbol: a number at every bar, exact only on request. */
export class LastPrice {
  readonly symbol: Ticker;
  price = NaN;
  at = -Infinity;
  /** Price last shown to strategies that subscribe to prices. */
  shown = NaN;
  /** Bars that set the price. */
  tape: Tape | null = null;
  #quote: Quote | undefined;
  #quoted = NaN;
  /** Instant for which `#quote` was read; NaN once the price has changed. */
  #readAt = NaN;

  constructor(symbol: Ticker) {
    this.symbol = symbol;
  }

  set(price: number, at: number): void {
    this.price = price;
    this.at = at;
    this.#readAt = NaN;
  }

  /** Converts to present shares: `per` for each old one. */
  rescale(per: number): void {
    this.price /= per;
    this.shown /= per;
    this.#readAt = NaN;
  }

  /** Updates the price to the open of a bar in progress: its other prices are not known yet. */
  refresh(now: number): void {
    const { tape } = this;
    if (!tape || tape.isPlayed || tape.start >= now || this.at >= tape.start) return;
    this.set(tape.columns.open[tape.index] ?? NaN, tape.start);
  }

  quote(now: number): Quote | undefined {
    if (now === this.#readAt) return this.#quote;
    this.refresh(now);
    if (Number.isNaN(this.price)) return undefined;
    this.#readAt = now;
    const price = this.#quote && this.#quoted === this.price ? this.#quote.price : this.#exact();
    if (this.#quote?.at !== this.at || this.#quote.price !== price)
      this.#quote = { symbol: this.symbol, price, at: epochMs(this.at) };
    return this.#quote;
  }

  /** Function that returns the quote at the clock's current time. */
  sourceAt(clock: Readonly<{ now: EpochMs }>): () => Quote | undefined {
    return () => this.quote(clock.now);
  }

  #exact() {
    this.#quoted = this.price;
    return asPrice(wadFromNumber(this.price));
  }
}

/** Bars of one symbol and interval, with a position in time. */
export class Tape {
  readonly symbol: Ticker;
  readonly interval: Interval;
  readonly columns: BarColumns;
  readonly series: BarSeries;
  readonly parts: readonly Part[];
  /**
   * Time at which each bar begins to play: for a weekly bar, the open of its last session, which is the only one of its
   * week played.
   */
  readonly begins: Float64Array;
  /** Price set by these bars, the symbol's shortest, which also fill its orders; null for longer ones, only shown. */
  readonly last: LastPrice | null;
  /** False for bars of all hours, which only set prices: strategies see those of the session or of named phases. */
  readonly isShown: boolean;
  /** True for bars of requested phases, which other tapes contain as well. */
  readonly isOfPhases: boolean;
  watchers: readonly StrategyInstance[] = [];
  /** Index of the current part. */
  part = 0;
  /** Index of the next bar, and end index of the current session's bars. */
  index = 0;
  to = 0;
  /** True when the next bar has begun. */
  opened = false;
  /** Stages of the next bar's price path that have been played: `BarPath`. */
  stages = 0;
  /** End of the latest finished bar. */
  now = NaN;
  /** Number of bars that ended before the start. */
  skipped = 0;
  /** First bar that strategies may see. */
  first = 0;
  #close = 0;
  readonly #length: number;

  /** @param parts of the bars, from `partsOf` */
  constructor(
    { symbol, interval, columns, phases, isShown = true }: TapeInput,
    parts: readonly Part[],
    last: LastPrice | null,
  ) {
    this.isShown = isShown;
    this.isOfPhases = phases !== undefined;
    this.symbol = symbol;
    this.interval = interval;
    this.columns = columns;
    this.last = last;
    if (last) last.tape = this;
    this.series = new BarSeries({ symbol, interval, phases }, columns);
    this.parts = parts;
    this.begins =
      interval === '1w' ? Float64Array.from(this.parts, ({ session }) => session.open) : columns.start;
    this.#length = isIntraday(interval) ? INTERVAL_MS[interval] : Infinity;
  }

  /** Skips the bars that end by an instant, and returns their number. */
  skipTo(at: EpochMs, calendar: TradingCalendar): number {
    const { start } = this.columns;
    const { interval } = this;
    const skipped = countWhile(start, (begin) => barEnd({ start: epochMs(begin), interval }, calendar) <= at);
    this.skipped = skipped;
    if (skipped > 0) this.#knowLast(skipped - 1, calendar);
    while ((this.parts[this.part]?.to ?? Infinity) <= skipped) this.part++;
    return skipped;
  }

  /** End of the last bar; -Infinity if there is none. */
  endOfLast(calendar: TradingCalendar): number {
    const start = this.columns.start.at(-1);
    return start === undefined
      ? -Infinity
      : barEnd({ start: epochMs(start), interval: this.interval }, calendar);
  }

  /** Makes a bar before the start the first one that strategies see. */
  beginAt(first: number): void {
    this.first = first;
    this.series.beginAt(first);
  }

  /** Sets the price of the last skipped bar, valid until the first bar played. */
  #knowLast(index: number, calendar: TradingCalendar): void {
    const end = barEnd(
      { start: epochMs(this.columns.start[index] ?? NaN), interval: this.interval },
      calendar,
    );
    this.last?.set(this.columns.close[index] ?? NaN, end);
  }

  /** Converts the bars before an instant to present shares: `per` for each old one. */
  rescale(before: number, per: number): void {
    rescaleBars(this.columns, before, per);
    this.last?.rescale(per);
  }

  /** Moves to the bars of a session or phase, if there are any. */
  enter(session: Hours): boolean {
    while ((this.parts[this.part]?.session.open ?? Infinity) < session.open) this.part++;
    const part = this.parts[this.part];
    if (part?.session.open !== session.open) return false;
    this.part++;
    this.index = Math.max(part.from, this.skipped);
    this.to = part.to;
    this.#close = session.close;
    this.opened = false;
    return this.index < this.to;
  }

  get isPlayed(): boolean {
    return this.index >= this.to;
  }

  /** Close of the current session. */
  get sessionClose(): number {
    return this.#close;
  }

  get start(): number {
    return this.begins[this.index] ?? NaN;
  }

  /** End of the next bar, never after its session. */
  endOfNext(): number {
    const end = (this.columns.start[this.index] ?? NaN) + this.#length;
    return end < this.#close ? end : this.#close;
  }

  /** Finishes the next bar and returns its index. */
  finish(end: number): number {
    const index = this.index++;
    this.now = end;
    this.opened = false;
    this.stages = 0;
    this.series.show(this.index);
    // In a run over phases, the price at the end of a phase is not yet a price of the next one.
    const at = this.isShown || end < this.#close ? end : end - 1;
    this.last?.set(this.columns.close[index] ?? NaN, at);
    return index;
  }

  /** Finishes the next bar if it has ended by an instant; -1 if not, or if none is left. */
  finishBy(until: number): number {
    if (this.index >= this.to) return -1;
    const end = this.endOfNext();
    return end > until ? -1 : this.finish(end);
  }

  bar(index: number): Bar {
    return barAt(this, this.columns, index);
  }
}

/** Tape that shows exactly this set of bars. */
export function tapeOf(tapes: readonly Tape[], set: BarSet<string>): Tape | undefined {
  const name = barSetName(set);
  return tapes.find(({ isShown, series }) => isShown && barSetName(series.set) === name);
}

/**
 * Symbols with only weekly bars in a run with shorter ones: an order placed within a week must not fill at its first
 * price, and no other is known.
 */
export function coarseOf(tapes: readonly Tape[]): ReadonlySet<Ticker> {
  if (tapes.every(({ interval }) => interval === '1w')) return new Set();
  return new Set(tapes.flatMap(({ last, interval }) => (last && interval === '1w' ? [last.symbol] : [])));
}

/** Converts the bars before an instant to present shares: `per` for each old one. */
export function rescaleBars(
  { start, open, high, low, close, volume }: BarColumns,
  before: number,
  per: number,
): void {
  for (let index = 0; index < start.length && (start[index] ?? NaN) < before; index++) {
    for (const prices of [open, high, low, close]) prices[index] = (prices[index] ?? NaN) / per;
    volume[index] = (volume[index] ?? NaN) * per;
  }
}

export type TapeInput = BarSet & Readonly<{ columns: BarColumns; isShown?: boolean }>;

/** @throws {ConfigError} for the first bar with impossible numbers */
function requireNumbers(bars: TapeInput): void {
  const { start, open, high, low, close, volume } = bars.columns;
  for (let index = 0; index < start.length; index++) {
    const what = brokenBar({
      open: open[index] ?? NaN,
      high: high[index] ?? NaN,
      low: low[index] ?? NaN,
      close: close[index] ?? NaN,
      volume: volume[index] ?? NaN,
    });
    if (what !== null) throw wrongBar(bars, index, `is wrong: ${what}. Correct it, or leave it out`);
  }
}

/**
 * Positions of each session's bars.
 * @throws {ConfigError} for bars out of order, outside the regular sessions or in one week, and for impossible numbers
 */
export function partsOf(bars: TapeInput, calendar: TradingCalendar | PhaseCalendar): Part[] {
  const { interval } = bars;
  const { start } = bars.columns;
  const parts: Part[] = [];
  requireNumbers(bars);
  for (let from = 0; from < start.length;) {
    const first = epochMs(start[from] ?? NaN);
    const opened = Number.isFinite(first) ? calendar.sessionAt(first) : undefined;
    if (!opened) throw wrongBar(bars, from, 'is outside the regular sessions');
    const end = barEnd({ start: first, interval }, calendar);
    const session = end > opened.close ? calendar.sessionAt(epochMs(end - 1)) : opened;
    if (!session) throw wrongBar(bars, from, 'ends outside the sessions');
    let to = from + 1;
    for (; to < start.length; to++) {
      if (!((start[to] ?? NaN) > (start[to - 1] ?? NaN)))
        throw wrongBar(bars, to, 'does not come after the bar before it');
      if ((start[to] ?? NaN) >= session.close) break;
      if (interval === '1w') throw wrongBar(bars, to, 'is in the same week as the bar before it');
    }
    parts.push({ session, from, to });
    from = to;
  }
  return parts;
}

const nameOf = (at: number): string => (Number.isFinite(at) ? toIso(epochMs(at)) : String(at));

function wrongBar({ symbol, interval, columns }: TapeInput, index: number, what: string): ConfigError {
  const start = nameOf(columns.start[index] ?? NaN);
  return new ConfigError(`bar ${index + 1} of ${symbol} ${interval}: ${start} ${what}`, {
    symbol,
    interval,
    index,
  });
}

/** Last session with bars before another: its evening timers come before those of the other. */
export function sessionBefore(
  { date }: Session,
  { tapes, calendar }: Readonly<{ tapes: readonly Tape[]; calendar: TradingCalendar }>,
): Session | undefined {
  const before = tapes.flatMap(
    ({ parts }) => parts.findLast(({ session }) => session.date < date)?.session.date ?? [],
  );
  const latest = before.sort().at(-1);
  return latest === undefined ? undefined : calendar.sessionOn(latest);
}
