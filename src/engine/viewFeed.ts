import { toNumber, type Price } from '../core/amount.ts';
import type { Interval } from '../domain/bar.ts';
import type { Ticker } from '../domain/instrument.ts';
import { averageCost } from '../domain/positions.ts';
import type { BarSeries } from '../market/series.ts';
import type { View } from '../strategy/contract.ts';
import type { Desk } from './desk.ts';
import { worth } from './exposure.ts';
import type { ViewScope } from './view.ts';
import type { BarData, HoldingData, ViewData } from './viewData.ts';

/** The part of one series of bars that has been given. */
type SeriesPosition = Readonly<{ series: BarSeries; length: number }>;

/** The view of one strategy as data: each time only the prices and bars that are new. */
export class ViewFeed {
  readonly #desk: Desk;
  readonly #view: View;
  readonly #scope: ViewScope;
  readonly #prices = new Map<string, Price | null>();
  readonly #bars = new Map<string, SeriesPosition>();

  constructor(desk: Desk, view: View, scope: ViewScope) {
    this.#desk = desk;
    this.#view = view;
    this.#scope = scope;
  }

  next(): ViewData {
    const { now, session, cash, equity } = this.#view;
    return {
      now,
      session,
      cash,
      equity,
      holdings: this.#holdings(),
      prices: this.#changedPrices(),
      orders: this.#view.orders(),
      bars: this.#newBars(),
    };
  }

  /** Gives all bars and prices again: those that were given may have changed, as by a split. */
  restart(): void {
    this.#bars.clear();
    this.#prices.clear();
  }

  #holdings(): HoldingData[] {
    const { ledger, positions } = this.#desk.books;
    const { owner } = this.#scope;
    const holdings: HoldingData[] = [];
    for (const asset of ledger.assets) {
      if (asset === 'mUSD') continue;
      const held = ledger.held(owner, asset);
      const average = averageCost(positions.of(owner, asset));
      if (held === 0n && average === null) continue;
      holdings.push({
        symbol: asset,
        shares: toNumber(held),
        average: average === null ? null : toNumber(average),
        worth: toNumber(worth(this.#desk, asset, held)),
      });
    }
    return holdings;
  }

  #changedPrices(): (readonly [string, number | null])[] {
    const changed: (readonly [string, number | null])[] = [];
    for (const symbol of this.#scope.known) {
      const price = this.#desk.market.price(symbol as Ticker);
      if (price === (this.#prices.get(symbol) ?? null)) continue;
      this.#prices.set(symbol, price);
      changed.push([symbol, price === null ? null : toNumber(price)]);
    }
    return changed;
  }

  #newBars(): BarData[] {
    const fresh: BarData[] = [];
    for (const [symbol, intervals] of this.#scope.bars)
      for (const interval of intervals) {
        const bars = this.#newBarsOf(symbol as Ticker, interval);
        if (bars) fresh.push(bars);
      }
    return fresh;
  }

  #newBarsOf(symbol: Ticker, interval: Interval): BarData | null {
    const series = this.#desk.market.series(symbol, interval);
    const key = `${symbol} ${interval}`;
    const given = this.#bars.get(key);
    const isReset = given?.series !== series || series.length < given.length;
    const known = isReset ? 0 : given.length;
    if (given && series.length === known && !isReset) return null;
    this.#bars.set(key, { series, length: series.length });
    return { symbol, interval, isReset, columns: series.tail(series.length - known) };
  }
}
