import type { TradingCalendar } from '../calendar/index.ts';
import { outsideHours, type PhaseCalendar } from '../calendar/phaseHours.ts';
import { toNumber } from '../core/amount.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import { hasPhase, INTERVAL_MS, type Bar, type BarSet } from '../domain/bar.ts';
import type { Quote } from '../domain/instrument.ts';
import { barEnd } from './series.ts';

/** `since`: instant from which bars are counted, such as the start of a phase. */
type PriceMark = Readonly<{ at: number; price: number; since?: number }>;

/** Start of the bar that contains an instant. */
const startOf = (at: number, { interval }: Pick<Bar, 'interval'>, since = 0): EpochMs =>
  epochMs(at - ((at - since) % INTERVAL_MS[interval]));

/** Adds a price to the bar of its time, in a map by bar start. */
export function widen(
  bars: Map<number, Bar>,
  { symbol, interval }: Pick<Bar, 'symbol' | 'interval'>,
  { at, price, since }: PriceMark,
): void {
  const start = startOf(at, { interval }, since);
  const { open, high, low } = bars.get(start) ?? { open: price, high: price, low: price };
  const range = { high: Math.max(high, price), low: Math.min(low, price) };
  bars.set(start, { symbol, interval, start, open, ...range, close: price, volume: 0 });
}

/** Distinct sets of bars outside the session by symbol and interval, each with all phases requested for it. */
export function outsideSets(needs: readonly BarSet[]): BarSet[] {
  const sets = new Map<string, BarSet>();
  for (const { symbol, interval, phases = [] } of needs) {
    const name = `${symbol} ${interval}`;
    const outside = phases.filter((phase) => phase !== 'regular');
    const all = new Set([...(sets.get(name)?.phases ?? []), ...outside]);
    if (outside.length > 0) sets.set(name, { symbol, interval, phases: [...all] });
  }
  return [...sets.values()];
}

/** Bars outside the session, made from the quotes that a run reads because the venue has none. They have no volume. */
export class QuoteBars {
  /** Phases with which bars begin and end: after an early close, not on the full five minutes. */
  readonly #hours: PhaseCalendar;
  /** Bars not returned yet, by start. */
  readonly #forming = new Map<BarSet, Map<number, Bar>>();
  /** Instant up to which bars have been returned, or before which no quotes were read. */
  #until: EpochMs = epochMs(0);

  /** @param sets that include phases outside the regular session */
  constructor(calendar: TradingCalendar, sets: readonly BarSet[]) {
    this.#hours = outsideHours(calendar);
    for (const set of sets) this.#forming.set(set, new Map());
  }

  /** Starts with the bars that end after an instant: before it no quotes were read. */
  begin(now: EpochMs): void {
    this.#until = now;
  }

  /** Records current prices. Those that the venue made in the session, or in a bar that is over, are ignored. */
  take(quoteOf: (symbol: Quote['symbol']) => Quote | undefined): void {
    for (const [set, bars] of this.#forming) {
      const quote = quoteOf(set.symbol);
      const hours = quote && this.#hours.sessionAt(quote.at);
      if (!hours || !hasPhase(set, hours.phase)) continue;
      const start = startOf(quote.at, set, hours.open);
      if (this.#endOf({ interval: set.interval, start }) <= this.#until) continue;
      widen(bars, set, { at: quote.at, price: toNumber(quote.price), since: hours.open });
    }
  }

  /** True when a requested bar ends at an instant. */
  endsAt(at: EpochMs): boolean {
    const hours = this.#hours.sessionAt(epochMs(at - 1));
    return [...this.#forming.keys()].some(
      (set) =>
        hours && hasPhase(set, hours.phase) && (at === hours.close || at === startOf(at, set, hours.open)),
    );
  }

  /** Bars that have ended by an instant, ordered by end time; each is returned once. */
  ended(until: EpochMs): Bar[] {
    this.#until = until;
    const ended = [...this.#forming.values()].flatMap((bars) => {
      const own = [...bars.values()].filter((bar) => this.#endOf(bar) <= until);
      for (const { start } of own) bars.delete(start);
      return own;
    });
    return ended.sort(
      (a, b) => this.#endOf(a) - this.#endOf(b) || INTERVAL_MS[a.interval] - INTERVAL_MS[b.interval],
    );
  }

  #endOf(bar: Pick<Bar, 'start' | 'interval'>): number {
    return barEnd(bar, this.#hours);
  }
}
